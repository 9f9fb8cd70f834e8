package dev.varve.server.varve;

import dev.varve.engine.check.AffectedSeries;
import dev.varve.engine.check.CheckFinding;
import dev.varve.engine.check.CheckProgress;
import java.util.Locale;
import tools.jackson.core.JsonGenerator;

/**
 * Writes a check as lines of JSON: a finding {@code {"severity":"damage","place":"store
 * rocksdb","text":"...","affectedSeries":1,"affected":[{"dataset":"d","series":"m{}","from":"...",
 * "to":"..."}]}} as soon as it is found, progress {@code
 * {"doing":"...","bytes":9,"rows":9,"cells":9,"damages":0}} from time to time, and a final line of
 * progress with {@code "done":true}.
 */
public final class CheckJson {
  private CheckJson() {}

  /** Writes a finding. */
  public static void write(CheckFinding finding, JsonGenerator json) {
    json.writeStartObject();
    json.writeStringProperty("severity", finding.severity().name().toLowerCase(Locale.ROOT));
    json.writeStringProperty("place", finding.place());
    json.writeStringProperty("text", finding.text());
    json.writeNumberProperty("affectedSeries", finding.affectedSeries());
    json.writeArrayPropertyStart("affected");
    for (AffectedSeries series : finding.affected()) {
      json.writeStartObject();
      json.writeStringProperty("dataset", series.dataset());
      json.writeStringProperty("series", series.series());
      json.writeStringProperty("from", series.from().toString());
      json.writeStringProperty("to", series.to().toString());
      json.writeEndObject();
    }
    json.writeEndArray();
    json.writeEndObject();
  }

  /**
   * Writes the progress of a check.
   *
   * @param done whether the check is complete
   */
  public static void write(CheckProgress progress, boolean done, JsonGenerator json) {
    json.writeStartObject();
    json.writeBooleanProperty("done", done);
    json.writeStringProperty("doing", progress.doing());
    json.writeNumberProperty("bytes", progress.bytes());
    json.writeNumberProperty("rows", progress.rows());
    json.writeNumberProperty("cells", progress.cells());
    json.writeNumberProperty("damages", progress.damages());
    json.writeEndObject();
  }
}
