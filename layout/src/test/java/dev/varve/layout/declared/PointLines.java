package dev.varve.layout.declared;

import dev.varve.layout.RowSamples;
import dev.varve.model.Attribute;
import dev.varve.model.Batch;
import dev.varve.model.BatchBuilder;
import dev.varve.model.GroupKey;
import dev.varve.model.Samples;
import dev.varve.model.Series;
import dev.varve.model.Tags;
import dev.varve.model.Value;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/** The point form, one point a line, as far as pages and examples use it. */
final class PointLines {
  private static final JsonFactory JSON = new JsonFactory();

  private PointLines() {}

  static Batch read(List<String> lines) {
    BatchBuilder batch = new BatchBuilder();
    lines.forEach(line -> read(line, batch));
    return batch.build();
  }

  static void read(String line, BatchBuilder batch) {
    Map<String, Object> point = object(line);
    GroupKey key =
        new GroupKey(
            (String) point.getOrDefault("metric", ""),
            tags(point, "tags"),
            tags(point, "resource"));
    Long time = (Long) point.get("time");
    if (point.get("attribute") instanceof String name) {
      batch.add(new Attribute(key, name, time, new Value.Text(text(point, "value"))));
      return;
    }
    if (time == null) {
      throw new AssertionError("no time: " + line);
    }
    Map<String, Object> fields = new LinkedHashMap<>();
    if (point.get("fields") instanceof Map<?, ?> many) {
      many.forEach((name, value) -> fields.put((String) name, value));
    } else {
      fields.put(Series.DEFAULT_FIELD, point.get("value"));
    }
    fields.forEach((name, value) -> batch.add(key, name, time, value(value)));
  }

  private static Value value(Object value) {
    return switch (value) {
      case Long number -> new Value.Int64(number);
      case Double number -> new Value.Real(number);
      case Map<?, ?> text -> new Value.Text(text(text, "string"));
      default -> throw new AssertionError("no value: " + value);
    };
  }

  private static String text(Map<?, ?> object, String name) {
    if (object.get(name) instanceof String text) {
      return text;
    }
    throw new AssertionError("no text " + name + " in " + object);
  }

  private static Tags tags(Map<String, Object> point, String name) {
    Map<String, String> tags = new TreeMap<>();
    if (point.get(name) instanceof Map<?, ?> map) {
      map.forEach((key, value) -> tags.put((String) key, (String) value));
    }
    return Tags.of(tags);
  }

  private static Map<String, Object> object(String line) {
    try (JsonParser json = JSON.createParser(ObjectReadContext.empty(), line)) {
      json.nextToken();
      return object(json);
    }
  }

  private static Map<String, Object> object(JsonParser json) {
    Map<String, Object> members = new LinkedHashMap<>();
    while (json.nextToken() != JsonToken.END_OBJECT) {
      String name = json.currentName();
      switch (json.nextToken()) {
        case VALUE_STRING -> members.put(name, json.getString());
        case VALUE_NUMBER_INT -> members.put(name, json.getLongValue());
        case VALUE_NUMBER_FLOAT -> members.put(name, json.getDoubleValue());
        case START_OBJECT -> members.put(name, object(json));
        default -> throw new AssertionError("what is " + name + "?");
      }
    }
    return members;
  }

  /** The points of a row, each with all fields that were accepted with it. */
  static List<String> write(GroupKey key, RowSamples row) {
    record Place(long time, long stamp) {}
    Map<Place, Map<String, Value>> places = new LinkedHashMap<>();
    for (RowSamples.Vector vector : row.vectors()) {
      Samples samples = vector.samples();
      for (int i = 0; i < samples.size(); i++) {
        places
            .computeIfAbsent(new Place(samples.time(i), samples.stamp(i)), place -> new TreeMap<>())
            .put(vector.field(), samples.value(i));
      }
    }
    List<String> lines = new ArrayList<>();
    places.forEach((place, fields) -> lines.add(write(key, place.time(), fields)));
    for (RowSamples.Found found : row.attributes()) {
      lines.add(write(key, found));
    }
    return lines;
  }

  private static String write(GroupKey key, RowSamples.Found found) {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = start(key, text)) {
      json.writeStringProperty("attribute", found.name());
      time(found.time(), json);
      json.writeStringProperty("value", ((Value.Text) found.value()).value());
      json.writeEndObject();
    }
    return text.toString();
  }

  private static String write(GroupKey key, long time, Map<String, Value> fields) {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = start(key, text)) {
      time(time, json);
      Value single = fields.get(Series.DEFAULT_FIELD);
      if (fields.size() == 1 && single != null) {
        json.writeName("value");
        write(single, json);
      } else {
        json.writeName("fields");
        json.writeStartObject();
        fields.forEach((name, value) -> {
          json.writeName(name);
          write(value, json);
        });
        json.writeEndObject();
      }
      json.writeEndObject();
    }
    return text.toString();
  }

  private static JsonGenerator start(GroupKey key, StringWriter text) {
    JsonGenerator json = JSON.createGenerator(ObjectWriteContext.empty(), text);
    json.writeStartObject();
    json.writeStringProperty("metric", key.metric());
    tags("tags", key.tags(), json);
    if (!key.resource().isEmpty()) {
      tags("resource", key.resource(), json);
    }
    return json;
  }

  private static void tags(String name, Tags tags, JsonGenerator json) {
    json.writeName(name);
    json.writeStartObject();
    tags.forEach(json::writeStringProperty);
    json.writeEndObject();
  }

  private static void time(@Nullable Long time, JsonGenerator json) {
    if (time != null) {
      json.writeNumberProperty("time", time);
    }
  }

  private static void write(Value value, JsonGenerator json) {
    switch (value) {
      case Value.Int64(long number) -> json.writeNumber(number);
      case Value.Real(double number) -> json.writeNumber(number);
      case Value.Text(String text) -> {
        json.writeStartObject();
        json.writeStringProperty("string", text);
        json.writeEndObject();
      }
      case Value.Raw raw -> throw new AssertionError("raw bytes are no sample");
    }
  }
}
