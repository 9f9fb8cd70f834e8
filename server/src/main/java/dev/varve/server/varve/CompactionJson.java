package dev.varve.server.varve;

import dev.varve.engine.progress.CompactionProgress;
import tools.jackson.core.JsonGenerator;

/**
 * Writes the progress of a compaction as JSON, {@code
 * {"rows":9,"compacted":7,"written":7,"deleted":420,"damaged":0,"damages":[]}}.
 */
public final class CompactionJson {
  private CompactionJson() {}

  /** Writes one line and flushes it. */
  static void writeLine(CompactionProgress progress, JsonGenerator json) {
    json.writeStartObject();
    json.writeNumberProperty("rows", progress.rows());
    json.writeNumberProperty("compacted", progress.compacted());
    json.writeNumberProperty("written", progress.written());
    json.writeNumberProperty("deleted", progress.deleted());
    json.writeNumberProperty("damaged", progress.damaged());
    json.writeName("damages");
    json.writeStartArray();
    progress.damages().forEach(json::writeString);
    json.writeEndArray();
    json.writeEndObject();
    json.writeRaw('\n');
    json.flush();
  }
}
