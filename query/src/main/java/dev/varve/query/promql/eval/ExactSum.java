package dev.varve.query.promql.eval;

/**
 * The sum of integers that are so small that no partial sum is rounded. Every way to add them up,
 * compensated or not, gives the same bits then, so the fastest one will do: most counters and many
 * gauges are integers.
 */
final class ExactSum {
  /** Sums of integers are exact below; a sum that is rounded is not below. */
  private static final double EXACT_MAX = 0x1p53;

  private ExactSum() {}

  /**
   * Returns the sum of an array from index {@code from} (inclusive) to {@code to} (exclusive); NaN
   * if the values are not such integers.
   */
  static double of(double[] values, int from, int to) {
    if (from == to || Math.rint(values[from]) != values[from]) {
      return Double.NaN;
    }
    double even = 0;
    double odd = 0;
    double size = 0;
    boolean areIntegers = true;
    int i = from;
    for (; i + 1 < to; i += 2) {
      double first = values[i];
      double second = values[i + 1];
      even += first;
      odd += second;
      size += Math.abs(first) + Math.abs(second);
      areIntegers &= Math.rint(first) == first;
      areIntegers &= Math.rint(second) == second;
    }
    if (i < to) {
      double last = values[i];
      even += last;
      size += Math.abs(last);
      areIntegers &= Math.rint(last) == last;
    }
    return areIntegers && size < EXACT_MAX ? even + odd : Double.NaN;
  }
}
