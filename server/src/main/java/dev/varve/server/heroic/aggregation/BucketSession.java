package dev.varve.server.heroic.aggregation;

import dev.varve.server.heroic.aggregation.Values.Points;
import dev.varve.server.heroic.series.HeroicSeries;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Sorts values into buckets. Numbers that are not finite belong to no bucket. */
final class BucketSession implements Session {
  private final BucketGrid grid;
  private final Buckets buckets;
  private final Retained retained;
  private final Set<HeroicSeries> all = new LinkedHashSet<>();

  BucketSession(BucketGrid grid, Fold fold, Retained retained) {
    this.grid = grid;
    this.retained = retained;
    retained.retain(grid.count(), Buckets.bytes(fold) * grid.count(), "buckets of a query");
    this.buckets = Buckets.of(fold, grid.count(), retained);
  }

  @Override
  public void update(Map<String, String> key, Set<HeroicSeries> series, Values values) {
    retained.add(series, all);
    if (!buckets.takes(values)) {
      return;
    }
    switch (values) {
      case Points points -> {
        for (int i = 0; i < points.size(); i++) {
          if (Double.isFinite(points.values()[i])) {
            point(key, points.times()[i], points.values()[i]);
          }
        }
      }
      case Values.Spreads spreads -> {
        for (Values.Spread spread : spreads.spreads()) {
          each(spread.time(), bucket -> buckets.spread(bucket, key, spread));
        }
      }
      case Values.Groups groups -> {
        for (Values.Collected group : groups.groups()) {
          each(group.time(), bucket -> buckets.group(bucket, key, group));
        }
      }
      case Values.Distributions distributions -> {
        for (Values.Distribution one : distributions.distributions()) {
          each(one.time(), bucket -> buckets.sketch(bucket, one.sketch()));
        }
      }
      case Values.Digests digests -> {
        for (Values.Digest one : digests.digests()) {
          each(one.time(), bucket -> buckets.digest(bucket, one.digest()));
        }
      }
    }
  }

  private void point(Map<String, String> key, long time, double value) {
    int end = grid.end(time);
    for (int bucket = grid.first(time); bucket < end; bucket++) {
      retained.tick();
      buckets.point(bucket, key, time, value);
    }
    retained.sampled(1);
  }

  private interface Update {
    void bucket(int bucket);
  }

  private void each(long time, Update update) {
    int end = grid.end(time);
    for (int bucket = grid.first(time); bucket < end; bucket++) {
      retained.tick();
      update.bucket(bucket);
    }
    retained.sampled(1);
  }

  @Override
  public List<Output> result() {
    return List.of(new Output(Map.of(), all, buckets.result(grid)));
  }
}
