package dev.varve.server.heroic.aggregation;

import dev.varve.server.heroic.aggregation.Values.Points;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Buckets that count different values exactly. */
final class DistinctBuckets extends Buckets {
  private static final int VALUE_BYTES = 120;

  private final boolean includeKey;
  private final Retained retained;
  private final List<Set<Seen>> seen = new ArrayList<>();

  DistinctBuckets(boolean includeKey, int count, Retained retained) {
    this.includeKey = includeKey;
    this.retained = retained;
    for (int i = 0; i < count; i++) {
      seen.add(Set.of());
    }
  }

  /** A value, with the key of its series if that counts. */
  private record Seen(Map<String, String> key, Object value) {}

  @Override
  boolean takes(Values values) {
    return switch (values) {
      case Points points -> true;
      case Values.Spreads spreads -> true;
      case Values.Groups groups -> true;
      case Values.Distributions distributions -> false;
      case Values.Digests digests -> false;
    };
  }

  private void add(int bucket, Map<String, String> key, Object value) {
    Seen one = new Seen(includeKey ? key : Map.of(), value);
    Set<Seen> values = seen.get(bucket);
    if (values.isEmpty()) {
      values = new HashSet<>();
      seen.set(bucket, values);
    }
    if (values.add(one)) {
      retained.hold(VALUE_BYTES, "different values");
    }
  }

  @Override
  void point(int bucket, Map<String, String> key, long time, double value) {
    add(bucket, key, value);
  }

  @Override
  void spread(int bucket, Map<String, String> key, Values.Spread spread) {
    add(
        bucket,
        key,
        new Values.Spread(
            0, spread.count(), spread.sum(), spread.sum2(), spread.min(), spread.max()));
  }

  @Override
  void group(int bucket, Map<String, String> key, Values.Collected group) {
    add(bucket, key, new Values.Collected(0, group.points(), group.spreads()));
  }

  @Override
  Values result(BucketGrid grid) {
    return points(grid, bucket -> seen.get(bucket).size());
  }
}
