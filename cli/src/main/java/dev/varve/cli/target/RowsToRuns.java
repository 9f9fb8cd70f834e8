package dev.varve.cli.target;

import dev.varve.formats.export.CsvRows.Row;
import dev.varve.formats.export.ExportWriter;
import dev.varve.model.Kind;
import dev.varve.model.Samples;
import dev.varve.model.Series;
import dev.varve.model.Value;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Gathers neighbouring rows of one series and kind, up to a number, and passes them on. */
final class RowsToRuns {
  private static final int SAMPLES_MAX = 4096;

  private final ExportWriter writer;
  private @Nullable Series series;
  private Samples samples = new Samples(Kind.DOUBLE);

  RowsToRuns(ExportWriter writer) {
    this.writer = writer;
  }

  void add(Row row) throws IOException {
    Kind kind = kind(row.value());
    Series last = series;
    if (last == null
        || !last.key().equals(row.key())
        || !last.field().equals(row.field())
        || samples.kind() != kind
        || samples.size() == SAMPLES_MAX) {
      flush();
      series = row.key().field(row.field());
      samples = new Samples(kind);
    }
    switch (row.value()) {
      case Value.Real(double value) -> samples.add(row.time(), value, 0);
      case Value.Int64(long value) -> samples.add(row.time(), value, 0);
      case Value.Text(String value) -> {
        byte[] utf8 = value.getBytes(StandardCharsets.UTF_8);
        samples.add(row.time(), utf8, 0, utf8.length, 0);
      }
      case Value.Raw _ -> throw new IllegalArgumentException("exports have no raw values");
    }
  }

  private static Kind kind(Value value) {
    return switch (value) {
      case Value.Real _ -> Kind.DOUBLE;
      case Value.Int64 _ -> Kind.INT64;
      case Value.Text _ -> Kind.STRING;
      case Value.Raw _ -> throw new IllegalArgumentException("exports have no raw values");
    };
  }

  /** Passes on what is gathered. */
  void flush() throws IOException {
    Series last = series;
    if (last != null && !samples.isEmpty()) {
      writer.write(last, samples, 0, samples.size());
    }
    series = null;
  }
}
