package dev.varve.server.opentsdb;

import dev.varve.formats.json.Json;
import dev.varve.server.opentsdb.query.JsonBody;
import dev.varve.server.opentsdb.query.OpenTsdbError;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/**
 * Notes about a series.
 *
 * @param created in seconds since 1970; 0 if unknown
 * @param custom null for none
 * @param retention in days; 0 for no end
 * @param max the largest value that is expected; NaN if unknown
 * @param min the smallest value that is expected; NaN if unknown
 */
record TsMeta(
    String displayName,
    String description,
    String notes,
    long created,
    @Nullable SortedMap<String, @Nullable String> custom,
    String units,
    String dataType,
    long retention,
    double max,
    double min) {
  static final TsMeta NONE = new TsMeta("", "", "", 0, null, "", "", 0, Double.NaN, Double.NaN);

  TsMeta {
    custom = custom == null ? null : Collections.unmodifiableSortedMap(custom);
  }

  /** Returns the notes of a posted or stored object. */
  static TsMeta of(JsonBody body) {
    return new TsMeta(
        text(body, "displayName"),
        text(body, "description"),
        text(body, "notes"),
        body.integer("created", 0),
        body.has("custom") ? new TreeMap<>(body.mapWithNulls("custom")) : null,
        text(body, "units"),
        text(body, "dataType"),
        body.integer("retention", 0),
        number(body.text("max"), "max"),
        number(body.text("min"), "min"));
  }

  private static String text(JsonBody body, String name) {
    String text = body.text(name);
    return text == null ? "" : text;
  }

  /** Reads a number; NaN if it is missing. */
  static double number(@Nullable String text, String name) {
    try {
      return text == null || text.isEmpty() ? Double.NaN : Double.parseDouble(text);
    } catch (NumberFormatException e) {
      throw new OpenTsdbError(400, "Unable to parse '%s' value".formatted(name));
    }
  }

  /** Returns whether nothing is noted but, perhaps, when it was created, as in OpenTSDB. */
  boolean isEmpty() {
    return new TsMeta(
            displayName, description, notes, 0, custom, units, dataType, retention, max, min)
        .equals(NONE);
  }

  /**
   * Returns the notes to store when these are written over stored ones.
   *
   * @param overwrite whether members with default values here also replace stored ones
   */
  TsMeta mergedInto(TsMeta stored, boolean overwrite) {
    long first =
        stored.created > 0 && (stored.created < created || created == 0) ? stored.created : created;
    return overwrite
        ? new TsMeta(
            displayName, description, notes, first, custom, units, dataType, retention, max, min)
        : new TsMeta(
            displayName.isEmpty() ? stored.displayName : displayName,
            description.isEmpty() ? stored.description : description,
            notes.isEmpty() ? stored.notes : notes,
            first,
            custom == null ? stored.custom : custom,
            units.isEmpty() ? stored.units : units,
            dataType.isEmpty() ? stored.dataType : dataType,
            retention == 0 ? stored.retention : retention,
            Double.isNaN(max) ? stored.max : max,
            Double.isNaN(min) ? stored.min : min);
  }

  /** Returns the JSON that OpenTSDB stores, with the members in its order. */
  String toStoredJson(String tsuid) {
    return Json.object(json -> {
      json.writeStringProperty("tsuid", tsuid);
      json.writeStringProperty("displayName", displayName);
      json.writeStringProperty("description", description);
      json.writeStringProperty("notes", notes);
      json.writeNumberProperty("created", created);
      writeCustom(json, true);
      writeRest(json);
    });
  }

  private void writeRest(JsonGenerator json) {
    json.writeStringProperty("units", units);
    json.writeStringProperty("dataType", dataType);
    json.writeNumberProperty("retention", retention);
    json.writeNumberProperty("max", max);
    json.writeNumberProperty("min", min);
  }

  private void writeCustom(JsonGenerator json, boolean evenNone) {
    if (custom != null) {
      json.writeObjectPropertyStart("custom");
      custom.forEach(json::writeStringProperty);
      json.writeEndObject();
    } else if (evenNone) {
      json.writeNullProperty("custom");
    }
  }

  /**
   * Writes the members as answers show them, in OpenTSDB's order of answers. Points are not
   * counted, so their number and the time of the last are 0.
   */
  void write(JsonGenerator json) {
    json.writeStringProperty("displayName", displayName);
    json.writeStringProperty("description", description);
    json.writeStringProperty("notes", notes);
    json.writeNumberProperty("created", created);
    writeCustom(json, false);
    writeRest(json);
    json.writeNumberProperty("lastReceived", 0);
    json.writeNumberProperty("totalDatapoints", 0);
  }
}
