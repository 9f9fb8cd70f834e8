package dev.varve.server.text;

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
import tools.jackson.core.json.JsonFactory;

/**
 * KairosDB's export lines: {@code
 * {"name":"m","tags":{"host":"a"},"datapoints":[[milliseconds,value,"type"],...]}}, the types
 * {@code long}, {@code double} and {@code string}. Without a type a number without a point or
 * exponent is an int64, any other a double, and a text a text.
 */
public final class KairosDbLines implements LineFormat {
  private static final JsonFactory JSON = new JsonFactory();

  private final Resolution target;

  /** Prepares to read, for a dataset of a resolution. */
  public KairosDbLines(Resolution target) {
    this.target = target;
  }

  private record Point(long time, Value value) {}

  @Override
  public void read(byte[] bytes, int from, int to, BatchBuilder into) {
    int start = Scan.skipBlanks(bytes, from, to);
    if (start == to) {
      return;
    }
    try (JsonParser json = JSON.createParser(ObjectReadContext.empty(), bytes, start, to - start)) {
      new LineReader(json).read(into);
    } catch (JacksonException e) {
      throw new BadLineException("not JSON: " + e.getOriginalMessage());
    }
  }

  private final class LineReader {
    private final JsonParser json;
    private @Nullable String name;
    private Tags tags = Tags.EMPTY;
    private final List<Point> points = new ArrayList<>();

    private LineReader(JsonParser json) {
      this.json = json;
    }

    private void read(BatchBuilder into) {
      expect(JsonToken.START_OBJECT, "an export line is an object {\"name\":...}");
      while (json.nextToken() != JsonToken.END_OBJECT) {
        switch (json.currentName()) {
          case "name" -> name = text("name");
          case "tags" -> tags = tags();
          case "datapoints" -> readPoints();
          default -> {
            json.nextToken();
            json.skipChildren();
          }
        }
      }
      if (name == null || name.isEmpty()) {
        throw new BadLineException("'name' is missing");
      }
      GroupKey key = GroupKey.of(name, tags);
      for (Point point : points) {
        into.add(key, Series.DEFAULT_FIELD, point.time(), point.value());
      }
    }

    private Tags tags() {
      expect(JsonToken.START_OBJECT, "'tags' is an object");
      Map<String, String> read = new TreeMap<>();
      while (json.nextToken() != JsonToken.END_OBJECT) {
        String tag = json.currentName();
        read.put(tag, text(tag));
      }
      return Tags.of(read);
    }

    private void readPoints() {
      expect(JsonToken.START_ARRAY, "'datapoints' is an array of [time, value, \"type\"]");
      while (json.nextToken() != JsonToken.END_ARRAY) {
        if (json.currentToken() != JsonToken.START_ARRAY) {
          throw new BadLineException(
              "data point " + points.size() + " is not an array [time, value, \"type\"]");
        }
        expect(
            JsonToken.VALUE_NUMBER_INT,
            "the time of data point " + points.size() + " is an integer");
        long time = Resolution.MILLISECONDS.convert(json.getLongValue(), target);
        JsonToken kind = json.nextToken();
        String value = kind.isScalarValue() ? json.getString() : "";
        String type = json.nextToken() == JsonToken.END_ARRAY ? untyped(kind) : endOfPoint();
        points.add(new Point(time, value(type, value)));
      }
    }

    private String endOfPoint() {
      String type = json.getString();
      expect(
          JsonToken.END_ARRAY,
          "data point " + points.size() + " has more than time, value and type");
      return type;
    }

    private static String untyped(JsonToken kind) {
      return switch (kind) {
        case VALUE_NUMBER_INT -> "long";
        case VALUE_NUMBER_FLOAT -> "double";
        default -> "string";
      };
    }

    private Value value(String type, String text) {
      try {
        return switch (type) {
          case "long" -> new Value.Int64(Long.parseLong(text));
          case "double" -> new Value.Real(Double.parseDouble(text));
          case "string" -> new Value.Text(text);
          default ->
              throw new BadLineException(
                  "data point "
                      + points.size()
                      + ": unknown type '"
                      + type
                      + "' (known: long, double, string)");
        };
      } catch (NumberFormatException e) {
        throw new BadLineException(
            "data point " + points.size() + ": '" + text + "' is no " + type);
      }
    }

    private String text(String what) {
      if (json.nextToken() == null || !json.currentToken().isScalarValue()) {
        throw new BadLineException("'" + what + "' is not a text");
      }
      return json.getString();
    }

    private void expect(JsonToken token, String otherwise) {
      if (json.nextToken() != token) {
        throw new BadLineException(otherwise);
      }
    }
  }
}
