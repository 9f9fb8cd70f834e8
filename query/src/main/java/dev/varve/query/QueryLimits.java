package dev.varve.query;

import java.time.Duration;

/**
 * What one query may use, in whichever language it is asked. What would go beyond is refused, with
 * a message that says how far it went.
 *
 * @param series keys that its selectors may match, together; told before one of them is read
 * @param samples samples that it may read
 * @param memory bytes that it may hold: of series, samples, values and results; a query that needs
 *     more is refused on the way, unless it can be answered piece by piece
 * @param points samples that its answer may have
 * @param steps at how many times a subquery of it may be worked out
 * @param time how long it may run, not counting the time that it waits for others
 * @param cells cells that the stores may look at, whether they are of its series or not
 * @param bytes bytes of those cells
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
   * A sixteenth of the heap, between 8 and 256 MiB, two minutes, and as many cells as no store
   * gives in that time.
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

  /** The same limits with so much time, if that is less. */
  public QueryLimits within(Duration other) {
    return other.compareTo(time) >= 0
        ? this
        : new QueryLimits(series, samples, memory, points, steps, other, cells, bytes);
  }
}
