package dev.varve.query;

import dev.varve.model.Resolution;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;

/** Converts between the time of a dataset and the calendar. */
final class Times {
  private Times() {}

  static ChronoUnit unit(Resolution resolution) {
    return switch (resolution) {
      case SECONDS -> ChronoUnit.SECONDS;
      case MILLISECONDS -> ChronoUnit.MILLIS;
      case MICROSECONDS -> ChronoUnit.MICROS;
      case NANOSECONDS -> ChronoUnit.NANOS;
    };
  }

  static ZonedDateTime local(long time, Resolution resolution, ZoneId zone) {
    long perSecond = resolution.perSecond();
    return Instant.ofEpochSecond(
            Math.floorDiv(time, perSecond),
            Math.floorMod(time, perSecond) * (1_000_000_000L / perSecond))
        .atZone(zone);
  }

  static long of(ZonedDateTime local, Resolution resolution) {
    long perSecond = resolution.perSecond();
    return Math.addExact(
        Math.multiplyExact(local.toEpochSecond(), perSecond),
        local.getNano() / (1_000_000_000L / perSecond));
  }

  /** Converts a duration to the resolution, truncated. */
  static long length(Duration duration, Resolution resolution) {
    long perSecond = resolution.perSecond();
    return Math.addExact(
        Math.multiplyExact(duration.getSeconds(), perSecond),
        duration.getNano() / (1_000_000_000L / perSecond));
  }
}
