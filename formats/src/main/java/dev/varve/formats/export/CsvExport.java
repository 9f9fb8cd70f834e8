package dev.varve.formats.export;

import dev.varve.formats.json.Json;
import dev.varve.formats.number.NanText;
import dev.varve.model.Resolution;
import dev.varve.model.Samples;
import dev.varve.model.Series;
import dev.varve.model.StaleMarker;
import dev.varve.model.Tags;
import java.io.IOException;
import java.io.Writer;
import org.jspecify.annotations.Nullable;

/**
 * CSV (RFC 4180) that holds everything: a line per sample with metric, tags and resource as JSON
 * objects, field, kind, time and value. The name of the time column contains its unit. {@link
 * CsvRows} reads it. A text value is JSON, so that it has no line break. Series whose metric or
 * field has one are left out, and a last line says how many samples they have.
 */
final class CsvExport implements ExportWriter {
  private final Writer out;
  private @Nullable Series series;
  private String head = "";
  private long leftOut;

  /**
   * @param goesOn whether the header is written already
   * @param leftOut samples that were left out before
   */
  CsvExport(Writer out, Resolution resolution, boolean goesOn, long leftOut) {
    this.out = goesOn ? out : new HeaderFirst(out, CsvRows.header(resolution));
    this.leftOut = leftOut;
  }

  @Override
  public void write(Series next, Samples samples, int from, int to) throws IOException {
    if (!next.equals(series)) {
      series = next;
      head =
          cell(next.metric())
              + ","
              + cell(tags(next.key().tags()))
              + ","
              + cell(tags(next.key().resource()))
              + ","
              + cell(next.field())
              + ",";
    }
    if (head.indexOf('\n') >= 0 || head.indexOf('\r') >= 0) {
      // Only the name of a metric or field: JSON escapes the rest.
      leftOut += to - from;
      return;
    }
    for (int i = from; i < to; i++) {
      out.write(head);
      switch (samples.kind()) {
        case DOUBLE -> out.write("double," + samples.time(i) + "," + number(samples.doubleAt(i)));
        case INT64 -> out.write("int64," + samples.time(i) + "," + samples.longAt(i));
        case STRING -> {
          String text = samples.textAt(i);
          out.write(
              "string," + samples.time(i) + "," + cell(Json.text(json -> json.writeString(text))));
        }
      }
      out.write('\n');
    }
  }

  private static String tags(Tags tags) {
    return tags.isEmpty() ? "" : Json.object(json -> tags.forEach(json::writeStringProperty));
  }

  private static String number(double value) {
    if (Double.isNaN(value)) {
      return StaleMarker.is(value) ? CsvRows.STALE : NanText.of(value);
    }
    return Double.toString(value);
  }

  private static String cell(String text) {
    return text.chars().anyMatch(c -> c == '"' || c == ',' || c == '\n' || c == '\r')
        ? '"' + text.replace("\"", "\"\"") + '"'
        : text;
  }

  @Override
  public void finish() throws IOException {
    if (leftOut > 0) {
      out.write(CsvRows.LEFT_OUT.formatted(leftOut));
      out.write('\n');
    }
    out.flush();
  }

  @Override
  public long leftOut() {
    return leftOut;
  }
}
