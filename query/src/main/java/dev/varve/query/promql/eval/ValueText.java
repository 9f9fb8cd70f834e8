package dev.varve.query.promql.eval;

import java.math.BigDecimal;

/** Formats and parses values as Prometheus' API does. */
public final class ValueText {
  private ValueText() {}

  /**
   * Returns the shortest text that identifies the number, with an exponent for very small and large
   * numbers.
   */
  public static String of(double value) {
    if (Double.isNaN(value)) {
      return "NaN";
    }
    if (Double.isInfinite(value)) {
      return value > 0 ? "+Inf" : "-Inf";
    }
    if (value == 0) {
      return 1 / value < 0 ? "-0" : "0";
    }
    double size = Math.abs(value);
    BigDecimal decimal = shortest(value);
    if (size >= 1e-6 && size < 1e21) {
      return decimal.toPlainString();
    }
    return withExponent(decimal);
  }

  /** Formats as messages do: with an exponent from one million and below 0.0001. */
  static String inMessage(double value) {
    double size = Math.abs(value);
    boolean plain =
        !(size < Double.POSITIVE_INFINITY) || value == 0 || (size >= 1e-4 && size < 1e6);
    return plain ? of(value) : withExponent(shortest(value));
  }

  /**
   * Returns the shortest decimal. Java adds a superfluous second digit to the two least numbers.
   */
  private static BigDecimal shortest(double value) {
    double size = Math.abs(value);
    if (size > 0 && size <= 2 * Double.MIN_VALUE) {
      BigDecimal least = new BigDecimal(size == Double.MIN_VALUE ? "5e-324" : "1e-323");
      return value < 0 ? least.negate() : least;
    }
    return new BigDecimal(Double.toString(value)).stripTrailingZeros();
  }

  /** Formats as {@code 1.5e+21} or {@code 1e-07}, with at least two exponent digits. */
  private static String withExponent(BigDecimal decimal) {
    String digits = decimal.unscaledValue().abs().toString();
    int exponent = digits.length() - 1 - decimal.scale();
    StringBuilder text = new StringBuilder(decimal.signum() < 0 ? "-" : "");
    text.append(digits.charAt(0));
    if (digits.length() > 1) {
      text.append('.').append(digits, 1, digits.length());
    }
    text.append('e').append(exponent < 0 ? '-' : '+');
    int shown = Math.abs(exponent);
    return text.append(shown < 10 ? "0" : "").append(shown).toString();
  }

  /** Parses a number; returns NaN if the text is not a number. */
  static double parse(String text) {
    return switch (text) {
      case "+Inf", "Inf", "inf", "+inf" -> Double.POSITIVE_INFINITY;
      case "-Inf", "-inf" -> Double.NEGATIVE_INFINITY;
      default -> {
        if (text.isEmpty() || !text.matches("[-+]?[0-9.][-+0-9.eE]*")) {
          yield Double.NaN;
        }
        try {
          yield Double.parseDouble(text);
        } catch (NumberFormatException e) {
          yield Double.NaN;
        }
      }
    };
  }
}
