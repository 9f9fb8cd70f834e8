package dev.varve.formats.points;

import dev.varve.formats.number.NanText;
import dev.varve.model.Attribute;
import dev.varve.model.GroupKey;
import dev.varve.model.Series;
import dev.varve.model.Tags;
import dev.varve.model.Value;
import java.util.Map;
import tools.jackson.core.JsonGenerator;

/** Writes points in the point form. {@link PointReader} reads equal points back. */
public final class PointWriter {
  private PointWriter() {}

  /** Writes one point as an object. */
  public static void write(Point point, JsonGenerator json) {
    json.writeStartObject();
    switch (point) {
      case Point.Sample sample -> write(sample, json);
      case Point.Described described -> write(described.attribute(), json);
    }
    json.writeEndObject();
  }

  private static void write(Point.Sample sample, JsonGenerator json) {
    writeKey(sample.key(), json);
    json.writeNumberProperty("time", sample.time());
    Value single = sample.fields().get(Series.DEFAULT_FIELD);
    if (sample.fields().size() == 1 && single != null) {
      json.writeName("value");
      write(single, json);
      return;
    }
    json.writeName("fields");
    json.writeStartObject();
    for (Map.Entry<String, Value> field : sample.fields().entrySet()) {
      json.writeName(field.getKey());
      write(field.getValue(), json);
    }
    json.writeEndObject();
  }

  private static void write(Attribute attribute, JsonGenerator json) {
    writeKey(attribute.key(), json);
    json.writeStringProperty("attribute", attribute.name());
    if (attribute.time() != null) {
      json.writeNumberProperty("time", attribute.time());
    }
    json.writeName("value");
    switch (attribute.value()) {
      case Value.Text(String text) -> json.writeString(text);
      case Value.Real(double number) when !Double.isFinite(number) ->
          // A plain string would be read as a string.
          wrap("double", special(number), json);
      case Value.Int64 v -> write(v, json);
      case Value.Real v -> write(v, json);
      case Value.Raw v -> write(v, json);
    }
  }

  private static void writeKey(GroupKey key, JsonGenerator json) {
    json.writeStringProperty("metric", key.metric());
    write("tags", key.tags(), json);
    if (!key.resource().isEmpty()) {
      write("resource", key.resource(), json);
    }
  }

  private static void write(String name, Tags tags, JsonGenerator json) {
    json.writeName(name);
    json.writeStartObject();
    tags.forEach(json::writeStringProperty);
    json.writeEndObject();
  }

  /**
   * Writes a value so that its kind is recognisable: doubles have a point or an exponent, or are
   * strings if JSON has no number for them.
   */
  public static void write(Value value, JsonGenerator json) {
    switch (value) {
      case Value.Int64(long number) -> json.writeNumber(number);
      case Value.Real(double number) -> {
        if (Double.isFinite(number)) {
          json.writeRawValue(Double.toString(number));
        } else {
          json.writeString(special(number));
        }
      }
      case Value.Text(String text) -> wrap("string", text, json);
      case Value.Raw raw -> wrap("hex", raw.value().hex(), json);
    }
  }

  private static String special(double value) {
    return Double.isNaN(value) ? NanText.of(value) : Double.toString(value);
  }

  private static void wrap(String name, String text, JsonGenerator json) {
    json.writeStartObject();
    json.writeStringProperty(name, text);
    json.writeEndObject();
  }
}
