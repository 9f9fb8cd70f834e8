package dev.varve.server.heroic.aggregation;

import dev.varve.server.heroic.aggregation.Values.Points;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Buckets that keep their points and spreads, of each the first one at a time. */
final class UniqueBuckets extends Buckets {
  private static final int VALUE_BYTES = 120;

  private final Retained retained;
  private final List<@Nullable Kept> kept = new ArrayList<>();

  UniqueBuckets(int count, Retained retained) {
    this.retained = retained;
    for (int i = 0; i < count; i++) {
      kept.add(null);
    }
  }

  private record Kept(
      SortedMap<Long, Values.Point> points, SortedMap<Long, Values.Spread> spreads) {}

  private Kept kept(int bucket) {
    Kept known = kept.get(bucket);
    if (known == null) {
      retained.hold(VALUE_BYTES, "points of a bucket");
      known = new Kept(new TreeMap<>(), new TreeMap<>());
      kept.set(bucket, known);
    }
    return known;
  }

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

  @Override
  void point(int bucket, Map<String, String> key, long time, double value) {
    if (kept(bucket).points().putIfAbsent(time, new Values.Point(time, value)) == null) {
      retained.hold(VALUE_BYTES, "points of a bucket");
    }
  }

  @Override
  void spread(int bucket, Map<String, String> key, Values.Spread spread) {
    if (kept(bucket).spreads().putIfAbsent(spread.time(), spread) == null) {
      retained.hold(VALUE_BYTES, "points of a bucket");
    }
  }

  @Override
  void group(int bucket, Map<String, String> key, Values.Collected group) {
    group.points().forEach(point -> point(bucket, key, point.time(), point.value()));
    group.spreads().forEach(spread -> spread(bucket, key, spread));
  }

  @Override
  Values result(BucketGrid grid) {
    List<Values.Collected> groups = new ArrayList<>();
    for (int i = 0; i < kept.size(); i++) {
      Kept one = kept.get(i);
      if (one != null) {
        groups.add(
            new Values.Collected(
                grid.time(i),
                List.copyOf(one.points().values()),
                List.copyOf(one.spreads().values())));
      }
    }
    return new Values.Groups(groups);
  }
}
