package dev.varve.formats.points;

import dev.varve.formats.json.Json;
import dev.varve.formats.number.NanText;
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
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.TokenStreamFactory;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.core.json.JsonFactory;

/**
 * Reads lines of the point form.
 *
 * <p>A value is an integer (int64), a number with a point or exponent (double), {@code "NaN"},
 * {@code "Infinity"} or {@code "-Infinity"} (double), or {@code {"string":"..."}}. A NaN with other
 * bits than the usual one is a {@link NanText}. The value of an attribute is a string, a number,
 * {@code {"double":"NaN"}} for a double that JSON lacks, or {@code {"hex":"..."}} for raw bytes; an
 * attribute may have a {@code time}.
 *
 * <p>Every error has the column where reading stopped, counted from 1.
 */
public final class PointReader {
  private static final String VALUE_FORMS =
      "a number, \"NaN\", \"Infinity\", \"-Infinity\" or {\"string\":\"...\"}";
  private static final String ATTRIBUTE_FORMS =
      "a text, a number, {\"double\":\"NaN\"} or {\"hex\":\"...\"}";

  private static final JsonFactory JSON =
      Json.FACTORY
          .rebuild()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          // A table of names would keep the names of all clients.
          .disable(TokenStreamFactory.Feature.CANONICALIZE_PROPERTY_NAMES)
          .build();

  private PointReader() {}

  /**
   * Reads one line.
   *
   * @throws PointFormatException if it is not in the point form
   */
  public static Point read(String line) {
    try (JsonParser json = JSON.createParser(ObjectReadContext.empty(), line)) {
      Point point = new Members(json).read();
      if (json.nextToken() != null) {
        throw bad(json, "something follows the object; a line holds one");
      }
      return point;
    } catch (JacksonException e) {
      TokenStreamLocation where = e.getLocation();
      throw new PointFormatException(
          (where == null ? "" : "column " + where.getColumnNr() + ": ") + e.getOriginalMessage());
    }
  }

  private static PointFormatException bad(JsonParser json, String what) {
    return new PointFormatException(
        "column " + json.currentTokenLocation().getColumnNr() + ": " + what);
  }

  /** The members of one object, in any order. */
  private static final class Members {
    private final JsonParser json;
    private @Nullable String metric;
    private Tags tags = Tags.EMPTY;
    private Tags resource = Tags.EMPTY;
    private @Nullable Long time;
    private @Nullable Value value;
    private boolean plainText;
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
      return attribute == null ? sample() : described(attribute);
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
        case "value" -> {
          plainText = token == JsonToken.VALUE_STRING;
          value = plainText ? new Value.Text(wellFormed(json.getString())) : value(token);
        }
        default ->
            throw bad(
                json,
                "unknown member '"
                    + name
                    + "' (known: metric, tags, resource, time, value, fields, attribute)");
      }
    }

    private Map<String, Value> fields(JsonToken start) {
      expect(start, JsonToken.START_OBJECT, "'fields' is an object of names and values");
      Map<String, Value> read = new LinkedHashMap<>();
      while (json.nextToken() != JsonToken.END_OBJECT) {
        String field = wellFormed(json.currentName());
        JsonToken token = json.nextToken();
        Value plain = token == JsonToken.VALUE_STRING ? special(json.getString()) : value(token);
        read.put(field, sampled(plain, "field '" + field + "'"));
      }
      if (read.isEmpty()) {
        throw bad(json, "'fields' is empty; a point has at least one");
      }
      return read;
    }

    private Value value(JsonToken token) {
      return switch (token) {
        case VALUE_NUMBER_INT -> new Value.Int64(json.getLongValue());
        case VALUE_NUMBER_FLOAT -> real();
        case START_OBJECT -> wrapped();
        default ->
            throw bad(json, "a value is " + (attribute == null ? VALUE_FORMS : ATTRIBUTE_FORMS));
      };
    }

    private Value real() {
      double number = Double.parseDouble(json.getString());
      if (Double.isInfinite(number)) {
        throw bad(json, json.getString() + " is too large for a double; the largest is 1.8e308");
      }
      return new Value.Real(number);
    }

    private Value wrapped() {
      boolean named = json.nextToken() == JsonToken.PROPERTY_NAME;
      String name = named ? json.currentName() : "";
      Value wrapped =
          switch (name) {
            case "string" -> new Value.Text(text(json.nextToken(), "string"));
            case "hex" -> new Value.Raw(hex(text(json.nextToken(), "hex")));
            case "double" -> {
              Value special = special(text(json.nextToken(), "double"));
              if (special == null) {
                throw bad(json, "'double' is \"NaN\", \"Infinity\" or \"-Infinity\"");
              }
              yield special;
            }
            default ->
                throw bad(
                    json,
                    "an object is {\"string\":\"...\"}, {\"hex\":\"...\"} or {\"double\":\"NaN\"}");
          };
      expect(json.nextToken(), JsonToken.END_OBJECT, "an object that is a value has one member");
      return wrapped;
    }

    private Bytes hex(String digits) {
      try {
        return Bytes.fromHex(digits);
      } catch (IllegalArgumentException e) {
        throw bad(json, "'hex' is an even number of hexadecimal digits");
      }
    }

    private Tags tags(JsonToken start, String name) {
      expect(start, JsonToken.START_OBJECT, "'" + name + "' is an object of names and texts");
      Map<String, String> read = new TreeMap<>();
      while (json.nextToken() != JsonToken.END_OBJECT) {
        String tag = wellFormed(json.currentName());
        read.put(tag, text(json.nextToken(), tag));
      }
      return Tags.of(read);
    }

    private String text(JsonToken token, String name) {
      expect(token, JsonToken.VALUE_STRING, "'" + name + "' is a text");
      return wellFormed(json.getString());
    }

    /** Rejects unpaired surrogates, which JSON can express and no store can hold. */
    private String wellFormed(String text) {
      if (text.codePoints()
          .anyMatch(c -> c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE)) {
        throw bad(json, "the text has an unpaired surrogate (\\ud800 to \\udfff)");
      }
      return text;
    }

    private void expect(@Nullable JsonToken token, JsonToken expected, String otherwise) {
      if (token != expected) {
        throw bad(json, otherwise);
      }
    }

    private Point sample() {
      if (time == null) {
        throw missing("'time'");
      }
      if (fields == null) {
        Value plain = value instanceof Value.Text(String text) && plainText ? special(text) : value;
        if (value == null) {
          throw missing("'value' or 'fields'");
        }
        return new Point.Sample(
            key(), time, Map.of(Series.DEFAULT_FIELD, sampled(plain, "'value'")));
      }
      if (value != null) {
        throw bad(json, "the point has both 'value' and 'fields'; it has one of them");
      }
      return new Point.Sample(key(), time, fields);
    }

    private Point described(String name) {
      if (fields != null) {
        throw bad(json, "the attribute '" + name + "' has 'fields'; it has a 'value'");
      }
      if (value == null) {
        throw missing("'value' of the attribute");
      }
      return new Point.Described(new Attribute(key(), name, time, value));
    }

    private GroupKey key() {
      if (metric == null) {
        throw missing("'metric'");
      }
      return new GroupKey(metric, tags, resource);
    }

    private PointFormatException missing(String member) {
      return bad(json, "the point ends without " + member);
    }

    /** Returns the double named by a text, such as NaN; null if it names none. */
    private static @Nullable Value special(String text) {
      return switch (text) {
        case "NaN" -> new Value.Real(Double.NaN);
        case "Infinity" -> new Value.Real(Double.POSITIVE_INFINITY);
        case "-Infinity" -> new Value.Real(Double.NEGATIVE_INFINITY);
        default -> {
          Double nan = NanText.withBits(text);
          yield nan == null ? null : new Value.Real(nan);
        }
      };
    }

    private Value sampled(@Nullable Value read, String what) {
      if (read == null || read instanceof Value.Raw) {
        throw bad(json, what + " is " + VALUE_FORMS);
      }
      return read;
    }
  }
}
