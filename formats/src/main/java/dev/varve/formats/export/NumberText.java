package dev.varve.formats.export;

/** Doubles as the shortest text that reads back as the same bits, except for those of a NaN. */
final class NumberText {
  /** Up to here whole doubles are written without a fraction and an exponent. */
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
