package dev.varve.formats.export;

import dev.varve.model.Resolution;
import java.io.Writer;

/** The formats of exports. */
public enum ExportFormat {
  /** VictoriaMetrics' JSON lines. */
  json("application/stream+json"),
  /** One sample a line, with everything that a dataset knows of it. */
  csv("text/csv; charset=utf-8"),
  /** OpenMetrics 1.0 text. */
  openmetrics("application/openmetrics-text; version=1.0.0; charset=utf-8");

  private final String contentType;

  ExportFormat(String contentType) {
    this.contentType = contentType;
  }

  public String contentType() {
    return contentType;
  }

  /** Returns the text before the first sample; empty for none. */
  String header(Resolution resolution) {
    return this == csv ? CsvRows.header(resolution) + "\n" : "";
  }

  /**
   * Creates a writer.
   *
   * @param resolution the unit of the samples' times
   * @param rows maximum samples of a line, for JSON lines; at least 1
   */
  public ExportWriter to(Writer out, Resolution resolution, int rows) {
    return to(out, resolution, rows, false, 0);
  }

  /**
   * Creates a writer that may go on with what another has written.
   *
   * @param goesOn whether something is written already
   * @param leftOut samples that were left out before
   */
  public ExportWriter to(
      Writer out, Resolution resolution, int rows, boolean goesOn, long leftOut) {
    return switch (this) {
      case json -> new JsonExport(out, resolution, rows, leftOut);
      case csv -> new CsvExport(out, resolution, goesOn, leftOut);
      case openmetrics -> new OpenMetricsExport(out, resolution, leftOut);
    };
  }
}
