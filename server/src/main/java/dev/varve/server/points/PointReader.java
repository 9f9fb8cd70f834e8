package dev.varve.server.points;

import dev.varve.model.Attribute;
import dev.varve.model.Bytes;
import dev.varve.model.GroupKey;
import dev.varve.model.Series;
import dev.varve.model.Tags;
import dev.varve.model.Value;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

/**
 * Reads lines of the point form.
 *
 * <p>A value is an integer (int64), a number with point or exponent (double), {@code "NaN"}, {@code
 * "Infinity"} or {@code "-Infinity"} (double), or {@code {"string":"..."}}. An attribute's value is
 * a text, a number, or {@code {"hex":"..."}} for raw bytes; it may have a {@code time}.
 */
public final class PointReader {
  private static final JsonFactory JSON = new JsonFactory();

  private PointReader() {}

  /**
   * Reads one line.
   *
   * @throws PointFormatException if it is not of the form
   */
  public static Point read(String line) {
    try (JsonParser json = JSON.createParser(ObjectReadContext.empty(), line)) {
      Point point = new Members(json).read();
      if (json.nextToken() != null) {
        throw new PointFormatException(
            "column " + column(json) + ": something follows the object; a line holds one");
      }
      return point;
    } catch (JacksonException e) {
      throw new PointFormatException(
          "column " + e.getLocation().getColumnNr() + ": " + e.getOriginalMessage());
    }
  }

  private static int column(JsonParser json) {
    return json.currentTokenLocation().getColumnNr();
  }

  /** The members of one object, gathered in any order. */
  private static final class Members {
    private final JsonParser json;
    private @Nullable String metric;
    private Tags tags = Tags.EMPTY;
    private Tags resource = Tags.EMPTY;
    private @Nullable Long time;
    private @Nullable Value value;
    private @Nullable String plainText;
    private @Nullable Map<String, Value> fields;
    private @Nullable String attribute;

    private Members(JsonParser json) {
      this.json = json;
    }

    private Point read() {
      expect(json.nextToken(), JsonToken.START_OBJECT, "a point is an object {\"metric\":...}");
      while (json.nextToken() != JsonToken.END_OBJECT) {
        member(json.currentName());
      }
      return point();
    }

    private void member(String name) {
      JsonToken token = json.nextToken();
      switch (name) {
        case "metric" -> metric = text(token, name);
        case "tags" -> tags = tags(token, name);
        case "resource" -> resource = tags(token, name);
        case "time" -> {
          expect(token, JsonToken.VALUE_NUMBER_INT, "'time' is an integer");
          time = json.getLongValue();
        }
        case "attribute" -> attribute = text(token, name);
        case "fields" -> fields = fields(token);
        case "value" -> value(token);
        default ->
            throw new PointFormatException(
                "column "
                    + column(json)
                    + ": unknown member '"
                    + name
                    + "' (known: metric, tags, resource, time, value, fields, attribute)");
      }
    }

    private void value(JsonToken token) {
      if (token == JsonToken.VALUE_STRING) {
        plainText = json.getString();
        value =
            switch (plainText) {
              case "NaN" -> new Value.Real(Double.NaN);
              case "Infinity" -> new Value.Real(Double.POSITIVE_INFINITY);
              case "-Infinity" -> new Value.Real(Double.NEGATIVE_INFINITY);
              default -> null;
            };
      } else {
        value = number(token);
      }
    }

    private Map<String, Value> fields(JsonToken start) {
      expect(start, JsonToken.START_OBJECT, "'fields' is an object of names and values");
      Map<String, Value> read = new LinkedHashMap<>();
      while (json.nextToken() != JsonToken.END_OBJECT) {
        String field = json.currentName();
        plainText = null;
        value(json.nextToken());
        if (value == null) {
          throw noSample("field '" + field + "'");
        }
        if (value instanceof Value.Raw) {
          throw new PointFormatException(
              "field '" + field + "': 'hex' is for attributes; a sample is a number or a text");
        }
        if (read.put(field, value) != null) {
          throw new PointFormatException(
              "column " + column(json) + ": field '" + field + "' comes twice");
        }
        value = null;
      }
      plainText = null;
      return read;
    }

    private Value number(JsonToken token) {
      return switch (token) {
        case VALUE_NUMBER_INT -> new Value.Int64(json.getLongValue());
        case VALUE_NUMBER_FLOAT -> new Value.Real(Double.parseDouble(json.getString()));
        case START_OBJECT -> wrapped();
        default ->
            throw new PointFormatException(
                "column "
                    + column(json)
                    + ": a value is a number, \"NaN\", \"Infinity\", \"-Infinity\" or {\"string\":\"...\"}");
      };
    }

    private Value wrapped() {
      json.nextToken();
      String name = json.currentName();
      Value wrapped =
          switch (name == null ? "" : name) {
            case "string" -> new Value.Text(text(json.nextToken(), "string"));
            case "hex" -> new Value.Raw(hex(text(json.nextToken(), "hex")));
            default ->
                throw new PointFormatException(
                    "column "
                        + column(json)
                        + ": expected {\"string\":\"...\"} or {\"hex\":\"...\"}");
          };
      expect(json.nextToken(), JsonToken.END_OBJECT, "a wrapped value has one member");
      return wrapped;
    }

    private Bytes hex(String digits) {
      try {
        return Bytes.fromHex(digits);
      } catch (IllegalArgumentException e) {
        throw new PointFormatException(
            "column " + column(json) + ": 'hex' is an even number of hexadecimal digits");
      }
    }

    private Tags tags(JsonToken start, String name) {
      expect(start, JsonToken.START_OBJECT, "'" + name + "' is an object of names and texts");
      Map<String, String> read = new TreeMap<>();
      while (json.nextToken() != JsonToken.END_OBJECT) {
        String tag = json.currentName();
        if (read.put(tag, text(json.nextToken(), tag)) != null) {
          throw new PointFormatException(
              "column " + column(json) + ": '" + tag + "' comes twice in '" + name + "'");
        }
      }
      return Tags.of(read);
    }

    private String text(JsonToken token, String name) {
      expect(token, JsonToken.VALUE_STRING, "'" + name + "' is a text");
      return json.getString();
    }

    private void expect(@Nullable JsonToken token, JsonToken expected, String otherwise) {
      if (token != expected) {
        throw new PointFormatException("column " + column(json) + ": " + otherwise);
      }
    }

    private static PointFormatException noSample(String what) {
      return new PointFormatException(
          what
              + ": a text is written {\"string\":\"...\"}; a plain one may be NaN, Infinity or -Infinity");
    }

    private Point point() {
      if (metric == null) {
        throw new PointFormatException("member 'metric' is missing");
      }
      GroupKey key = new GroupKey(metric, tags, resource);
      if (attribute != null) {
        return new Point.Described(new Attribute(key, attribute, time, attributeValue()));
      }
      if (time == null) {
        throw new PointFormatException("member 'time' is missing");
      }
      if (fields != null) {
        if (value != null || plainText != null || fields.isEmpty()) {
          throw new PointFormatException("a point has either 'value' or at least one of 'fields'");
        }
        return new Point.Sample(key, time, fields);
      }
      if (plainText != null && value == null) {
        throw noSample("'value'");
      }
      if (value == null) {
        throw new PointFormatException("member 'value' (or 'fields') is missing");
      }
      if (value instanceof Value.Raw) {
        throw new PointFormatException("'hex' is for attributes; a sample is a number or a text");
      }
      return new Point.Sample(key, time, Map.of(Series.DEFAULT_FIELD, value));
    }

    private Value attributeValue() {
      if (plainText != null) {
        return new Value.Text(plainText);
      }
      if (value == null) {
        throw new PointFormatException("member 'value' of the attribute is missing");
      }
      return value;
    }
  }
}
