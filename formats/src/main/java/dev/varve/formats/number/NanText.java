package dev.varve.formats.number;

import org.jspecify.annotations.Nullable;

/**
 * NaNs as text that keeps their bits: {@code NaN} for the usual one, which is Java's, and for
 * others {@code NaN:7ff0000000000002} with all bits in hexadecimal digits.
 */
public final class NanText {
  private static final String PREFIX = "NaN:";
  private static final int DIGITS = 16;

  private NanText() {}

  /** Returns the text of a NaN. */
  public static String of(double nan) {
    long bits = Double.doubleToRawLongBits(nan);
    return bits == Double.doubleToLongBits(Double.NaN) ? "NaN" : PREFIX + Long.toHexString(bits);
  }

  /** Returns the NaN that a text means; null if it is none with bits. */
  public static @Nullable Double withBits(String text) {
    if (text.length() != PREFIX.length() + DIGITS || !text.startsWith(PREFIX)) {
      return null;
    }
    try {
      double value =
          Double.longBitsToDouble(
              Long.parseUnsignedLong(text, PREFIX.length(), text.length(), DIGITS));
      return Double.isNaN(value) ? value : null;
    } catch (NumberFormatException e) {
      return null;
    }
  }
}
