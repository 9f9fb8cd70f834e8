package dev.varve.server.heroic.aggregation;

import dev.varve.server.heroic.aggregation.Values.Points;
import java.util.Arrays;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Buckets that keep every value. The quantile has the rank that Heroic's estimate aims at: of n
 * values, the one of rank {@code floor(q * n)}, counted from 1, and at least the first.
 */
final class QuantileBuckets extends Buckets {
  private final double q;
  private final Retained retained;
  private final double[] @Nullable [] values;
  private final int[] sizes;

  QuantileBuckets(double q, int count, Retained retained) {
    this.q = q;
    this.retained = retained;
    this.values = new double[count][];
    this.sizes = new int[count];
  }

  @Override
  boolean takes(Values some) {
    return some instanceof Points;
  }

  @Override
  void point(int bucket, Map<String, String> key, long time, double value) {
    double[] held = values[bucket];
    if (held == null || sizes[bucket] == held.length) {
      int length = held == null ? 8 : 2 * held.length;
      retained.hold(8L * length, "values for a quantile");
      held = held == null ? new double[length] : Arrays.copyOf(held, length);
      values[bucket] = held;
    }
    held[sizes[bucket]++] = value;
  }

  @Override
  Values result(BucketGrid grid) {
    return points(grid, this::quantile);
  }

  private double quantile(int bucket) {
    int size = sizes[bucket];
    double[] held = values[bucket];
    if (held == null || size == 0) {
      return Double.NaN;
    }
    Arrays.sort(held, 0, size);
    int rank = (int) (q * size);
    return held[Math.clamp(rank - 1, 0, size - 1)];
  }
}
