package dev.varve.server.heroic.series;

import dev.varve.model.Resolution;
import dev.varve.model.TimeRange;

/** Heroic's milliseconds in the resolution of a dataset. */
public final class Millis {
  private Millis() {}

  /** Returns the times after {@code start} up to and including {@code end}. */
  public static TimeRange after(long start, long end, Resolution resolution) {
    if (resolution == Resolution.SECONDS) {
      return range(Math.floorDiv(start, 1000L) + 1, Math.floorDiv(end, 1000L) + 1);
    }
    long scale = resolution.perSecond() / 1000;
    return range(scaled(start, scale) + 1, scaled(end, scale) + 1);
  }

  /** Returns the times from {@code start} to {@code end}, both included. */
  public static TimeRange closed(long start, long end, Resolution resolution) {
    return after(start - 1, end, resolution);
  }

  private static TimeRange range(long from, long to) {
    return new TimeRange(from, Math.max(from, to));
  }

  private static long scaled(long time, long scale) {
    long most = (Long.MAX_VALUE - 1) / scale;
    return Math.clamp(time, -most, most) * scale;
  }

  /** Returns a time of a dataset in milliseconds, rounded towards the past. */
  public static long of(long time, Resolution resolution) {
    return resolution == Resolution.MILLISECONDS
        ? time
        : resolution.convert(time, Resolution.MILLISECONDS);
  }
}
