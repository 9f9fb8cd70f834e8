package dev.varve.formats.text;

import dev.varve.formats.json.Json;
import dev.varve.model.BatchBuilder;
import dev.varve.model.GroupKey;
import dev.varve.model.Resolution;
import dev.varve.model.Series;
import dev.varve.model.Tags;
import dev.varve.model.Value;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.json.JsonFactory;

/**
 * KairosDB's export lines: {@code
 * {"name":"m","tags":{"host":"a"},"datapoints":[[milliseconds,value,"type"],...]}}, the types
 * {@code long}, {@code double} and {@code string}. The other form that its API takes is read too:
 * {@code "timestamp"}, {@code "value"} and perhaps {@code "type"} in place of {@code "datapoints"},
 * or beside them. Without a type a number without a point or exponent is an int64, any other a
 * double, and a text a text. A number may be written as a text, and NaN and infinities have to be.
 * Other members are ignored.
 */
public final class KairosDbLines implements LineFormat {
  private static final JsonFactory JSON =
      Json.FACTORY.rebuild().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build();

  private final Resolution target;
  private final LeftOut leftOut;

  /**
   * Creates a reader.
   *
   * @param target resolution of the dataset
   * @param leftOut receives the points of a line that cannot be read; its other points are read
   */
  public KairosDbLines(Resolution target, LeftOut leftOut) {
    this.target = target;
    this.leftOut = leftOut;
  }

  private record Point(long time, Value value) {}

  @Override
  public void read(byte[] bytes, int from, int to, BatchBuilder into) {
    int start = Scan.skipBlanks(bytes, from, to);
    if (start == to) {
      return;
    }
    leftOut.clear();
    try (JsonParser json = JSON.createParser(ObjectReadContext.empty(), bytes, start, to - start)) {
      new LineReader(json).read(into);
    } catch (JacksonException e) {
      throw new BadLineException("not JSON: " + Scan.shown(e.getOriginalMessage()));
    }
  }

  /**
   * Reads a whole line before it adds anything, so that a bad line leaves nothing behind. A point
   * that cannot be read is skipped; any other error makes the line bad.
   */
  private final class LineReader {
    private final JsonParser json;
    private @Nullable String name;
    private Tags tags = Tags.EMPTY;
    private final List<Point> points = new ArrayList<>();

    /** Index of the current point in {@code datapoints}. */
    private int place;

    /** Time of the single point in the object itself. */
    private @Nullable Long timestamp;

    private @Nullable JsonToken kind;
    private String value = "";
    private @Nullable String type;

    private LineReader(JsonParser json) {
      this.json = json;
    }

    private void read(BatchBuilder into) {
      expect(JsonToken.START_OBJECT, "an export line is an object {\"name\":...}");
      while (json.nextToken() != JsonToken.END_OBJECT) {
        switch (json.currentName()) {
          case "name" -> {
            expect(JsonToken.VALUE_STRING, "'name' is a text");
            name = wellFormed(json.getString());
          }
          case "tags" -> tags = tags();
          case "datapoints" -> readPoints();
          case "timestamp", "time" -> timestamp = timestamp();
          case "value" -> {
            kind = json.nextToken();
            value = scalar("'value'");
          }
          case "type" -> {
            expect(JsonToken.VALUE_STRING, "'type' is a text (known: long, double, string)");
            type = json.getString();
          }
          default -> {
            json.nextToken();
            json.skipChildren();
          }
        }
      }
      if (json.nextToken() != null) {
        throw new BadLineException("something follows the object; a line holds one");
      }
      if (name == null || name.isEmpty()) {
        throw new BadLineException("'name' is missing");
      }
      addOwnPoint();
      if (points.isEmpty()) {
        throw new BadLineException(
            leftOut.count() > 0
                ? leftOut.summary()
                : "there is no point: expected 'datapoints', or 'timestamp' and 'value'");
      }
      GroupKey key = GroupKey.of(name, tags);
      for (Point point : points) {
        into.add(key, Series.DEFAULT_FIELD, point.time(), point.value());
      }
    }

    private long timestamp() {
      JsonToken token = json.nextToken();
      if (token != JsonToken.VALUE_NUMBER_INT && token != JsonToken.VALUE_STRING) {
        throw new BadLineException("'timestamp' is an integer in milliseconds");
      }
      return time(json.getString(), "'timestamp'");
    }

    private String scalar(String place) {
      if (json.currentToken() != JsonToken.VALUE_STRING && !json.currentToken().isNumeric()) {
        throw new BadLineException(place + " is a number or a text");
      }
      return json.getString();
    }

    private void addOwnPoint() {
      if ((timestamp == null) != (kind == null)) {
        throw new BadLineException("'timestamp' and 'value' stand together");
      }
      if (timestamp != null && kind != null) {
        points.add(new Point(timestamp, value(type == null ? typeOf(kind) : type, value)));
      }
    }

    private Tags tags() {
      expect(JsonToken.START_OBJECT, "'tags' is an object of names and texts");
      Map<String, String> read = new TreeMap<>();
      while (json.nextToken() != JsonToken.END_OBJECT) {
        String tag = wellFormed(json.currentName());
        JsonToken kind = json.nextToken();
        if (kind != JsonToken.VALUE_STRING && !kind.isNumeric()) {
          throw new BadLineException("tag '" + Scan.shown(tag) + "' is not a text");
        }
        read.put(tag, wellFormed(json.getString()));
      }
      return Tags.of(read);
    }

    private void readPoints() {
      expect(JsonToken.START_ARRAY, "'datapoints' is an array of [time, value, \"type\"]");
      int depth = json.streamReadContext().getNestingDepth();
      for (place = 0; json.nextToken() != JsonToken.END_ARRAY; place++) {
        try {
          points.add(point());
        } catch (BadLineException e) {
          leftOut.add(String.valueOf(e.getMessage()));
          while (json.streamReadContext().getNestingDepth() > depth) {
            json.nextToken();
          }
        }
      }
    }

    private Point point() {
      if (json.currentToken() != JsonToken.START_ARRAY) {
        throw bad("is not an array [time, value, \"type\"]");
      }
      if (json.nextToken() != JsonToken.VALUE_NUMBER_INT) {
        throw bad("has no time; it comes first, an integer in milliseconds");
      }
      long time = time(json.getString(), what());
      JsonToken kind = json.nextToken();
      if (kind != JsonToken.VALUE_STRING && !kind.isNumeric()) {
        throw bad("has no value; it comes second, a number or a text");
      }
      String value = json.getString();
      if (json.nextToken() == JsonToken.END_ARRAY) {
        return new Point(time, value(typeOf(kind), value));
      }
      if (json.currentToken() != JsonToken.VALUE_STRING) {
        throw bad("has a type that is not a text (known: long, double, string)");
      }
      String type = json.getString();
      if (json.nextToken() != JsonToken.END_ARRAY) {
        throw bad("has more than time, value and type");
      }
      return new Point(time, value(type, value));
    }

    private long time(String text, String place) {
      try {
        return Resolution.MILLISECONDS.convert(Scan.integer(text, place + ": time"), target);
      } catch (ArithmeticException e) {
        throw new BadLineException(
            place + " has a time, " + text + ", that is too large for " + target.symbol());
      }
    }

    private static String typeOf(JsonToken kind) {
      return switch (kind) {
        case VALUE_NUMBER_INT -> "long";
        case VALUE_NUMBER_FLOAT -> "double";
        default -> "string";
      };
    }

    private Value value(String type, String text) {
      return switch (type) {
        case "long" -> new Value.Int64(Scan.integer(text, what() + ": value"));
        case "double" -> new Value.Real(Scan.realOrSpecial(text, what() + ": value"));
        case "string" -> new Value.Text(wellFormed(text, what() + " has a text with"));
        default ->
            throw bad(
                "is of unknown type '" + Scan.shown(type) + "' (known: long, double, string)");
      };
    }

    /** Rejects unpaired surrogates, which JSON can express and no store can hold. */
    private static String wellFormed(String text) {
      return wellFormed(text, "a text has");
    }

    private static String wellFormed(String text, String place) {
      if (text.codePoints()
          .anyMatch(c -> c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE)) {
        throw new BadLineException(place + " an unpaired surrogate (\\ud800 to \\udfff)");
      }
      return text;
    }

    private String what() {
      return "data point " + place;
    }

    private BadLineException bad(String how) {
      return new BadLineException(what() + " " + how);
    }

    private void expect(JsonToken token, String otherwise) {
      if (json.nextToken() != token) {
        throw new BadLineException(otherwise);
      }
    }
  }
}
