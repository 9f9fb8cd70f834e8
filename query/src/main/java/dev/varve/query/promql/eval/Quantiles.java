package dev.varve.query.promql.eval;

import dev.varve.query.Sorting;
import java.util.Arrays;

/** Exact quantiles. */
final class Quantiles {
  private Quantiles() {}

  /**
   * Returns a quantile, interpolated linearly between two values.
   *
   * @param q from 0 to 1; lower values yield -Inf, higher ones +Inf, NaN yields NaN
   * @param values the first {@code size} elements are used, in any order; this method sorts them
   * @param held checked for cancellation if there are many values
   */
  static double of(double q, double[] values, int size, RowMemory held) {
    if (size == 0 || Double.isNaN(q)) {
      return Double.NaN;
    }
    if (q < 0) {
      return Double.NEGATIVE_INFINITY;
    }
    if (q > 1) {
      return Double.POSITIVE_INFINITY;
    }
    sort(values, size, held);
    double rank = q * (size - 1);
    int lower = (int) Math.max(0, Math.floor(rank));
    int upper = Math.min(size - 1, lower + 1);
    double weight = rank - Math.floor(rank);
    return values[lower] * (1 - weight) + values[upper] * weight;
  }

  /** Sorts values; NaN is less than any other. */
  private static void sort(double[] values, int size, RowMemory held) {
    Sorting.sort(values, size, held::wanted);
    int numbers = size;
    while (numbers > 0 && Double.isNaN(values[numbers - 1])) {
      numbers--;
    }
    if (numbers < size) {
      System.arraycopy(values, 0, values, size - numbers, numbers);
      Arrays.fill(values, 0, size - numbers, Double.NaN);
    }
  }
}
