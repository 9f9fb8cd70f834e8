package dev.varve.query.limit;

import java.time.Duration;

/**
 * Resource limits of one query, in any query language. A query that exceeds one fails with a
 * message that says how far it got.
 *
 * @param series maximum number of keys that all its selectors match together, checked before any is
 *     read
 * @param samples maximum number of samples read
 * @param memory maximum number of bytes held for series, samples, values and results. A query that
 *     needs more fails, unless it can be processed piece by piece
 * @param points maximum number of samples in the result
 * @param steps maximum number of times at which a subquery is evaluated
 * @param time maximum running time, excluding time spent waiting for others
 * @param cells maximum number of cells that the stores scan, including those of other series
 * @param bytes maximum size of those cells
 */
public record QueryLimits(
    long series,
    long samples,
    long memory,
    long points,
    long steps,
    Duration time,
    long cells,
    long bytes) {
  /**
   * The memory is a sixteenth of the heap, between 8 and 256 MiB; the time is two minutes. No store
   * reaches the limit of cells in that time.
   */
  public static final QueryLimits DEFAULTS =
      new QueryLimits(
          1_000_000,
          1_000_000_000,
          Math.clamp(Runtime.getRuntime().maxMemory() / 16, 8L << 20, 256L << 20),
          100_000_000,
          5_000_000,
          Duration.ofMinutes(2),
          2_000_000_000,
          256L << 30);

  public QueryLimits withMemory(long other) {
    return new QueryLimits(series, samples, other, points, steps, time, cells, bytes);
  }

  /** Returns these limits with the given time if it is shorter. */
  public QueryLimits within(Duration other) {
    return other.compareTo(time) >= 0
        ? this
        : new QueryLimits(series, samples, memory, points, steps, other, cells, bytes);
  }
}
