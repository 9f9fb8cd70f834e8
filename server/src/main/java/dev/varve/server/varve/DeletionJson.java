package dev.varve.server.varve;

import dev.varve.engine.progress.DeleteCount;
import dev.varve.engine.progress.Deletion;
import dev.varve.engine.progress.DeletionProgress;
import dev.varve.engine.progress.Remnant;
import java.util.Locale;
import tools.jackson.core.JsonGenerator;

/**
 * Writes deletes as JSON: {@code {"series":3,"samples":90}} for a dry run, otherwise {@code
 * {"id":1,"from":0,"to":9,"state":"removing","rows":9,"samples":7,"cells":7,"rewritten":0,"damaged":0,"series":0}}
 * and {@code problem} while the removal waits for a store; and what still holds deleted samples as
 * {@code {"kind":"snapshot","name":"N","made":"2026-11-28T00:00:00Z","advice":"..."}}, for stores
 * with {@code gone} or {@code earliest} in place of {@code made}.
 */
final class DeletionJson {
  private DeletionJson() {}

  static void write(DeleteCount count, JsonGenerator json) {
    json.writeStartObject();
    json.writeNumberProperty("series", count.series());
    json.writeNumberProperty("samples", count.samples());
    json.writeEndObject();
  }

  static void write(Deletion deletion, JsonGenerator json) {
    DeletionProgress progress = deletion.progress();
    json.writeStartObject();
    json.writeNumberProperty("id", deletion.id());
    json.writeNumberProperty("from", deletion.times().from());
    json.writeNumberProperty("to", deletion.times().to());
    json.writeStringProperty("state", progress.state().name().toLowerCase(Locale.ROOT));
    json.writeNumberProperty("rows", progress.rows());
    json.writeNumberProperty("samples", progress.samples());
    json.writeNumberProperty("cells", progress.cells());
    json.writeNumberProperty("rewritten", progress.rewritten());
    json.writeNumberProperty("damaged", progress.damaged());
    json.writeNumberProperty("series", progress.series());
    if (progress.problem() != null) {
      json.writeStringProperty("problem", progress.problem());
    }
    json.writeEndObject();
  }

  static void write(Remnant remnant, JsonGenerator json) {
    json.writeStartObject();
    json.writeStringProperty("kind", remnant.kind().word());
    json.writeStringProperty("name", remnant.name());
    if (remnant.made() != null) {
      json.writeStringProperty("made", remnant.made().toString());
    }
    if (remnant.from() != null) {
      json.writeStringProperty(remnant.certain() ? "gone" : "earliest", remnant.from().toString());
    }
    json.writeStringProperty("advice", remnant.advice());
    json.writeEndObject();
  }
}
