package dev.varve.server.kairosdb;

import dev.varve.server.http.HttpError;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The properties of an aggregator, a grouping or the query itself, read with KairosDB's messages.
 *
 * @param context path of the object, such as {@code query.metric[0].aggregators[1]}
 */
record Properties(Map<String, @Nullable Object> map, String context) {
  /** Returns a 400 in KairosDB's format: a path and a problem. */
  HttpError wrong(String place, String message) {
    return HttpError.badRequest((context.isEmpty() ? "" : context + ".") + place + " " + message);
  }

  @Nullable Object get(String name) {
    return map.get(name);
  }

  /**
   * Reads all properties except the name, in order.
   *
   * @param known types of the properties that the object has
   * @param name of the aggregator or grouping
   * @param type KairosDB's class, for messages
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

  /** The given properties, each of the Java type of its property. */
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

  /** A number of time units; 0 if missing. */
  record Length(long count, TimeUnit unit) {
    /**
     * Returns a time in ms since 1970 minus this length in UTC; the earliest time if no calendar
     * reaches that far.
     */
    long before(long time) {
      try {
        return Instant.ofEpochMilli(time)
            .atZone(ZoneOffset.UTC)
            .minus(count, unit.unit())
            .toInstant()
            .toEpochMilli();
      } catch (DateTimeException | ArithmeticException e) {
        return Long.MIN_VALUE;
      }
    }

    /** Returns the count, limited to what calendars accept. */
    int countable() {
      return (int) Math.min(count, Integer.MAX_VALUE);
    }
  }

  /** Returns an object; like KairosDB, answers 500 for anything else. */
  static Map<String, @Nullable Object> object(@Nullable Object value) {
    return object(value, "", 500);
  }

  /**
   * Returns an object; like KairosDB, answers a status and a prefixed message for anything else.
   */
  @SuppressWarnings("unchecked") // Built by JsonTree.
  static Map<String, @Nullable Object> object(@Nullable Object value, String prefix, int status) {
    if (value instanceof Map<?, ?> map) {
      return (Map<String, @Nullable Object>) map;
    }
    throw new HttpError(status, prefix + "Not a JSON Object: " + JsonTree.text(value));
  }

  /** Returns an array; like KairosDB, answers 500 for anything else. */
  @SuppressWarnings("unchecked") // Built by JsonTree.
  static List<@Nullable Object> array(@Nullable Object value) {
    if (value instanceof List<?> list) {
      return (List<@Nullable Object>) list;
    }
    throw new HttpError(500, "This is not a JSON Array.");
  }
}
