package dev.varve.server.heroic.aggregation;

import com.tdunning.math.stats.TDigest;
import java.util.List;

/**
 * The input or output of an aggregation, in ascending order of time. Times are in ms since 1970.
 */
public sealed interface Values {
  int size();

  /**
   * Points.
   *
   * @param times at least {@code size} of them
   * @param values at least {@code size} of them
   */
  record Points(long[] times, double[] values, int size) implements Values {}

  /** The spreads of buckets. */
  record Spreads(List<Spread> spreads) implements Values {
    @Override
    public int size() {
      return spreads.size();
    }
  }

  record Spread(long time, long count, double sum, double sum2, double min, double max) {}

  /** The points and spreads of buckets. */
  record Groups(List<Collected> groups) implements Values {
    @Override
    public int size() {
      return groups.size();
    }
  }

  /** The points and spreads that fell into one bucket. */
  record Collected(long time, List<Point> points, List<Spread> spreads) {}

  record Point(long time, double value) {}

  /** Stored distributions. */
  record Distributions(List<Distribution> distributions) implements Values {
    @Override
    public int size() {
      return distributions.size();
    }
  }

  record Distribution(long time, Sketch sketch) {}

  /** The merged digests of buckets. */
  record Digests(List<Digest> digests) implements Values {
    @Override
    public int size() {
      return digests.size();
    }
  }

  record Digest(long time, TDigest digest) {}
}
