package dev.varve.server.opentsdb;

import dev.varve.formats.json.Json;
import dev.varve.server.opentsdb.query.JsonBody;
import dev.varve.server.opentsdb.query.Tsuid;
import java.util.Collections;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/**
 * Notes about a name.
 *
 * @param created in seconds since 1970; 0 if unknown
 * @param custom null for none
 */
record UidMeta(
    String displayName,
    String description,
    String notes,
    long created,
    @Nullable SortedMap<String, @Nullable String> custom) {
  static final UidMeta NONE = new UidMeta("", "", "", 0, null);

  UidMeta {
    custom = custom == null ? null : Collections.unmodifiableSortedMap(custom);
  }

  /** Returns the notes of a posted or stored object. */
  static UidMeta of(JsonBody body) {
    return new UidMeta(
        text(body, "displayName"),
        text(body, "description"),
        text(body, "notes"),
        body.integer("created", 0),
        body.has("custom") ? new TreeMap<>(body.mapWithNulls("custom")) : null);
  }

  private static String text(JsonBody body, String name) {
    String text = body.text(name);
    return text == null ? "" : text;
  }

  boolean isEmpty() {
    return equals(NONE);
  }

  /**
   * Returns the notes to store when these are written over stored ones.
   *
   * @param overwrite whether members with default values here also replace stored ones
   */
  UidMeta mergedInto(UidMeta stored, boolean overwrite) {
    return overwrite
        ? this
        : new UidMeta(
            displayName.isEmpty() ? stored.displayName : displayName,
            description.isEmpty() ? stored.description : description,
            notes.isEmpty() ? stored.notes : notes,
            created == 0 ? stored.created : created,
            custom == null ? stored.custom : custom);
  }

  /** Returns the JSON that OpenTSDB stores, with the members in its order. */
  String toStoredJson(Tsuid.Kind kind) {
    return Json.object(json -> {
      json.writeStringProperty("type", kind.name());
      json.writeStringProperty("displayName", displayName);
      json.writeStringProperty("description", description);
      json.writeStringProperty("notes", notes);
      json.writeNumberProperty("created", created);
      writeCustom(json);
    });
  }

  private void writeCustom(JsonGenerator json) {
    Map<String, @Nullable String> members = custom;
    if (members == null) {
      json.writeNullProperty("custom");
      return;
    }
    json.writeObjectPropertyStart("custom");
    members.forEach(json::writeStringProperty);
    json.writeEndObject();
  }

  /** Writes it as answers show it, with the members in OpenTSDB's order of answers. */
  void write(String uid, Tsuid.Kind kind, String name, JsonGenerator json) {
    json.writeStartObject();
    json.writeStringProperty("uid", uid.toUpperCase(Locale.ROOT));
    json.writeStringProperty("type", kind.name());
    json.writeStringProperty("name", name);
    json.writeStringProperty("description", description);
    json.writeStringProperty("notes", notes);
    json.writeNumberProperty("created", created);
    writeCustom(json);
    json.writeStringProperty("displayName", displayName);
    json.writeEndObject();
  }
}
