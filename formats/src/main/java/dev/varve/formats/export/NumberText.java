package dev.varve.formats.export;

/**
 * Doubles as text that reads back as the same bits, except for the bits of a NaN. Whole numbers
 * have neither a fraction nor an exponent.
 */
final class NumberText {
  /** Below this, whole doubles are written without a fraction and an exponent. */
  private static final double WHOLE_MAX = 1e15;

  private NumberText() {}

  static String of(double value) {
    return value == Math.rint(value) && Math.abs(value) < WHOLE_MAX && !isNegativeZero(value)
        ? Long.toString((long) value)
        : Double.toString(value);
  }

  private static boolean isNegativeZero(double value) {
    return value == 0 && Double.doubleToRawLongBits(value) != 0;
  }
}
