package dev.varve.server.opentsdb;

import dev.varve.server.http.HeldPart;
import dev.varve.server.http.WriteBudget.Reservation;
import dev.varve.server.opentsdb.DataPoint.Counted;
import dev.varve.server.opentsdb.DataPoint.RolledUp;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.exc.StreamReadException;

/**
 * Reads a body of points, one point or an array of points, one point at a time. Types are coerced
 * as in OpenTSDB: numbers and booleans are accepted as texts, and numbers in strings as numbers.
 * Unknown members are ignored.
 */
final class DataPointReader {
  /** Memory of a tag without its texts, in the map and in the key, in bytes. */
  private static final int TAG_BYTES = 240;

  /** Memory of a bucket without its bounds, here and in the histogram, in bytes. */
  private static final int BUCKET_BYTES = 300;

  /** Memory of a text, and of each of its characters including the key, in bytes. */
  private static final int TEXT_BYTES = 56;

  private static final int TEXT_PER_CHARACTER = 5;

  private final JsonParser json;
  private final PointForm.Kind kind;

  /** Memory of the current point's texts. */
  private final HeldPart ofPoint;

  /**
   * @param memory accounts for one point at a time
   * @param kind the kind of the points, which determines their members
   */
  DataPointReader(JsonParser json, Reservation memory, PointForm.Kind kind) {
    this.json = json;
    this.kind = kind;
    this.ofPoint = new HeldPart(memory);
  }

  /**
   * Passes every point to a consumer; null for a null in the array.
   *
   * @param first the first token, the start of an object or an array
   * @throws tools.jackson.core.JacksonException if the body is not valid JSON or has another
   *     structure
   */
  void read(JsonToken first, Consumer<@Nullable DataPoint> points) {
    if (first == JsonToken.START_OBJECT) {
      take(points);
      return;
    }
    for (JsonToken token = json.nextToken();
        token != JsonToken.END_ARRAY;
        token = json.nextToken()) {
      switch (token) {
        case START_OBJECT -> take(points);
        case VALUE_NULL -> points.accept(null);
        default -> throw wrong("a data point is an object");
      }
    }
  }

  private void take(Consumer<@Nullable DataPoint> points) {
    points.accept(point());
    ofPoint.letGo();
  }

  private DataPoint point() {
    String metric = null;
    long timestamp = 0;
    String value = null;
    Map<String, @Nullable String> tags = null;
    RolledUp rolledUp = kind == PointForm.Kind.ROLLUP ? RolledUp.NONE : null;
    Counted counted = kind == PointForm.Kind.HISTOGRAM ? Counted.NONE : null;
    while (json.nextToken() != JsonToken.END_OBJECT) {
      String name = json.currentName();
      JsonToken token = json.nextToken();
      switch (name) {
        case "metric" -> metric = text(token, name);
        case "timestamp" -> timestamp = integer(token);
        case "value" -> value = text(token, name);
        case "tags" -> tags = tags(token);
        default -> {
          if (rolledUp != null && RolledUp.MEMBERS.contains(name)) {
            rolledUp = rolledUp.with(name, text(token, name));
          } else if (counted != null) {
            counted = counted(counted, name, token);
          } else {
            json.skipChildren();
          }
        }
      }
    }
    return new DataPoint(metric, timestamp, value, tags, rolledUp, counted);
  }

  private Counted counted(Counted before, String name, JsonToken token) {
    return switch (name) {
      case "id" ->
          new Counted(
              (int) integer(token), before.buckets(), before.underflow(), before.overflow());
      case "buckets" ->
          new Counted(before.id(), buckets(token), before.underflow(), before.overflow());
      case "underflow" ->
          new Counted(before.id(), before.buckets(), integer(token), before.overflow());
      case "overflow" ->
          new Counted(before.id(), before.buckets(), before.underflow(), integer(token));
      default -> {
        json.skipChildren();
        yield before;
      }
    };
  }

  private @Nullable Map<String, @Nullable Long> buckets(JsonToken start) {
    if (start == JsonToken.VALUE_NULL) {
      return null;
    }
    if (start != JsonToken.START_OBJECT) {
      throw wrong("'buckets' is an object of bounds and counts");
    }
    Map<String, @Nullable Long> buckets = new LinkedHashMap<>();
    while (json.nextToken() != JsonToken.END_OBJECT) {
      String bounds = kept(json.currentName());
      ofPoint.hold(BUCKET_BYTES);
      JsonToken count = json.nextToken();
      buckets.put(bounds, count == JsonToken.VALUE_NULL ? null : (Long) integer(count));
    }
    return buckets;
  }

  private @Nullable Map<String, @Nullable String> tags(JsonToken start) {
    if (start == JsonToken.VALUE_NULL) {
      return null;
    }
    if (start != JsonToken.START_OBJECT) {
      throw wrong("'tags' is an object of names and texts");
    }
    Map<String, @Nullable String> tags = new LinkedHashMap<>();
    while (json.nextToken() != JsonToken.END_OBJECT) {
      String name = json.currentName();
      ofPoint.hold(TAG_BYTES);
      tags.put(name, text(json.nextToken(), name));
    }
    return tags;
  }

  private @Nullable String text(JsonToken token, String name) {
    return switch (token) {
      case VALUE_STRING, VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT, VALUE_TRUE, VALUE_FALSE ->
          kept(json.getString());
      case VALUE_NULL -> null;
      default -> throw wrong("'" + name + "' is a text or a number");
    };
  }

  private String kept(String text) {
    ofPoint.hold(TEXT_BYTES + (long) TEXT_PER_CHARACTER * text.length());
    return text;
  }

  private long integer(JsonToken token) {
    return switch (token) {
      case VALUE_NUMBER_INT -> json.getLongValue();
      case VALUE_NUMBER_FLOAT -> (long) json.getDoubleValue();
      case VALUE_NULL -> 0;
      case VALUE_STRING -> integer(json.getString().strip());
      default -> throw wrong("'timestamp' is an integer");
    };
  }

  private long integer(String text) {
    try {
      return text.isEmpty() ? 0 : Long.parseLong(text);
    } catch (NumberFormatException e) {
      throw wrong("'timestamp' is an integer");
    }
  }

  private StreamReadException wrong(String message) {
    return new StreamReadException(json, message, json.currentTokenLocation());
  }
}
