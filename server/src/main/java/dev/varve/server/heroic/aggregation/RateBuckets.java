package dev.varve.server.heroic.aggregation;

import dev.varve.server.heroic.aggregation.Values.Points;
import java.util.Map;

/** Buckets with the rises of a counter. A fall is a reset, and adds nothing. */
final class RateBuckets extends Buckets {
  private final boolean[] begun;
  private final long[] first;
  private final long[] last;
  private final double[] value;
  private final double[] rises;

  RateBuckets(int count) {
    this.begun = new boolean[count];
    this.first = new long[count];
    this.last = new long[count];
    this.value = new double[count];
    this.rises = new double[count];
  }

  @Override
  boolean takes(Values values) {
    return values instanceof Points;
  }

  @Override
  void point(int bucket, Map<String, String> key, long time, double now) {
    if (!begun[bucket]) {
      begun[bucket] = true;
      first[bucket] = time;
    } else if (now > value[bucket]) {
      rises[bucket] += now - value[bucket];
    }
    last[bucket] = time;
    value[bucket] = now;
  }

  @Override
  Values result(BucketGrid grid) {
    return points(
        grid,
        bucket ->
            begun[bucket] ? rises[bucket] / (last[bucket] - first[bucket]) * 1000 : Double.NaN);
  }
}
