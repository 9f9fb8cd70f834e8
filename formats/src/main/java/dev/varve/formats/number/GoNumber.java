package dev.varve.formats.number;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import org.jspecify.annotations.Nullable;

/** Formats doubles as Go's {@code strconv.FormatFloat} does. */
public final class GoNumber {
  /** The smallest number of digits that identifies the number. */
  public static final int SHORTEST = -1;

  private static final int EXPONENT_OF_SHORTEST = 6;

  /** Java writes numbers from here on, and below {@link #PLAIN_MAX}, without an exponent. */
  private static final double PLAIN_MIN = 1e-3;

  private static final double PLAIN_MAX = 1e7;

  /** Each integer below is a double, so its digits are its shortest decimal. */
  private static final double INTEGER_MAX = 0x1p53;

  private GoNumber() {}

  /** Formats as {@code %v} does. */
  public static String text(double value) {
    return general(value, SHORTEST);
  }

  /**
   * Formats as {@code %g} does: with an exponent if that is less than -4 or not less than the
   * precision.
   *
   * @param precision significant digits, at least 1, or {@link #SHORTEST}
   */
  public static String general(double value, int precision) {
    if (!Double.isFinite(value)) {
      return notFinite(value);
    }
    String sign = sign(value);
    BigDecimal rounded = rounded(Math.abs(value), precision);
    int digits = rounded.precision();
    int point = value == 0 ? 0 : digits - rounded.scale();
    int threshold = precision;
    if (precision == SHORTEST) {
      threshold = EXPONENT_OF_SHORTEST;
    } else if (precision > digits && digits >= point) {
      threshold = digits;
    }
    int exponent = value == 0 ? 0 : point - 1;
    if (exponent < -4 || exponent >= Math.max(threshold, 1)) {
      return sign + withExponent(rounded, digits - 1);
    }
    return sign + rounded.toPlainString();
  }

  /** Formats as {@code %e} does, with {@code precision} digits after the decimal point. */
  public static String exponential(double value, int precision) {
    if (!Double.isFinite(value)) {
      return notFinite(value);
    }
    BigDecimal rounded = rounded(Math.abs(value), precision == SHORTEST ? SHORTEST : precision + 1);
    return sign(value)
        + withExponent(rounded, precision == SHORTEST ? rounded.precision() - 1 : precision);
  }

  /** Returns the shortest decimal that identifies the number, never with an exponent. */
  public static String plain(double value) {
    String usual = usual(value);
    return usual == null ? fixed(value, SHORTEST) : usual;
  }

  /** Formats as {@code %f} does, with {@code precision} digits after the decimal point. */
  public static String fixed(double value, int precision) {
    if (!Double.isFinite(value)) {
      return notFinite(value);
    }
    double size = Math.abs(value);
    return sign(value)
        + (precision == SHORTEST
            ? plain(rounded(size, SHORTEST))
            : new BigDecimal(size).setScale(precision, RoundingMode.HALF_EVEN).toPlainString());
  }

  /**
   * Returns the shortest decimal of a number of usual size, as almost all are; null for others.
   * Java writes it the same way, but for integers, which get a fraction.
   */
  private static @Nullable String usual(double value) {
    double size = Math.abs(value);
    if (size < INTEGER_MAX && value == (long) value) {
      return value == 0 ? sign(value) + "0" : Long.toString((long) value);
    }
    return size >= PLAIN_MIN && size < PLAIN_MAX ? Double.toString(value) : null;
  }

  private static String plain(BigDecimal value) {
    return value.signum() == 0 ? "0" : value.toPlainString();
  }

  private static String sign(double value) {
    return Math.copySign(1, value) < 0 ? "-" : "";
  }

  private static String notFinite(double value) {
    return Double.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
  }

  /** Rounds a number and strips trailing zeros. */
  private static BigDecimal rounded(double size, int precision) {
    if (size == 0) {
      return BigDecimal.ZERO;
    }
    if (precision != SHORTEST) {
      MathContext digits = new MathContext(precision == 0 ? 1 : precision, RoundingMode.HALF_EVEN);
      return new BigDecimal(size).round(digits).stripTrailingZeros();
    }
    BigDecimal shortest = new BigDecimal(Double.toString(size)).stripTrailingZeros();
    if (shortest.precision() != 2) {
      return shortest;
    }
    // Java writes at least two digits, such as 4.9E-324 for 5E-324.
    BigDecimal digit = shortest.round(new MathContext(1));
    return digit.doubleValue() == size ? digit : shortest;
  }

  /** Formats as {@code 1.5e+21}, with at least two exponent digits. */
  private static String withExponent(BigDecimal value, int places) {
    String digits = value.unscaledValue().toString();
    int exponent = value.signum() == 0 ? 0 : digits.length() - 1 - value.scale();
    StringBuilder text = new StringBuilder(digits.substring(0, 1));
    if (places > 0) {
      String fraction = digits.substring(1);
      text.append('.').append(fraction).repeat('0', places - fraction.length());
    }
    text.append('e').append(exponent < 0 ? '-' : '+');
    int size = Math.abs(exponent);
    return text.append(size < 10 ? "0" : "").append(size).toString();
  }
}
