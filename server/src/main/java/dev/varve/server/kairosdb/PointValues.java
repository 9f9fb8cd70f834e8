package dev.varve.server.kairosdb;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Values of points as KairosDB reads them: their types, and their conversion to other types. */
final class PointValues {
  private final PointBuffer points;

  PointValues(PointBuffer points) {
    this.points = points;
  }

  /** Returns why a value cannot be stored without loss; null if it can. */
  @Nullable String lost(int index) {
    String text = points.text(index);
    return switch (points.form(index)) {
      case REAL -> Double.isInfinite(points.real(index)) ? "is too large for a double" : null;
      case TEXT ->
          text != null && text.codePoints().anyMatch(PointValues::isHalf)
              ? "has an unpaired surrogate (\\ud800 to \\udfff)"
              : null;
      default -> null;
    };
  }

  private static boolean isHalf(int codePoint) {
    return codePoint >= Character.MIN_SURROGATE && codePoint <= Character.MAX_SURROGATE;
  }

  /** Infers the type of a value without a declared type. */
  String typeOf(int index) {
    return switch (points.form(index)) {
      case WHOLE -> "long";
      case REAL -> points.text(index) == null ? "double" : "long";
      default -> {
        String text = Objects.requireNonNull(points.text(index));
        if (points.truth(index) || !looksLikeNumber(text)) {
          yield "string";
        }
        yield text.indexOf('.') < 0 ? "long" : "double";
      }
    };
  }

  /**
   * Returns whether a text looks like a number to KairosDB: an optional sign or decimal point, then
   * digits and at most two decimal points, not at the end.
   */
  private static boolean looksLikeNumber(String text) {
    int start = !text.isEmpty() && "+-.".indexOf(text.charAt(0)) >= 0 ? 1 : 0;
    if (start == text.length()) {
      return false;
    }
    int pointCount = 0;
    for (int i = start; i < text.length(); i++) {
      char c = text.charAt(i);
      if (pointCount > 1 || (c != '.' && (c < '0' || c > '9'))) {
        return false;
      }
      pointCount += c == '.' ? 1 : 0;
    }
    return text.charAt(text.length() - 1) != '.';
  }

  /**
   * Returns a value as an integer.
   *
   * @throws NumberFormatException if the value is not a number
   */
  long asLong(int index) {
    return switch (points.form(index)) {
      case WHOLE -> points.whole(index);
      case REAL -> {
        String text = points.text(index);
        if (text != null) {
          throw new NumberFormatException(text + " does not fit into a long");
        }
        double real = points.real(index);
        if (!(real >= -0x1p63 && real < 0x1p63)) {
          throw new NumberFormatException(real + " does not fit into a long");
        }
        // A fraction is truncated if the declared type is long, as in KairosDB.
        yield (long) real;
      }
      case TEXT -> Long.parseLong(Objects.requireNonNull(points.text(index)));
      default -> throw new NumberFormatException("the value is no long");
    };
  }

  /**
   * Returns a value as a double.
   *
   * @throws NumberFormatException if the value is not a number
   */
  double asDouble(int index) {
    return switch (points.form(index)) {
      case WHOLE -> points.whole(index);
      case REAL -> points.real(index);
      case TEXT -> asDouble(Objects.requireNonNull(points.text(index)));
      default -> throw new NumberFormatException("the value is no double");
    };
  }

  private static double asDouble(String text) {
    double value = Double.parseDouble(text);
    if (Double.isInfinite(value) && text.chars().anyMatch(Character::isDigit)) {
      throw new NumberFormatException(text + " does not fit into a double");
    }
    return value;
  }

  /**
   * Returns a value as a text.
   *
   * @throws NumberFormatException if the value is not a number
   */
  String asText(int index) {
    return switch (points.form(index)) {
      case WHOLE -> Long.toString(points.whole(index));
      case REAL -> {
        String text = points.text(index);
        yield text == null ? QueryAnswer.number(points.real(index)) : text;
      }
      case TEXT -> Objects.requireNonNull(points.text(index));
      default -> throw new NumberFormatException("the value is no text");
    };
  }
}
