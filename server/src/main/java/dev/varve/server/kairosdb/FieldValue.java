package dev.varve.server.kairosdb;

import dev.varve.server.http.HttpError;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads values of a JSON tree as the types that KairosDB's fields have. What stands in their place
 * is refused with the status and in the words of KairosDB, which are those of its JSON library. A
 * JSON null is a null.
 */
final class FieldValue {
  private static final String ILLEGAL_STATE = "java.lang.IllegalStateException";

  private FieldValue() {}

  private static String token(@Nullable Object value) {
    return switch (value) {
      case null -> "NULL";
      case Map<?, ?> map -> "BEGIN_OBJECT";
      case List<?> list -> "BEGIN_ARRAY";
      case JsonTree.Numeral number -> "NUMBER";
      case Boolean truth -> "BOOLEAN";
      default -> "STRING";
    };
  }

  private static HttpError expected(String token, @Nullable Object value) {
    return HttpError.badRequest(ILLEGAL_STATE + ": Expected " + token + " but was " + token(value));
  }

  /** A whole number; of more than 64 bits the low ones count, and nothing behind a point. */
  static @Nullable Long whole(@Nullable Object value) {
    return switch (value) {
      case null -> null;
      case JsonTree.Numeral number -> low(number.text());
      case String text -> {
        try {
          yield Long.parseLong(text);
        } catch (NumberFormatException e) {
          throw HttpError.badRequest(e.toString());
        }
      }
      default -> throw expected("NUMBER", value);
    };
  }

  /** A whole number of 32 bits; of a larger number the low ones count. */
  static @Nullable Integer small(@Nullable Object value) {
    if (value instanceof String text) {
      try {
        return Integer.parseInt(text);
      } catch (NumberFormatException e) {
        throw HttpError.badRequest(e.toString());
      }
    }
    Long whole = whole(value);
    return whole == null ? null : (Integer) whole.intValue();
  }

  /** The low 64 bits of the whole part of a number. */
  static long low(String number) {
    return new BigDecimal(number).longValue();
  }

  /**
   * A number with its fraction, which may be a text.
   *
   * @throws NumberFormatException if the text is none
   */
  static @Nullable Double real(@Nullable Object value) {
    return switch (value) {
      case null -> null;
      case JsonTree.Numeral number -> Double.parseDouble(number.text());
      case String text -> Double.parseDouble(text);
      default -> throw expected("NUMBER", value);
    };
  }

  /** A truth value; a text is true if it says so, in any case. */
  static @Nullable Boolean truth(@Nullable Object value) {
    return switch (value) {
      case null -> null;
      case Boolean truth -> truth;
      case String text -> Boolean.parseBoolean(text);
      default -> throw expected("BOOLEAN", value);
    };
  }

  /** The name of a constant. */
  static @Nullable String constant(@Nullable Object value) {
    return switch (value) {
      case null -> null;
      case String text -> text;
      case JsonTree.Numeral number -> number.text();
      default -> throw expected("STRING", value);
    };
  }

  /** An object of known fields. */
  static Map<String, @Nullable Object> fields(@Nullable Object value) {
    if (value instanceof Map<?, ?>) {
      return Properties.object(value);
    }
    throw expected("BEGIN_OBJECT", value);
  }

  /** An array of values of one type. */
  static List<@Nullable Object> values(@Nullable Object value) {
    if (value instanceof List<?>) {
      return Properties.array(value);
    }
    throw expected("BEGIN_ARRAY", value);
  }

  /**
   * A scalar as its text; an array of one scalar counts as that.
   *
   * @param status of the answer where it is another array
   * @throws HttpError if it is null, an object or another array
   */
  static String text(@Nullable Object value, int status) {
    return switch (value) {
      case null -> throw new HttpError(500, "JsonNull");
      case Map<?, ?> map -> throw new HttpError(500, "JsonObject");
      case List<?> list -> {
        if (list.size() == 1) {
          yield text(list.getFirst(), status);
        }
        throw new HttpError(status, ILLEGAL_STATE);
      }
      case JsonTree.Numeral number -> number.text();
      default -> value.toString();
    };
  }
}
