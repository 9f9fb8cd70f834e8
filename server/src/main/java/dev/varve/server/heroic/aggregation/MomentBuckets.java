package dev.varve.server.heroic.aggregation;

import dev.varve.server.heroic.aggregation.Fold.Basic;
import dev.varve.server.heroic.aggregation.Values.Points;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** Buckets that count, sum up, and keep extremes. */
final class MomentBuckets extends Buckets {
  private final Basic fold;
  private final long[] counts;
  private final double[] sums;
  private final double[] squares;
  private final double[] least;
  private final double[] most;

  MomentBuckets(Basic fold, int count) {
    this.fold = fold;
    this.counts = new long[count];
    this.sums = new double[count];
    this.squares = new double[count];
    this.least = new double[count];
    this.most = new double[count];
    Arrays.fill(least, Double.POSITIVE_INFINITY);
    Arrays.fill(most, Double.NEGATIVE_INFINITY);
  }

  @Override
  boolean takes(Values values) {
    return switch (values) {
      case Points points -> true;
      // Heroic's average ignores spreads.
      case Values.Spreads spreads -> fold != Basic.AVERAGE && fold != Basic.TEMPLATE;
      case Values.Groups groups -> fold == Basic.COUNT;
      case Values.Distributions distributions -> false;
      case Values.Digests digests -> false;
    };
  }

  @Override
  void point(int bucket, Map<String, String> key, long time, double value) {
    add(bucket, 1, value, value * value, value, value);
  }

  @Override
  void spread(int bucket, Map<String, String> key, Values.Spread spread) {
    // Heroic counts a spread as one, not as its number of samples.
    long count = fold == Basic.COUNT ? 1 : spread.count();
    add(bucket, count, spread.sum(), spread.sum2(), spread.min(), spread.max());
  }

  @Override
  void group(int bucket, Map<String, String> key, Values.Collected group) {
    counts[bucket]++;
  }

  private void add(int bucket, long count, double sum, double sum2, double min, double max) {
    counts[bucket] += count;
    sums[bucket] += sum;
    squares[bucket] += sum2;
    least[bucket] = Math.min(least[bucket], min);
    most[bucket] = Math.max(most[bucket], max);
  }

  @Override
  Values result(BucketGrid grid) {
    return fold == Basic.SPREAD ? spreads(grid) : points(grid, this::value);
  }

  private double value(int bucket) {
    return switch (fold) {
      case COUNT -> counts[bucket];
      case TEMPLATE -> 0;
      case AVERAGE, SUM, SUM2, MIN, MAX, STDDEV ->
          counts[bucket] == 0 ? Double.NaN : moment(bucket);
      case SPREAD, GROUP_UNIQUE, RATE_PER_SECOND, TDIGEST ->
          throw new IllegalStateException(fold.label());
    };
  }

  private double moment(int bucket) {
    return switch (fold) {
      case AVERAGE -> sums[bucket] / counts[bucket];
      case SUM -> sums[bucket];
      case SUM2 -> squares[bucket];
      case MIN -> least[bucket];
      case MAX -> most[bucket];
      case STDDEV -> deviation(bucket);
      case COUNT, TEMPLATE, SPREAD, GROUP_UNIQUE, RATE_PER_SECOND, TDIGEST ->
          throw new IllegalStateException(fold.label());
    };
  }

  private double deviation(int bucket) {
    double mean = sums[bucket] / counts[bucket];
    return Math.sqrt(squares[bucket] / counts[bucket] - mean * mean);
  }

  private Values spreads(BucketGrid grid) {
    List<Values.Spread> spreads = new ArrayList<>();
    for (int i = 0; i < counts.length; i++) {
      if (counts[i] > 0) {
        spreads.add(
            new Values.Spread(grid.time(i), counts[i], sums[i], squares[i], least[i], most[i]));
      }
    }
    return new Values.Spreads(spreads);
  }
}
