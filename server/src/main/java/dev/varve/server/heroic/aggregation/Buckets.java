package dev.varve.server.heroic.aggregation;

import com.tdunning.math.stats.TDigest;
import dev.varve.server.heroic.aggregation.Values.Points;
import java.util.Map;
import java.util.function.IntToDoubleFunction;

/** The buckets of one group: they take values and make the result. */
abstract class Buckets {
  /** Returns empty buckets for a fold. */
  static Buckets of(Fold fold, int count, Retained retained) {
    return switch (fold) {
      case Fold.Quantile quantile -> new QuantileBuckets(quantile.q(), count, retained);
      case Fold.Cardinality cardinality ->
          new DistinctBuckets(cardinality.includeKey(), count, retained);
      case Fold.Basic basic ->
          switch (basic) {
            case AVERAGE, SUM, SUM2, MIN, MAX, COUNT, STDDEV, SPREAD, TEMPLATE ->
                new MomentBuckets(basic, count);
            case RATE_PER_SECOND -> new RateBuckets(count);
            case GROUP_UNIQUE -> new UniqueBuckets(count, retained);
            case TDIGEST -> new DigestBuckets(count, retained);
          };
    };
  }

  /** Returns the memory of an empty bucket, in bytes. */
  static long bytes(Fold fold) {
    return fold instanceof Fold.Basic basic && basic != Fold.Basic.GROUP_UNIQUE ? 64 : 48;
  }

  /** Returns whether values of this kind count. */
  abstract boolean takes(Values values);

  void point(int bucket, Map<String, String> key, long time, double value) {}

  void spread(int bucket, Map<String, String> key, Values.Spread spread) {}

  void group(int bucket, Map<String, String> key, Values.Collected group) {}

  void sketch(int bucket, Sketch sketch) {}

  void digest(int bucket, TDigest digest) {}

  abstract Values result(BucketGrid grid);

  /** Returns a point for each bucket whose value is finite. */
  static Points points(BucketGrid grid, IntToDoubleFunction value) {
    long[] times = new long[grid.count()];
    double[] values = new double[grid.count()];
    int size = 0;
    for (int bucket = 0; bucket < grid.count(); bucket++) {
      double made = value.applyAsDouble(bucket);
      if (Double.isFinite(made)) {
        times[size] = grid.time(bucket);
        values[size++] = made;
      }
    }
    return new Points(times, values, size);
  }
}
