package dev.varve.formats.export;

import dev.varve.formats.json.Json;
import dev.varve.model.Kind;
import dev.varve.model.Resolution;
import dev.varve.model.Samples;
import dev.varve.model.Series;
import java.io.IOException;
import java.io.Writer;
import org.jspecify.annotations.Nullable;

/**
 * VictoriaMetrics' JSON lines: {@code {"metric":{"__name__":"m"},"values":[1],"timestamps":[0]}}
 * with times in ms. As there, a NaN is null, and an infinity a string. Texts are left out. Source:
 * the page on {@code /api/v1/export} in VictoriaMetrics' documentation.
 */
final class JsonExport implements ExportWriter {
  private final Writer out;
  private final Resolution resolution;
  private final int rows;
  private @Nullable Series series;
  private String head = "";
  private long leftOut;

  JsonExport(Writer out, Resolution resolution, int rows, long leftOut) {
    this.leftOut = leftOut;
    this.out = out;
    this.resolution = resolution;
    this.rows = rows;
  }

  @Override
  public void write(Series next, Samples samples, int from, int to) throws IOException {
    if (samples.kind() == Kind.STRING) {
      leftOut += to - from;
      return;
    }
    if (!next.equals(series)) {
      series = next;
      head = head(next);
    }
    for (int at = from; at < to; at += rows) {
      line(samples, at, Math.min(to, at + rows));
    }
  }

  private static String head(Series series) {
    String labels =
        Json.object(json -> {
          json.writeStringProperty(Series.NAME_LABEL, series.metric());
          series.labels().forEach(json::writeStringProperty);
        });
    return "{\"metric\":" + labels + ",\"values\":[";
  }

  private void line(Samples samples, int from, int to) throws IOException {
    out.write(head);
    for (int i = from; i < to; i++) {
      out.write(i == from ? "" : ",");
      out.write(
          samples.kind() == Kind.INT64
              ? Long.toString(samples.longAt(i))
              : number(samples.doubleAt(i)));
    }
    out.write("],\"timestamps\":[");
    for (int i = from; i < to; i++) {
      out.write(i == from ? "" : ",");
      out.write(Long.toString(resolution.convert(samples.time(i), Resolution.MILLISECONDS)));
    }
    out.write("]}\n");
  }

  private static String number(double value) {
    if (Double.isNaN(value)) {
      return "null";
    }
    return Double.isInfinite(value)
        ? (value > 0 ? "\"Infinity\"" : "\"-Infinity\"")
        : NumberText.of(value);
  }

  @Override
  public void finish() throws IOException {
    out.flush();
  }

  @Override
  public long leftOut() {
    return leftOut;
  }
}
