package dev.varve.server.varve;

import dev.varve.engine.progress.ConversionProgress;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/**
 * Writes the progress of a conversion as JSON, {@code
 * {"samples":9000,"again":0,"first":"2026-01-01T00:00:00Z","blocksFrom":"2026-02-01T00:00:00Z",
 * "done":false}}. {@code blocksFrom} is null once blocks answer for all times.
 */
public final class ConversionJson {
  private ConversionJson() {}

  /** Writes one line and flushes it. */
  static void writeLine(ConversionProgress progress, JsonGenerator json) {
    json.writeStartObject();
    json.writeNumberProperty("samples", progress.samples());
    json.writeNumberProperty("again", progress.again());
    write("first", progress.first(), json);
    write("blocksFrom", progress.blocksFrom(), json);
    json.writeBooleanProperty("done", progress.done());
    json.writeEndObject();
    json.writeRaw('\n');
    json.flush();
  }

  private static void write(String name, @Nullable Instant time, JsonGenerator json) {
    if (time == null) {
      json.writeNullProperty(name);
    } else {
      json.writeStringProperty(name, time.toString());
    }
  }
}
