package dev.varve.query.promql.eval;

import dev.varve.formats.number.GoNumber;

/** Formats and parses values as Prometheus' API does. */
public final class ValueText {
  private ValueText() {}

  /**
   * Returns the shortest text that identifies the number, with an exponent for very small and large
   * numbers.
   */
  public static String of(double value) {
    double size = Math.abs(value);
    boolean isPlain = !Double.isFinite(value) || size == 0 || (size >= 1e-6 && size < 1e21);
    return isPlain ? GoNumber.plain(value) : GoNumber.exponential(value, GoNumber.SHORTEST);
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
