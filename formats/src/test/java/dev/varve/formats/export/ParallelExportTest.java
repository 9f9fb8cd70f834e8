package dev.varve.formats.export;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.model.GroupKey;
import dev.varve.model.Kind;
import dev.varve.model.Resolution;
import dev.varve.model.Samples;
import dev.varve.model.Series;
import dev.varve.model.StaleMarker;
import dev.varve.model.Tags;
import java.io.IOException;
import java.io.StringWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Pieces of text that are formatted at once beside the text that one thread writes. */
class ParallelExportTest {
  private static final List<Kind> KINDS = List.of(Kind.values());
  private static final int ROWS = 1000;
  private static final List<String> TEXTS =
      List.of("plain", "a\"b", "\u0001\u0002\u0003", "\\\\", "größe 😀", "x,y", "");

  private record Run(Series series, Samples samples) {}

  @ParameterizedTest
  @EnumSource
  void writesTheSameWithinItsMemory(ExportFormat format) throws IOException {
    List<Run> runs = runs(new Random(19), 400, 3000);
    StringWriter expected = new StringWriter();
    ExportWriter alone = format.to(expected, Resolution.NANOSECONDS, ROWS);
    write(alone, runs);
    alone.finish();

    Watched target = new Watched();
    ParallelExport parallel =
        new ParallelExport(
            format, target, Resolution.NANOSECONDS, ROWS, false, 0, 0, target::reached);
    target.watch(parallel);
    write(parallel, runs);
    parallel.finish();
    assertThat(target.text.toString().equals(expected.toString())).isTrue();
    assertThat(parallel.leftOut()).isEqualTo(alone.leftOut());
    assertThat(target.written).isEqualTo(runs.stream().mapToLong(run -> run.samples.size()).sum());
    assertThat(target.pieces).isGreaterThan(50);
    assertThat(target.most)
        .isGreaterThanOrEqualTo(ParallelExport.PIECE)
        .isLessThanOrEqualTo(ParallelExport.IN_FLIGHT);
  }

  @ParameterizedTest
  @EnumSource
  void goesOnFromWhatReachedTheTarget(ExportFormat format) throws IOException {
    List<Run> runs = runs(new Random(20), 30, 2000);
    StringWriter whole = new StringWriter();
    ParallelExport first = new ParallelExport(format, whole, Resolution.MILLISECONDS, ROWS);
    write(first, runs);
    first.finish();

    StringWriter text = new StringWriter();
    long[] reached = new long[2];
    ParallelExport killed =
        new ParallelExport(
            format,
            text,
            Resolution.MILLISECONDS,
            ROWS,
            false,
            0,
            0,
            (last, time, written, leftOut) -> {
              reached[0] = written;
              reached[1] = leftOut;
            });
    write(killed, runs);
    assertThat(reached[0]).isPositive();

    ParallelExport rest =
        new ParallelExport(
            format,
            text,
            Resolution.MILLISECONDS,
            ROWS,
            true,
            reached[0],
            reached[1],
            ParallelExport.Checkpoints.NONE);
    long passed = 0;
    for (Run run : runs) {
      int from = Math.clamp(reached[0] - passed, 0, run.samples.size());
      rest.write(run.series, run.samples, from, run.samples.size());
      passed += run.samples.size();
    }
    rest.finish();
    assertThat(text.toString().equals(whole.toString())).isTrue();
    assertThat(rest.leftOut()).isEqualTo(first.leftOut());
  }

  @Test
  void endsWithTheErrorOfItsTarget() {
    Writer full =
        new Writer() {
          private int left = 3;

          @Override
          public void write(char[] text, int from, int length) throws IOException {
            if (left-- == 0) {
              throw new IOException("no space left");
            }
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    ParallelExport export =
        new ParallelExport(ExportFormat.csv, full, Resolution.MILLISECONDS, ROWS);
    assertThatThrownBy(
            () -> {
              write(export, runs(new Random(21), 100, 3000));
              export.finish();
            })
        .isInstanceOf(IOException.class)
        .hasMessage("no space left");
  }

  /** Texts that are larger than a piece. */
  @Test
  void writesLargeTextsOneByOne() throws IOException {
    Samples texts = new Samples(Kind.STRING);
    byte[] large = "\u0001".repeat(ParallelExport.IN_FLIGHT / 4).getBytes(StandardCharsets.UTF_8);
    for (int i = 0; i < 5; i++) {
      texts.add(i, large, 0, large.length, 0);
    }
    Watched target = new Watched();
    ParallelExport export =
        new ParallelExport(
            ExportFormat.csv, target, Resolution.SECONDS, ROWS, false, 0, 0, target::reached);
    target.watch(export);
    export.write(series("m", "h"), texts, 0, 5);
    export.finish();
    assertThat(target.pieces).isEqualTo(5);
    assertThat(target.text.toString().lines()).hasSize(6);
  }

  private static void write(ExportWriter writer, List<Run> runs) throws IOException {
    for (Run run : runs) {
      writer.write(run.series, run.samples, 0, run.samples.size());
    }
  }

  /** Returns runs of all kinds, of which neighbours may be of one series. */
  private static List<Run> runs(Random random, int count, int samplesMax) {
    List<Run> runs = new ArrayList<>();
    long time = 0;
    for (int i = 0; i < count; i++) {
      Kind kind = KINDS.get(random.nextInt(KINDS.size()));
      String text = TEXTS.get(random.nextInt(TEXTS.size()));
      Series series = series("m" + i / 3 + (i % 20 == 0 ? "\n" : "") + text, text + i / 2);
      Samples samples = new Samples(kind);
      int size = random.nextInt(4) == 0 ? 1 : 1 + random.nextInt(samplesMax);
      for (int k = 0; k < size; k++) {
        time += 1 + random.nextInt(2_000_000_000);
        switch (kind) {
          case DOUBLE -> samples.add(time, number(random), 0);
          case INT64 -> samples.add(time, random.nextLong(), 0);
          case STRING -> {
            byte[] utf8 = text.repeat(random.nextInt(4)).getBytes(StandardCharsets.UTF_8);
            samples.add(time, utf8, 0, utf8.length, 0);
          }
        }
      }
      runs.add(new Run(series, samples));
    }
    return runs;
  }

  private static double number(Random random) {
    return switch (random.nextInt(8)) {
      case 0 -> StaleMarker.VALUE;
      case 1 -> Double.NEGATIVE_INFINITY;
      case 2 -> -Double.MAX_VALUE;
      case 3 -> -Double.MIN_NORMAL;
      case 4 -> Double.longBitsToDouble(0xfff8_0000_0000_0001L);
      default -> random.nextGaussian();
    };
  }

  private static Series series(String metric, String host) {
    return new GroupKey(metric, Tags.of("host", host, "größe", "1"), Tags.of("site", host))
        .field("f");
  }

  /** Measures the pieces as they come. */
  private static final class Watched extends Writer {
    private final StringBuilder text = new StringBuilder();
    private LongSupplier inFlight = () -> 0;
    private long before;
    private long length;
    private long most;
    private long written;
    private int pieces;

    private void watch(ParallelExport of) {
      inFlight = of::inFlight;
    }

    /** A piece is no larger than its share of what is in flight. */
    void reached(Series last, long time, long all, long leftOut) {
      assertThat(length).isLessThanOrEqualTo(before - inFlight.getAsLong());
      length = 0;
      written = all;
      pieces++;
    }

    @Override
    public void write(char[] characters, int from, int count) {
      before = inFlight.getAsLong();
      most = Math.max(most, before);
      length = count;
      text.append(characters, from, count);
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }
}
