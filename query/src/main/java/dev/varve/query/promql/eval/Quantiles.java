package dev.varve.query.promql.eval;

import dev.varve.query.Sorting;
import java.util.Arrays;

/** Quantiles of values that are given one by one. */
final class Quantiles {
  private Quantiles() {}

  /**
   * A quantile, between two values by their distance from it.
   *
   * @param q from 0 to 1; below gives -Inf, above +Inf, NaN gives NaN
   * @param values of which the first {@code size} count, in any order; sorted by this
   * @param held asked where there are many
   */
  static double of(double q, double[] values, int size, Held held) {
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

  /** NaN counts as the least of all. */
  private static void sort(double[] values, int size, Held held) {
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
