package dev.varve.server.opentsdb.annotation;

import dev.varve.formats.json.Json;
import dev.varve.server.opentsdb.query.JsonBody;
import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/**
 * An annotation. Times are in seconds or milliseconds since 1970, in the unit that the client sent.
 *
 * @param tsuid the series, in hexadecimal digits; empty for all series
 * @param startTime at least 1 once it is stored
 * @param endTime 0 for none
 * @param description null if a client sent null
 * @param notes null if a client sent null
 * @param custom null for none
 */
record Annotation(
    String tsuid,
    long startTime,
    long endTime,
    @Nullable String description,
    @Nullable String notes,
    @Nullable SortedMap<String, @Nullable String> custom) {
  /** The latest time that OpenTSDB takes for seconds. */
  private static final long SECONDS_MAX = 0xFFFF_FFFFL;

  Annotation {
    custom = custom == null ? null : Collections.unmodifiableSortedMap(custom);
  }

  /**
   * Returns an annotation that was posted or stored.
   *
   * @throws dev.varve.server.opentsdb.query.OpenTsdbError 400 if a member has a wrong type
   */
  static Annotation of(JsonBody body) {
    return new Annotation(
        orEmpty(body.text("tsuid")),
        body.integer("startTime", 0),
        body.integer("endTime", 0),
        text(body, "description"),
        text(body, "notes"),
        body.has("custom") ? new TreeMap<>(body.mapWithNulls("custom")) : null);
  }

  private static String orEmpty(@Nullable String text) {
    return text == null ? "" : text;
  }

  /** Returns null for a JSON null, and the empty string for a missing member. */
  private static @Nullable String text(JsonBody body, String name) {
    return body.names().contains(name) ? body.text(name) : "";
  }

  /** Returns whether it has no content besides its series and its start. */
  boolean isEmpty() {
    return endTime == 0 && "".equals(description) && "".equals(notes) && custom == null;
  }

  /** Returns the same annotation of a series with another TSUID. */
  Annotation of(String other) {
    return new Annotation(other, startTime, endTime, description, notes, custom);
  }

  /**
   * Returns the annotation to store when this one is written over one of the same instant.
   *
   * @param overwrite whether members with default values here also replace stored ones
   */
  Annotation mergedInto(Annotation stored, boolean overwrite) {
    return new Annotation(
        tsuid,
        Math.min(startTime, stored.startTime),
        overwrite || endTime != 0 ? endTime : stored.endTime,
        overwrite || !"".equals(description) ? description : stored.description,
        overwrite || !"".equals(notes) ? notes : stored.notes,
        overwrite || custom != null ? custom : stored.custom);
  }

  /** Returns the start in milliseconds since 1970. */
  long startMillis() {
    return millis(startTime);
  }

  static long millis(long time) {
    return time > SECONDS_MAX ? time : 1000 * time;
  }

  /** Returns the JSON that OpenTSDB stores, with the members in its order. */
  String toStoredJson() {
    return Json.object(json -> {
      if (!tsuid.isEmpty()) {
        json.writeStringProperty("tsuid", tsuid);
      }
      json.writeNumberProperty("startTime", startTime);
      json.writeNumberProperty("endTime", endTime);
      nullable("description", description, json);
      nullable("notes", notes, json);
      SortedMap<String, @Nullable String> members = custom;
      if (members == null) {
        json.writeNullProperty("custom");
      } else {
        object(members, json);
      }
    });
  }

  private static void nullable(String name, @Nullable String text, JsonGenerator json) {
    if (text == null) {
      json.writeNullProperty(name);
    } else {
      json.writeStringProperty(name, text);
    }
  }

  private static void object(Map<String, @Nullable String> members, JsonGenerator json) {
    json.writeObjectPropertyStart("custom");
    members.forEach(json::writeStringProperty);
    json.writeEndObject();
  }

  /** Writes it as answers show it, in OpenTSDB's order of answers and without what is null. */
  void write(JsonGenerator json) {
    json.writeStartObject();
    json.writeStringProperty("tsuid", tsuid);
    if (description != null) {
      json.writeStringProperty("description", description);
    }
    if (notes != null) {
      json.writeStringProperty("notes", notes);
    }
    if (custom != null) {
      object(custom, json);
    }
    json.writeNumberProperty("startTime", startTime);
    json.writeNumberProperty("endTime", endTime);
    json.writeEndObject();
  }
}
