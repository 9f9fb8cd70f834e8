package dev.varve.cli.imports;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.formats.parquet.ParquetExport;
import dev.varve.model.Batch;
import dev.varve.model.BatchBuilder;
import dev.varve.model.Column;
import dev.varve.model.GroupKey;
import dev.varve.model.Kind;
import dev.varve.model.Resolution;
import dev.varve.model.SampleGroup;
import dev.varve.model.Samples;
import dev.varve.model.Series;
import dev.varve.model.StaleMarker;
import dev.varve.model.Tags;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** The reader of Parquet reads every kind, label and number that the writer writes. */
class ParquetRowsTest {
  private static final int SERIES_MAX = 12;

  /** More than a page of rows has. */
  private static final int SAMPLES_MAX = 20_000;

  @Property(tries = 15)
  void everySampleComesBack(@ForAll long seed, @ForAll Resolution resolution) throws IOException {
    Random random = new Random(seed);
    Path file = Files.createTempFile("rows", ".parquet");
    List<String> written = new ArrayList<>();
    try (OutputStream out = Files.newOutputStream(file)) {
      ParquetExport export =
          new ParquetExport(out, resolution, ParquetExport.Written.NONE, (last, time, state) -> {});
      for (int i = random.nextInt(SERIES_MAX); i > 0; i--) {
        Series series = series(random, i);
        Samples samples = samples(random);
        export.write(series, samples, 0, samples.size());
        for (int s = 0; s < samples.size(); s++) {
          written.add(
              series.key() + "#" + series.field() + "@" + samples.time(s) + text(samples, s));
        }
      }
      export.finish();
      assertThat(export.leftOut()).isZero();
    }
    BatchBuilder batch = new BatchBuilder();
    try (ParquetRows rows = ParquetRows.open(file, resolution, new TableOptions())) {
      while (rows.next(batch)) {
        assertThat(rows.number()).isLessThanOrEqualTo(rows.total());
      }
    } finally {
      Files.delete(file);
    }
    List<String> read = shown(batch.build());
    // Sorted, because a batch gathers the samples of a series by kind.
    Collections.sort(read);
    Collections.sort(written);
    assertThat(read).isEqualTo(written);
  }

  private static Series series(Random random, int number) {
    Map<String, String> tags = new TreeMap<>(Map.of("n", String.valueOf(number)));
    for (int i = random.nextInt(4); i > 0; i--) {
      tags.put("tag" + random.nextInt(9), "ü\"\n" + random.nextInt(3));
    }
    Tags resource = random.nextBoolean() ? Tags.EMPTY : Tags.of("pod", "p" + random.nextInt());
    return new GroupKey(
            "m" + random.nextInt(3),
            random.nextInt(5) == 0 ? Tags.EMPTY : Tags.of(tags),
            random.nextInt(5) == 0 ? Tags.of("n", String.valueOf(number)) : resource)
        .field(random.nextBoolean() ? Series.DEFAULT_FIELD : "field " + number);
  }

  private static Samples samples(Random random) {
    Kind kind = List.of(Kind.DOUBLE, Kind.INT64, Kind.STRING).get(random.nextInt(3));
    Samples samples = new Samples(kind);
    int count = random.nextInt(4) == 0 ? random.nextInt(SAMPLES_MAX) : random.nextInt(300);
    boolean wild = random.nextBoolean();
    long time = wild ? random.nextLong() >> 11 : 1_700_000_000L;
    for (int i = 0; i < count; i++) {
      time += wild ? 1 + (random.nextLong() >>> 40) : 1000;
      switch (kind) {
        case DOUBLE -> samples.add(time, real(random, wild), 0);
        case INT64 -> samples.add(time, wild ? random.nextLong() : 5L * i, 0);
        case STRING -> {
          byte[] text = ("text \0 €" + random.nextInt(5)).getBytes(StandardCharsets.UTF_8);
          samples.add(time, text, 0, random.nextInt(5) == 0 ? 0 : text.length, 0);
        }
      }
    }
    return samples;
  }

  private static double real(Random random, boolean wild) {
    return switch (random.nextInt(4)) {
      case 0 -> StaleMarker.VALUE;
      case 1 -> -0.0;
      default -> wild ? Double.longBitsToDouble(random.nextLong()) : random.nextInt(100);
    };
  }

  private static String text(Samples samples, int index) {
    return switch (samples.kind()) {
      case DOUBLE -> " r" + Double.doubleToRawLongBits(samples.doubleAt(index));
      case INT64 -> " i" + samples.longAt(index);
      case STRING -> " t" + samples.textAt(index);
    };
  }

  private static List<String> shown(Batch batch) {
    List<String> shown = new ArrayList<>();
    for (SampleGroup group : batch.groups()) {
      for (Column column : group.columns()) {
        for (int i = 0; i < group.size(); i++) {
          if (column.has(i)) {
            shown.add(
                group.key() + "#" + column.field() + "@" + group.times()[i] + text(column, i));
          }
        }
      }
    }
    return shown;
  }

  private static String text(Column column, int index) {
    return switch (column) {
      case Column.Doubles of -> " r" + Double.doubleToRawLongBits(of.values()[index]);
      case Column.Longs of -> " i" + of.values()[index];
      case Column.Texts of ->
          " t"
              + new String(
                  of.bytes(),
                  of.start(index),
                  of.end(index) - of.start(index),
                  StandardCharsets.UTF_8);
    };
  }
}
