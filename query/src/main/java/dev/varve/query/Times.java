package dev.varve.query;

import dev.varve.model.Resolution;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;

/** Between the time of a dataset and the calendar. */
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

  /** How many of the unit a duration holds, cut to whole ones. */
  static long length(Duration duration, Resolution resolution) {
    long perSecond = resolution.perSecond();
    return Math.addExact(
        Math.multiplyExact(duration.getSeconds(), perSecond),
        duration.getNano() / (1_000_000_000L / perSecond));
  }
}
