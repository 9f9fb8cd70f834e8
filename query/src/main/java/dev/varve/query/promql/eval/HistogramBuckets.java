package dev.varve.query.promql.eval;

import java.util.Arrays;
import java.util.Comparator;

/**
 * The cumulative buckets of a classic histogram at one step, evaluated as in <a
 * href="https://prometheus.io/docs/prometheus/3.5/querying/functions/#histogram_quantile">Prometheus</a>.
 */
final class HistogramBuckets {
  /**
   * Counts with a smaller difference, relative to their sum, are considered equal up to rounding.
   */
  private static final double SAME = 1e-12;

  private record Bucket(double upper, double count) {}

  private Bucket[] buckets = new Bucket[16];
  private int size;
  private boolean mended;

  void clear() {
    size = 0;
    mended = false;
  }

  void add(double upper, double count) {
    if (size == buckets.length) {
      buckets = Arrays.copyOf(buckets, 2 * size);
    }
    buckets[size++] = new Bucket(upper, count);
  }

  boolean isEmpty() {
    return size == 0;
  }

  /** Returns whether counts decreased from one bucket to the next and were fixed. */
  boolean isMended() {
    return mended;
  }

  double quantile(double q) {
    if (Double.isNaN(q)) {
      return Double.NaN;
    }
    if (q < 0) {
      return Double.NEGATIVE_INFINITY;
    }
    if (q > 1) {
      return Double.POSITIVE_INFINITY;
    }
    if (!order()) {
      return Double.NaN;
    }
    makeRising();
    double all = buckets[size - 1].count;
    if (size < 2 || all == 0) {
      return Double.NaN;
    }
    double rank = q * all;
    int at = 0;
    while (at < size - 1 && !(buckets[at].count >= rank)) {
      at++;
    }
    if (at == size - 1) {
      return buckets[size - 2].upper;
    }
    if (at == 0 && buckets[0].upper <= 0) {
      return buckets[0].upper;
    }
    double from = at == 0 ? 0 : buckets[at - 1].upper;
    double below = at == 0 ? 0 : buckets[at - 1].count;
    double share = (rank - below) / (buckets[at].count - below);
    return from + (buckets[at].upper - from) * share;
  }

  /** Returns the share of observations between two values. */
  double fraction(double lower, double upper) {
    if (!order()) {
      return Double.NaN;
    }
    double all = buckets[size - 1].count;
    if (all == 0 || Double.isNaN(lower) || Double.isNaN(upper)) {
      return Double.NaN;
    }
    return lower >= upper ? 0 : (rank(upper, all) - rank(lower, all)) / all;
  }

  /** Returns the number of observations below a value, interpolated linearly within its bucket. */
  private double rank(double value, double all) {
    double below = 0;
    double from = Double.NEGATIVE_INFINITY;
    for (int i = 0; i < size; i++) {
      Bucket bucket = buckets[i];
      if (from >= value) {
        return Math.min(below, all);
      }
      if (bucket.upper > value) {
        // As in Prometheus, this may be NaN for extremely large numbers in the last bucket.
        double inside = (bucket.count - below) * (value - from) / (bucket.upper - from);
        return Math.min(below + inside, all);
      }
      below = bucket.count;
      from = bucket.upper;
    }
    return all;
  }

  /**
   * Sorts the buckets and merges those with equal bounds. Returns whether the last bucket is
   * unbounded.
   */
  private boolean order() {
    Arrays.sort(buckets, 0, size, Comparator.comparingDouble(Bucket::upper));
    int last = 0;
    for (int i = 1; i < size; i++) {
      if (buckets[i].upper == buckets[last].upper) {
        buckets[last] = new Bucket(buckets[i].upper, buckets[last].count + buckets[i].count);
      } else {
        buckets[++last] = buckets[i];
      }
    }
    size = last + 1;
    return buckets[last].upper == Double.POSITIVE_INFINITY;
  }

  private void makeRising() {
    double before = buckets[0].count;
    for (int i = 1; i < size; i++) {
      double count = buckets[i].count;
      if (count == before) {
        continue;
      }
      if (isSame(before, count)) {
        buckets[i] = new Bucket(buckets[i].upper, before);
      } else if (count < before) {
        buckets[i] = new Bucket(buckets[i].upper, before);
        mended = true;
      } else {
        before = count;
      }
    }
  }

  private static boolean isSame(double a, double b) {
    double difference = Math.abs(a - b);
    double sum = Math.abs(a) + Math.abs(b);
    if (a == 0 || b == 0 || sum < Double.MIN_NORMAL) {
      return difference < SAME * Double.MIN_NORMAL;
    }
    return difference / Math.min(sum, Double.MAX_VALUE) < SAME;
  }
}
