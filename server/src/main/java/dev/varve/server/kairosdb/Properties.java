package dev.varve.server.kairosdb;

import dev.varve.server.http.HttpError;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The properties of an aggregator or a grouping, or of the query itself, read with the messages of
 * the original.
 *
 * @param context where they stand, such as {@code query.metric[0].aggregators[1]}
 */
record Properties(Map<String, @Nullable Object> map, String context) {
  /** A bad request in the original's words: a place and what is wrong there. */
  HttpError wrong(String place, String message) {
    return HttpError.badRequest((context.isEmpty() ? "" : context + ".") + place + " " + message);
  }

  @Nullable Object get(String name) {
    return map.get(name);
  }

  /**
   * Reads all properties but the name, in their order.
   *
   * @param known the properties that the object has
   * @param name of the aggregator or the grouping
   * @param type its class, for messages
   */
  Settings settings(Map<String, PropertyType> known, String name, String type) {
    Map<String, Object> settings = new HashMap<>();
    map.forEach((property, json) -> {
      if (property.equals("name")) {
        return;
      }
      PropertyType propertyType = known.get(property);
      if (propertyType == null) {
        throw HttpError.badRequest(
            "Property '%s' was specified for object '%s' but no matching setter was found on 'class org.kairosdb.core.%s'"
                .formatted(property, name, type));
      }
      Object value;
      try {
        value = propertyType.read(json, this, property);
      } catch (NumberFormatException e) {
        throw wrong(property, String.valueOf(e.getMessage()));
      }
      if (value == null) {
        throw new HttpError(500, "cannot validate null");
      }
      settings.put(property, value);
    });
    return new Settings(settings);
  }

  /** The values of the properties that were given, each of the Java type of its property. */
  record Settings(Map<String, Object> values) {
    @Nullable Object get(String name) {
      return values.get(name);
    }

    boolean truth(String name, boolean otherwise) {
      return values.get(name) instanceof Boolean truth ? truth : otherwise;
    }

    double real(String name, double otherwise) {
      return values.get(name) instanceof Double real ? real : otherwise;
    }

    long whole(String name, long otherwise) {
      return values.get(name) instanceof Number whole ? whole.longValue() : otherwise;
    }

    @Nullable Length length(String name) {
      return (Length) values.get(name);
    }

    @Nullable String constant(String name) {
      return (String) values.get(name);
    }
  }

  /** So many units of time; no count is 0. */
  record Length(long count, TimeUnit unit) {
    /** The count, or the most that calendars take. */
    int countable() {
      return (int) Math.min(count, Integer.MAX_VALUE);
    }
  }

  /** An object, where KairosDB refuses anything else with a 500. */
  static Map<String, @Nullable Object> object(@Nullable Object value) {
    return object(value, "", 500);
  }

  /** An object, where KairosDB refuses anything else with a status, after a prefix. */
  @SuppressWarnings("unchecked") // A tree that JsonTree has made.
  static Map<String, @Nullable Object> object(@Nullable Object value, String prefix, int status) {
    if (value instanceof Map<?, ?> map) {
      return (Map<String, @Nullable Object>) map;
    }
    throw new HttpError(status, prefix + "Not a JSON Object: " + JsonTree.text(value));
  }

  /** An array, where KairosDB refuses anything else with a 500. */
  @SuppressWarnings("unchecked") // A tree that JsonTree has made.
  static List<@Nullable Object> array(@Nullable Object value) {
    if (value instanceof List<?> list) {
      return (List<@Nullable Object>) list;
    }
    throw new HttpError(500, "This is not a JSON Array.");
  }
}
