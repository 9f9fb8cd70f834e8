package dev.varve.server.kairosdb;

import dev.varve.server.http.HttpError;
import java.math.BigDecimal;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The properties of an aggregator or a grouping, or of the query itself, read with the messages of
 * the original.
 *
 * @param context where they stand, such as {@code query.metric[0].aggregators[1]}
 */
record Properties(Map<String, @Nullable Object> map, String context) {
  /** Sign, digits and zeros behind a point of any number that is meant. */
  private static final int WHOLE_MAX = 100;

  /** A bad request in the original's words: a place and what is wrong there. */
  HttpError wrong(String place, String message) {
    return HttpError.badRequest((context.isEmpty() ? "" : context + ".") + place + " " + message);
  }

  /** Refuses a property that the object does not have. */
  void only(Set<String> known, String name, String type) {
    for (String property : map.keySet()) {
      if (!property.equals("name") && !known.contains(property)) {
        throw HttpError.badRequest(
            "Property '%s' was specified for object '%s' but no matching setter was found on 'class org.kairosdb.core.%s'"
                .formatted(property, name, type));
      }
    }
  }

  boolean has(String name) {
    return map.get(name) != null;
  }

  @Nullable Object get(String name) {
    return map.get(name);
  }

  @Nullable String text(String name) {
    return text(map.get(name));
  }

  /** A scalar as the text it would be in JSON; null of a null. */
  static @Nullable String text(@Nullable Object value) {
    return switch (value) {
      case null -> null;
      case String text -> text;
      case JsonTree.Numeral number -> number.text();
      case Boolean truth -> truth.toString();
      default -> throw new HttpError(500, "expected a single value, not an object or an array");
    };
  }

  boolean truth(String name, boolean otherwise) {
    String text = text(name);
    return text == null ? otherwise : text.toLowerCase(Locale.ROOT).equals("true");
  }

  double real(String name, double otherwise) {
    String text = text(name);
    if (text == null) {
      return otherwise;
    }
    try {
      return Double.parseDouble(text);
    } catch (NumberFormatException e) {
      throw wrong(name, "For input string: \"" + text + "\"");
    }
  }

  long whole(String name, long otherwise) {
    String text = text(name);
    if (text == null) {
      return otherwise;
    }
    try {
      return whole(text);
    } catch (ArithmeticException | NumberFormatException e) {
      throw wrong(name, "For input string: \"" + text + "\"");
    }
  }

  /** A whole number that may be written with zeros behind a point. */
  static long whole(String text) {
    if (text.length() > WHOLE_MAX) {
      // To read a number of a million digits takes minutes.
      throw new NumberFormatException(text.substring(0, WHOLE_MAX) + "...");
    }
    return new BigDecimal(text).longValueExact();
  }

  /** A value and a unit; null where there is none. */
  @Nullable Length length(String name) {
    if (!map.containsKey(name)) {
      return null;
    }
    Object value = map.get(name);
    if (value == null) {
      throw new HttpError(500, "cannot validate null");
    }
    Properties inner = new Properties(object(value), context + "." + name);
    String unit = inner.text("unit");
    long count = inner.whole("value", 0);
    if (count < 0) {
      throw inner.wrong("value", "must be greater than or equal to 0");
    }
    if (unit == null) {
      throw inner.wrong("unit", "may not be null");
    }
    return new Length(Math.toIntExact(Math.min(count, Integer.MAX_VALUE)), unit(unit));
  }

  TimeUnit unit(String text) {
    TimeUnit unit = TimeUnit.find(text);
    if (unit == null) {
      throw wrong(text, "is not a valid time unit, must be one of " + TimeUnit.NAMES);
    }
    return unit;
  }

  /** So many units of time. */
  record Length(int count, TimeUnit unit) {}

  @SuppressWarnings("unchecked") // A tree that JsonTree has made.
  static Map<String, @Nullable Object> object(@Nullable Object value) {
    if (value instanceof Map<?, ?> map) {
      return (Map<String, @Nullable Object>) map;
    }
    throw new HttpError(500, "Not a JSON Object: " + text(value));
  }

  @SuppressWarnings("unchecked") // A tree that JsonTree has made.
  static List<@Nullable Object> array(@Nullable Object value) {
    if (value instanceof List<?> list) {
      return (List<@Nullable Object>) list;
    }
    throw new HttpError(500, "Not a JSON Array: " + text(value));
  }
}
