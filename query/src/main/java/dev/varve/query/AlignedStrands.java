package dev.varve.query;

import dev.varve.model.Kind;
import dev.varve.model.Samples;
import java.util.Arrays;
import java.util.Collection;

/**
 * Merges strands of doubles that have the same times, as series that are scraped together have: the
 * values of each instant are sorted. The result is that of {@link StrandHeap}, which touches nine
 * strands a sample to merge 500.
 */
final class AlignedStrands {
  private final boolean descending;
  private final double[][] columns;
  private final long[] times;
  private final int size;

  /**
   * @param samples of strands that {@link #are} aligned
   */
  AlignedStrands(Collection<Samples> samples, boolean descending) {
    Samples first = samples.iterator().next();
    this.descending = descending;
    this.columns = samples.stream().map(Samples::doubles).toArray(double[][]::new);
    this.times = first.times();
    this.size = first.size();
  }

  /**
   * Returns whether strands are doubles at the same instants, each instant once. NaNs are equal in
   * the order of values but may differ in their bits, so strands with NaNs do not count.
   */
  static boolean are(Collection<Samples> strands) {
    if (strands.isEmpty()) {
      return false;
    }
    Samples first = strands.iterator().next();
    if (strands.stream().anyMatch(of -> of.kind() != Kind.DOUBLE || of.size() != first.size())) {
      return false;
    }
    long[] times = first.times();
    for (int i = 1; i < first.size(); i++) {
      if (times[i] <= times[i - 1]) {
        return false;
      }
    }
    return strands.stream()
        .allMatch(of ->
            Arrays.equals(times, 0, first.size(), of.times(), 0, first.size())
                && !hasNaN(of.doubles(), of.size()));
  }

  private static boolean hasNaN(double[] numbers, int size) {
    for (int i = 0; i < size; i++) {
      if (Double.isNaN(numbers[i])) {
        return true;
      }
    }
    return false;
  }

  /** Emits all samples. */
  void into(Emitter out) {
    double[] numbers = new double[columns.length];
    for (int i = 0; i < size; i++) {
      int at = descending ? size - 1 - i : i;
      for (int strand = 0; strand < numbers.length; strand++) {
        numbers[strand] = columns[strand][at];
      }
      Arrays.sort(numbers);
      for (int j = 0; j < numbers.length; j++) {
        out.add(times[at], numbers[descending ? numbers.length - 1 - j : j]);
      }
    }
    out.flush();
  }
}
