package dev.varve.server.otlp;

import dev.varve.formats.json.Json;
import dev.varve.formats.protobuf.MalformedMessageException;
import dev.varve.server.http.HeldJson;
import dev.varve.server.http.HeldPart;
import dev.varve.server.http.WriteBudget.Reservation;
import java.io.InputStream;
import java.math.BigDecimal;
import java.util.function.Consumer;
import java.util.function.DoubleConsumer;
import java.util.function.Function;
import java.util.function.LongConsumer;
import java.util.function.LongFunction;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonParser.NumberType;
import tools.jackson.core.JsonToken;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.core.exc.StreamReadException;

/**
 * A message in <a href="https://protobuf.dev/programming-guides/json/">protobuf's JSON
 * encoding</a>, read member by member: 64-bit integers are strings or numbers, doubles are numbers
 * or strings such as {@code "NaN"}, and null means missing. Values are checked as they are read.
 */
final class ProtoJson {
  /** Maximum length of an integer written like {@code 1e3}, and of a text in an error. */
  private static final int INTEGER_LENGTH_MAX = 50;

  /** Maximum length of a number in quotes, the same as without quotes. */
  private static final int NUMBER_LENGTH_MAX = 1_000;

  private static final Pattern DIGITS = Pattern.compile("\\d{1,20}");
  private static final Pattern NUMBER =
      Pattern.compile("[-+]?(\\d+\\.?\\d*|\\.\\d+)([eE][-+]?\\d+)?");

  /** Memory of a text in bytes, without its characters. */
  private static final int TEXT_BYTES = 56;

  /** A text is held as received, as a label value and in the key of its series. */
  static final int TEXT_PER_CHARACTER = 5;

  /** Memory of a number of a list in bytes. */
  static final int NUMBER_BYTES = 24;

  private final JsonParser json;
  private final HeldPart held;

  private ProtoJson(JsonParser json, HeldPart held) {
    this.json = json;
    this.held = held;
  }

  /**
   * Reads a message.
   *
   * @param memory memory of the tokens
   * @param held memory of the texts and lists that are read
   * @param message reads all members of the message, which has been entered
   * @throws MalformedMessageException if the body is not one JSON object, or a value is not of the
   *     type that was asked for
   * @throws dev.varve.server.http.OverBudgetException if it does not fit in memory
   */
  static void read(
      InputStream body, Reservation memory, HeldPart held, Consumer<ProtoJson> message) {
    try (JsonParser json = HeldJson.of(Json.FACTORY, body, memory)) {
      if (json.nextToken() != JsonToken.START_OBJECT) {
        throw new MalformedMessageException("no JSON object");
      }
      message.accept(new ProtoJson(json, held));
      if (json.nextToken() != null) {
        throw new MalformedMessageException("something follows the end of the JSON object");
      }
    } catch (StreamReadException | StreamConstraintsException e) {
      throw new MalformedMessageException(
          "%s (line %d, column %d)"
              .formatted(
                  e.getOriginalMessage(),
                  e.getLocation() == null ? 0 : e.getLocation().getLineNr(),
                  e.getLocation() == null ? 0 : e.getLocation().getColumnNr()));
    }
  }

  /** Advances to the next member of the current message; returns false at its end. */
  boolean next() {
    return json.nextToken() == JsonToken.PROPERTY_NAME;
  }

  /** Returns the name of the current member. */
  String name() {
    return json.currentName();
  }

  /** Skips the value of the current member. */
  void skip() {
    json.nextToken();
    json.skipChildren();
  }

  /** Enters the message that is the next value; returns false if the value is null. */
  boolean enter() {
    String name = json.currentName();
    JsonToken token = json.nextToken();
    if (token == JsonToken.START_OBJECT) {
      return true;
    }
    if (token == JsonToken.VALUE_NULL) {
      return false;
    }
    throw wrong(name, "an object");
  }

  /** Visits the messages of a list, each of which has been entered; null is an empty list. */
  void each(Runnable item) {
    String name = json.currentName();
    if (!enterList(name, "a list")) {
      return;
    }
    while (json.nextToken() != JsonToken.END_ARRAY) {
      if (json.currentToken() != JsonToken.START_OBJECT) {
        throw wrong(name, "a list of objects");
      }
      item.run();
    }
  }

  /** Visits the integers of a list; null is an empty list. */
  void eachInteger(LongConsumer item) {
    eachNumber(() -> item.accept(integerHere()));
  }

  /** Visits the doubles of a list; null is an empty list. */
  void eachReal(DoubleConsumer item) {
    eachNumber(() -> item.accept(realHere()));
  }

  private void eachNumber(Runnable item) {
    if (!enterList(json.currentName(), "a list of numbers")) {
      return;
    }
    while (json.nextToken() != JsonToken.END_ARRAY) {
      held.hold(NUMBER_BYTES);
      item.run();
    }
  }

  private boolean enterList(@Nullable String name, String wanted) {
    JsonToken token = json.nextToken();
    if (token == JsonToken.VALUE_NULL) {
      return false;
    }
    if (token != JsonToken.START_ARRAY) {
      throw wrong(name, wanted);
    }
    return true;
  }

  /** Reads a text; empty for null. */
  String text() {
    String name = json.currentName();
    return switch (json.nextToken()) {
      case VALUE_STRING -> {
        String text = json.getString();
        held.hold(TEXT_BYTES + (long) TEXT_PER_CHARACTER * text.length());
        yield text;
      }
      case VALUE_NULL -> "";
      default -> throw wrong(name, "a text");
    };
  }

  /** Reads a boolean; false for null. */
  boolean bool() {
    String name = json.currentName();
    return switch (json.nextToken()) {
      case VALUE_TRUE -> true;
      case VALUE_FALSE, VALUE_NULL -> false;
      default -> throw wrong(name, "true or false");
    };
  }

  /**
   * Reads a constant of an enum, which is a number or a name; number 0 for null.
   *
   * @param wanted the expected value, for the error
   */
  <T> T enumeration(LongFunction<T> ofNumber, Function<String, T> ofName, String wanted) {
    String name = json.currentName();
    return switch (json.nextToken()) {
      case VALUE_NUMBER_INT -> ofNumber.apply(integerHere());
      case VALUE_STRING -> ofName.apply(json.getString());
      case VALUE_NULL -> ofNumber.apply(0);
      default -> throw wrong(name, wanted);
    };
  }

  /** Reads a signed or unsigned 64-bit integer; 0 for null. */
  long integer() {
    return json.nextToken() == JsonToken.VALUE_NULL ? 0 : integerHere();
  }

  /** Reads a 64-bit integer as a double; the other value for null. */
  @Nullable Double integerOr(@Nullable Double otherwise) {
    return json.nextToken() == JsonToken.VALUE_NULL ? otherwise : (Double) (double) integerHere();
  }

  /** Reads a double; 0 for null. */
  double real() {
    return json.nextToken() == JsonToken.VALUE_NULL ? 0 : realHere();
  }

  /** Reads a double; the other value for null. */
  @Nullable Double realOr(@Nullable Double otherwise) {
    return json.nextToken() == JsonToken.VALUE_NULL ? otherwise : (Double) realHere();
  }

  private long integerHere() {
    JsonToken token = json.currentToken();
    if (token == JsonToken.VALUE_NUMBER_INT && json.getNumberType() != NumberType.BIG_INTEGER) {
      return json.getLongValue();
    }
    if (token != JsonToken.VALUE_STRING && !token.isNumeric()) {
      throw wrong(json.currentName(), "an integer");
    }
    String text = json.getString();
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException e) {
      return largeOrOdd(text);
    }
  }

  /** Parses an unsigned integer beyond the signed range, or one written like {@code 1e3}. */
  private long largeOrOdd(String text) {
    if (text.length() > INTEGER_LENGTH_MAX) {
      throw wrong(start(text), "an integer of 64 bits");
    }
    try {
      return DIGITS.matcher(text).matches()
          ? Long.parseUnsignedLong(text)
          : new BigDecimal(text).longValueExact();
    } catch (ArithmeticException | NumberFormatException e) {
      throw wrong(text, "an integer of 64 bits");
    }
  }

  private double realHere() {
    JsonToken token = json.currentToken();
    if (token.isNumeric()) {
      return json.getDoubleValue();
    }
    if (token != JsonToken.VALUE_STRING) {
      throw wrong(json.currentName(), "a number");
    }
    String text = json.getString();
    return switch (text) {
      case "NaN" -> Double.NaN;
      case "Infinity" -> Double.POSITIVE_INFINITY;
      case "-Infinity" -> Double.NEGATIVE_INFINITY;
      default -> {
        if (text.length() > NUMBER_LENGTH_MAX || !NUMBER.matcher(text).matches()) {
          throw wrong(start(text), "a number");
        }
        yield Double.parseDouble(text);
      }
    };
  }

  private static String start(String text) {
    return text.length() <= INTEGER_LENGTH_MAX
        ? text
        : text.substring(0, INTEGER_LENGTH_MAX) + "...";
  }

  private MalformedMessageException wrong(@Nullable String what, String wanted) {
    return new MalformedMessageException(
        "'%s' is not %s (line %d, column %d)"
            .formatted(
                what,
                wanted,
                json.currentTokenLocation().getLineNr(),
                json.currentTokenLocation().getColumnNr()));
  }
}
