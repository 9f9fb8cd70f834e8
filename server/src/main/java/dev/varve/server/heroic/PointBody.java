package dev.varve.server.heroic;

import dev.varve.server.heroic.error.HeroicError;
import dev.varve.server.http.HeldPart;
import dev.varve.server.http.WriteBudget.Reservation;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/**
 * The {@code data} of one write: points in columns, or distributions. Its type may follow its
 * values, so both are read by their form.
 */
final class PointBody {
  private static final int DISTRIBUTION_BYTES = 100;

  private final HeldPart held;
  private final String path;
  private @Nullable String type;
  private int size;
  private long[] times = new long[0];
  private double[] values = new double[0];
  private final List<Distribution> distributions = new ArrayList<>();

  /** A distribution as its sender encoded it. */
  record Distribution(long time, byte[] bytes) {}

  /**
   * Creates an empty body.
   *
   * @param path of the data in the request
   */
  PointBody(Reservation memory, String path) {
    this.held = new HeldPart(memory);
    this.path = path;
  }

  int size() {
    return size;
  }

  long time(int index) {
    return times[index];
  }

  double value(int index) {
    return values[index];
  }

  List<Distribution> distributions() {
    return distributions;
  }

  /** Releases the memory. */
  void letGo() {
    held.letGo();
  }

  /** Reads the object at the current token. */
  void read(JsonParser json) {
    expect(json, JsonToken.START_OBJECT, "an object of type and data", path);
    while (json.nextToken() != JsonToken.END_OBJECT) {
      String name = json.currentName();
      JsonToken token = json.nextToken();
      switch (name) {
        case "type" -> {
          expect(json, JsonToken.VALUE_STRING, "a string", path + ".type");
          type = json.getString();
        }
        case "data" -> {
          if (token != JsonToken.VALUE_NULL) {
            expect(json, JsonToken.START_ARRAY, "an array", path + ".data");
            while (json.nextToken() != JsonToken.END_ARRAY) {
              element(json);
            }
          }
        }
        default -> json.skipChildren();
      }
    }
    check();
  }

  private void check() {
    if (type == null) {
      throw HeroicError.json("'type' is missing", path + ".type");
    }
    boolean fits =
        switch (type) {
          case "points" -> distributions.isEmpty();
          case "distributionPoints" -> size == 0;
          default ->
              throw HeroicError.json(
                  "data of type '%s' cannot be written; there are points and distributionPoints"
                      .formatted(type),
                  path + ".type");
        };
    if (!fits) {
      throw HeroicError.json(
          type.equals("points")
              ? "points are written [time, value]"
              : "distributions are written {\"timestamp\": time, \"value\": base64}",
          path + ".data");
    }
  }

  private String place() {
    return "%s.data[%d]".formatted(path, size + distributions.size());
  }

  private void element(JsonParser json) {
    if (json.currentToken() == JsonToken.START_OBJECT) {
      distribution(json);
      return;
    }
    expect(json, JsonToken.START_ARRAY, "[time, value]", place());
    json.nextToken();
    long time = time(json, place() + "[0]");
    if (!json.nextToken().isNumeric()) {
      throw HeroicError.json("expected a number, found " + found(json), place() + "[1]");
    }
    double value = json.getDoubleValue();
    if (!Double.isFinite(value)) {
      throw HeroicError.json("the number is too large for a double", place() + "[1]");
    }
    if (json.nextToken() != JsonToken.END_ARRAY) {
      throw HeroicError.json("a point has a time and a value, no more", place());
    }
    if (size == times.length) {
      int length = Math.max(16, 2 * size);
      held.hold(16L * (length - size));
      times = Arrays.copyOf(times, length);
      values = Arrays.copyOf(values, length);
    }
    times[size] = time;
    values[size++] = value;
  }

  private static long time(JsonParser json, String place) {
    if (json.currentToken() == JsonToken.VALUE_NUMBER_INT) {
      return switch (json.getNumberType()) {
        case INT, LONG -> json.getLongValue();
        default -> throw HeroicError.json("the time does not fit into 64 bits", place);
      };
    }
    throw HeroicError.json("expected a whole number of ms, found " + found(json), place);
  }

  private void distribution(JsonParser json) {
    String place = place();
    Long time = null;
    byte[] bytes = null;
    while (json.nextToken() != JsonToken.END_OBJECT) {
      String name = json.currentName();
      json.nextToken();
      switch (name) {
        case "timestamp" -> time = time(json, place + ".timestamp");
        case "value" -> {
          expect(json, JsonToken.VALUE_STRING, "a string in base64", place + ".value");
          String text = json.getString();
          held.hold(DISTRIBUTION_BYTES + text.length());
          try {
            bytes = Base64.getDecoder().decode(text);
          } catch (IllegalArgumentException e) {
            throw HeroicError.json("not base64: " + e.getMessage(), place + ".value");
          }
        }
        default -> json.skipChildren();
      }
    }
    if (time == null || bytes == null) {
      throw HeroicError.json(
          "'%s' is missing".formatted(time == null ? "timestamp" : "value"), place);
    }
    distributions.add(new Distribution(time, bytes));
  }

  private static void expect(JsonParser json, JsonToken wanted, String what, String place) {
    if (json.currentToken() != wanted) {
      throw HeroicError.json("expected %s, found %s".formatted(what, found(json)), place);
    }
  }

  private static String found(JsonParser json) {
    return switch (json.currentToken()) {
      case START_OBJECT -> "an object";
      case START_ARRAY -> "an array";
      case END_ARRAY -> "the end of the array";
      case VALUE_NULL -> "null";
      case VALUE_TRUE, VALUE_FALSE -> "true or false";
      case VALUE_STRING -> "a string";
      default -> "a number";
    };
  }
}
