package dev.varve.server.opentsdb.query;

import dev.varve.layout.opentsdb.RollupInterval;
import dev.varve.model.Resolution;
import dev.varve.model.TimeRange;
import org.jspecify.annotations.Nullable;

/**
 * The times that a query reads: whole hours, as the rows of OpenTSDB's table are, so that points
 * around the requested range take part in interpolation and in downsampling.
 *
 * @param from in milliseconds since 1970, inclusive
 * @param to in milliseconds since 1970, exclusive
 */
public record ScanRange(long from, long to) {
  private static final long HOUR_SECONDS = 3600;

  /** Maximum time of a roll-up, in seconds since 1970. */
  private static final long SECONDS_MAX = 1L << 32;

  /**
   * Maximum time of a sample in milliseconds since 1970, in every resolution of milliseconds or
   * finer.
   */
  private static final long LAST = 1L << 50;

  /** Returns the times that a query of some times reads, in milliseconds. */
  public static ScanRange of(long start, long end, @Nullable Downsampling downsampling) {
    long width = downsampling == null ? 0 : Math.min(downsampling.interval(), Buckets.WIDTH_MAX);
    long first = Math.min(start, LAST) / 1000;
    // OpenTSDB adds a second to every end that is given in milliseconds, and all are.
    long last = Math.min(end, LAST) / 1000 + 1;
    if (width > 0) {
      first -= 1000 * first % width / 1000;
      last += (width - 1000 * last % width) / 1000;
    }
    long from = Math.max(0, first - first % HOUR_SECONDS);
    long over = last % HOUR_SECONDS;
    long to = over == 0 && width > 0 ? last : last + HOUR_SECONDS - over;
    return new ScanRange(1000 * from, 1000 * to);
  }

  /**
   * Returns the times that a query of roll-ups reads: whole rows of them.
   *
   * @param rate whether the rate at the start needs an earlier roll-up
   */
  static ScanRange of(long start, long end, RollupInterval interval, boolean rate) {
    long first = interval.floor(Math.clamp(start / 1000, 0, SECONDS_MAX));
    if (rate && first > 0) {
      first = interval.floor(first - 1);
    }
    long last = Math.clamp(end / 1000 + 1, 0, SECONDS_MAX);
    return new ScanRange(
        1000 * first, 1000 * interval.floor(last + interval.seconds() * interval.entries()));
  }

  /** Returns these times in a resolution. */
  public TimeRange in(Resolution resolution) {
    return new TimeRange(converted(from, resolution), converted(to, resolution));
  }

  /** Converts a time; one beyond the range of the resolution becomes the last one. */
  static long converted(long millis, Resolution resolution) {
    try {
      return Resolution.MILLISECONDS.convert(millis, resolution);
    } catch (ArithmeticException e) {
      return Long.MAX_VALUE;
    }
  }
}
