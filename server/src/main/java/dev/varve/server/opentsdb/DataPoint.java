package dev.varve.server.opentsdb;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/**
 * A point as received by {@code /api/put}, before validation.
 *
 * @param timestamp 0 if missing
 * @param value the text of a number or string
 * @param tags null if missing; a value may be null
 */
record DataPoint(
    @Nullable String metric,
    long timestamp,
    @Nullable String value,
    @Nullable Map<String, @Nullable String> tags) {
  /** Returns the number of characters of all texts. */
  long characters() {
    long count = length(metric) + length(value);
    if (tags != null) {
      for (Map.Entry<String, @Nullable String> tag : tags.entrySet()) {
        count += tag.getKey().length() + length(tag.getValue());
      }
    }
    return count;
  }

  private static long length(@Nullable String text) {
    return text == null ? 0 : text.length();
  }

  /** Writes the members that are present, as OpenTSDB does. */
  void write(JsonGenerator json) {
    json.writeStartObject();
    if (metric != null) {
      json.writeStringProperty("metric", metric);
    }
    json.writeNumberProperty("timestamp", timestamp);
    if (value != null) {
      json.writeStringProperty("value", value);
    }
    if (tags != null) {
      json.writeName("tags");
      json.writeStartObject();
      tags.forEach((name, text) -> {
        json.writeName(name);
        if (text == null) {
          json.writeNull();
        } else {
          json.writeString(text);
        }
      });
      json.writeEndObject();
    }
    json.writeEndObject();
  }
}
