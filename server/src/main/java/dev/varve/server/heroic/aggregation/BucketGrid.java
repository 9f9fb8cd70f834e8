package dev.varve.server.heroic.aggregation;

import dev.varve.server.heroic.error.HeroicError;

/**
 * The grid of buckets. A bucket at {@code t} takes the points of {@code (t - extent, t]}, or of
 * {@code [t, t + extent)} if buckets are named by their start.
 *
 * @param start of the range of the query, in ms
 * @param size distance of buckets in ms
 * @param extent length of buckets in ms
 * @param count number of buckets
 * @param atEnd whether buckets are named by their end
 */
record BucketGrid(long start, long size, long extent, int count, boolean atEnd) {
  private static final int COUNT_MAX = 100_000;

  /** More than 30,000 years; times and extents can be added up. */
  private static final long LENGTH_MAX = 1L << 50;

  /**
   * Returns the grid of a range.
   *
   * @throws HeroicError if it has no bucket, or too many
   */
  static BucketGrid of(Stage.Buckets buckets, long start, long end, boolean atEnd) {
    long size = buckets.size();
    long extent = buckets.extent();
    if (Math.min(size, extent) < 1 || Math.max(size, extent) > LENGTH_MAX) {
      throw HeroicError.of(
          "size and extent must be from 1 to %d ms, not %d and %d"
              .formatted(LENGTH_MAX, size, extent));
    }
    long count = (end - start) / size;
    if (count < 1 || count > COUNT_MAX) {
      throw HeroicError.of(
          "the range from %d to %d has %,d buckets of %d ms; there must be 1 to %,d"
              .formatted(start, end, count, size, COUNT_MAX));
    }
    return new BucketGrid(start, size, extent, (int) count, atEnd);
  }

  long time(int bucket) {
    return start + size * (atEnd ? bucket + 1L : bucket);
  }

  /** Returns the first bucket that takes a point. */
  int first(long time) {
    long since = time - start;
    long first = atEnd ? (since - 1) / size : (since + size - extent) / size;
    return Math.clamp(first, 0, count);
  }

  /** Returns the bucket after the last one that takes a point. */
  int end(long time) {
    long since = time - start;
    long end = atEnd ? Math.floorDiv(since + extent - 1, size) : (since + size) / size;
    return Math.clamp(end, 0, count);
  }
}
