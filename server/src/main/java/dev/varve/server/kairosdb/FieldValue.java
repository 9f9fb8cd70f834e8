package dev.varve.server.kairosdb;

import dev.varve.server.http.HttpError;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Converts values of a JSON tree to the types of KairosDB's fields. Other values are rejected with
 * KairosDB's statuses and messages, which are those of its JSON library. JSON null is returned as
 * null.
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

  /**
   * Converts an integer. A fraction is discarded, and larger numbers are reduced to their low 64
   * bits.
   */
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

  /** Converts an integer; larger numbers are reduced to their low 32 bits. */
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

  /** Returns the low 64 bits of the integer part of a number. */
  static long low(String number) {
    return new BigDecimal(number).longValue();
  }

  /**
   * Converts a number, which may be given as a string.
   *
   * @throws NumberFormatException if a string is not a number
   */
  static @Nullable Double real(@Nullable Object value) {
    return switch (value) {
      case null -> null;
      case JsonTree.Numeral number -> Double.parseDouble(number.text());
      case String text -> Double.parseDouble(text);
      default -> throw expected("NUMBER", value);
    };
  }

  /** Converts a boolean; the string {@code true}, in any case, is true, all others are false. */
  static @Nullable Boolean truth(@Nullable Object value) {
    return switch (value) {
      case null -> null;
      case Boolean truth -> truth;
      case String text -> Boolean.parseBoolean(text);
      default -> throw expected("BOOLEAN", value);
    };
  }

  /** Converts the name of a constant. */
  static @Nullable String constant(@Nullable Object value) {
    return switch (value) {
      case null -> null;
      case String text -> text;
      case JsonTree.Numeral number -> number.text();
      default -> throw expected("STRING", value);
    };
  }

  /** Converts an object with known fields. */
  static Map<String, @Nullable Object> fields(@Nullable Object value) {
    if (value instanceof Map<?, ?>) {
      return Properties.object(value);
    }
    throw expected("BEGIN_OBJECT", value);
  }

  /** Converts an array of values of one type. */
  static List<@Nullable Object> values(@Nullable Object value) {
    if (value instanceof List<?>) {
      return Properties.array(value);
    }
    throw expected("BEGIN_ARRAY", value);
  }

  /**
   * Returns a scalar as text; an array of one scalar counts as the scalar.
   *
   * @param status for other arrays
   * @throws HttpError if the value is null, an object or another array
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
