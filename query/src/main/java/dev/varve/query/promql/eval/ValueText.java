package dev.varve.query.promql.eval;

import java.math.BigDecimal;

/** Values as texts, as Prometheus' API reads and writes them. */
public final class ValueText {
  private ValueText() {}

  /** The shortest text that is read as the same number, with an exponent where that is shorter. */
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

  /** As messages show it, with an exponent from a million on and below 0.0001. */
  static String inMessage(double value) {
    double size = Math.abs(value);
    boolean plain =
        !(size < Double.POSITIVE_INFINITY) || value == 0 || (size >= 1e-4 && size < 1e6);
    return plain ? of(value) : withExponent(shortest(value));
  }

  /** Of the two least numbers Java gives a second digit, which does not need to be there. */
  private static BigDecimal shortest(double value) {
    double size = Math.abs(value);
    if (size > 0 && size <= 2 * Double.MIN_VALUE) {
      BigDecimal least = new BigDecimal(size == Double.MIN_VALUE ? "5e-324" : "1e-323");
      return value < 0 ? least.negate() : least;
    }
    return new BigDecimal(Double.toString(value)).stripTrailingZeros();
  }

  /** As {@code 1.5e+21}, {@code 1e-07}: two digits of exponent at least. */
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

  /** The number in a text; NaN where it is none. */
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
