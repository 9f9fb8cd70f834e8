package dev.varve.query.promql;

import java.math.BigInteger;

/** Parses numbers as PromQL does. */
final class Numbers {
  /** Most digits of 63 bits, which are octal. */
  private static final int DIGITS_MAX = 21;

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
    if (isWhole(digits, radix)) {
      return Long.parseLong(digits, radix);
    }
    // A number with a leading zero that is not octal, or too large, is decimal.
    if (radix == 8) {
      return decimal(text, digits);
    }
    throw wrong(text, "value out of range");
  }

  /** Returns whether digits are of a radix and fit into 63 bits. */
  private static boolean isWhole(String digits, int radix) {
    if (!digits.chars().allMatch(digit -> Character.digit(digit, radix) >= 0)) {
      return false;
    }
    int zeros = 0;
    while (zeros < digits.length() - 1 && digits.charAt(zeros) == '0') {
      zeros++;
    }
    // Integers of any length would take time that grows with the square of it.
    return digits.length() - zeros <= DIGITS_MAX
        && new BigInteger(digits.substring(zeros), radix).bitLength() < Long.SIZE;
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
}
