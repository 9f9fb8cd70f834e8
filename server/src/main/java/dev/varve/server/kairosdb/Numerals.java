package dev.varve.server.kairosdb;

import java.math.BigDecimal;
import java.math.RoundingMode;

/** Parses numbers in times and lifetimes, whatever a client writes there. */
final class Numerals {
  /** Maximum length of a number: more than the sign, digits and trailing zeros of any real time. */
  private static final int NUMBER_MAX = 100;

  private Numerals() {}

  /** Parses an integer, which may have a fraction of zeros. */
  static long wholeNumber(String text) {
    return decimal(text).longValueExact();
  }

  /** Parses a number and drops its fraction. */
  static long wholePart(String text) {
    BigDecimal decimal = decimal(text);
    // Rounding 1e-999999999 would take hours.
    return decimal.precision() <= decimal.scale()
        ? 0
        : decimal.setScale(0, RoundingMode.DOWN).longValueExact();
  }

  private static BigDecimal decimal(String text) {
    if (text.length() > NUMBER_MAX) {
      // Parsing a number of a million digits would take minutes.
      throw new NumberFormatException(text.substring(0, NUMBER_MAX) + "...");
    }
    BigDecimal decimal = new BigDecimal(text.strip());
    if (decimal.precision() - decimal.scale() > NUMBER_MAX) {
      throw new NumberFormatException(text);
    }
    return decimal;
  }
}
