package dev.varve.query.promql;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;

/** Parses numbers as PromQL does and formats them as Go does. */
public final class Numbers {
  private Numbers() {}

  /**
   * Parses a number: decimal, hexadecimal after {@code 0x}, octal after {@code 0}, with underscores
   * between digits; or {@code Inf} or {@code NaN} in any case.
   *
   * @throws NumberFormatException with the reason if the number is invalid
   */
  static double parse(String text) {
    if (text.equalsIgnoreCase("inf")) {
      return Double.POSITIVE_INFINITY;
    }
    if (text.equalsIgnoreCase("nan")) {
      return Double.NaN;
    }
    boolean prefixed = text.length() > 1 && text.charAt(0) == '0' && isX(text.charAt(1));
    if (!underscoresSeparate(prefixed ? "0" + text.substring(2) : text)) {
      throw wrong(text, "underscores are only allowed between digits");
    }
    String digits = text.replace("_", "");
    if (prefixed) {
      return whole(text, digits.substring(2), 16);
    }
    if (digits.matches("0[0-7]+")) {
      return whole(text, digits.substring(1), 8);
    }
    return decimal(text, digits);
  }

  private static boolean isX(char c) {
    return c == 'x' || c == 'X';
  }

  private static boolean underscoresSeparate(String text) {
    for (int i = text.indexOf('_'); i >= 0; i = text.indexOf('_', i + 1)) {
      boolean between =
          i > 0
              && i + 1 < text.length()
              && Character.digit(text.charAt(i - 1), 16) >= 0
              && Character.digit(text.charAt(i + 1), 16) >= 0;
      if (!between) {
        return false;
      }
    }
    return true;
  }

  private static double whole(String text, String digits, int radix) {
    if (digits.isEmpty()) {
      throw wrong(text, "invalid syntax");
    }
    try {
      return Long.parseLong(digits, radix);
    } catch (NumberFormatException e) {
      // More than 64 bits: a number with a leading zero is then decimal, a hexadecimal one invalid.
    }
    if (radix == 8) {
      return decimal(text, digits);
    }
    throw wrong(text, "value out of range");
  }

  private static double decimal(String text, String digits) {
    double value;
    try {
      value = Double.parseDouble(digits);
    } catch (NumberFormatException e) {
      throw wrong(text, "invalid syntax");
    }
    if (Double.isInfinite(value)) {
      throw wrong(text, "value out of range");
    }
    return value;
  }

  private static NumberFormatException wrong(String text, String problem) {
    return new NumberFormatException("parsing " + Quoting.quoted(text) + ": " + problem);
  }

  /** Formats with six decimals. */
  static String textToMicros(double value) {
    return Double.isFinite(value)
        ? new BigDecimal(value).setScale(6, RoundingMode.HALF_EVEN).toPlainString()
        : text(value);
  }

  /** Returns the shortest decimal that identifies the number, without an exponent. */
  public static String text(double value) {
    if (Double.isNaN(value)) {
      return "NaN";
    }
    if (Double.isInfinite(value)) {
      return value > 0 ? "+Inf" : "-Inf";
    }
    String sign = Math.copySign(1, value) < 0 ? "-" : "";
    return sign + shortest(Math.abs(value)).stripTrailingZeros().toPlainString();
  }

  /** Removes the superfluous second digit that Java writes: {@code 4.9E-324} for {@code 5E-324}. */
  private static BigDecimal shortest(double value) {
    BigDecimal digits = new BigDecimal(Double.toString(value));
    BigDecimal digit = digits.round(new MathContext(1));
    return digits.precision() == 2 && digit.doubleValue() == value ? digit : digits;
  }
}
