package dev.varve.query;

import dev.varve.model.Resolution;
import java.time.DateTimeException;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;

/**
 * A calendar length of time. Its exact duration may depend on its start.
 *
 * @param count at least 1
 * @param zone the zone of days and months
 * @param resolution the unit of lengths in numbers
 */
public record Span(int count, ChronoUnit unit, ZoneId zone, Resolution resolution) {
  /** Returns one second, in the resolution of a dataset. */
  public static Span second(Resolution resolution) {
    return new Span(1, ChronoUnit.SECONDS, ZoneOffset.UTC, resolution);
  }

  /** Returns the duration from an instant on, in milliseconds. */
  public double millisFrom(long time) {
    if (unit.isTimeBased()) {
      double seconds = unit.getDuration().toSeconds() + unit.getDuration().toNanosPart() / 1e9;
      return count * seconds * 1000;
    }
    try {
      ZonedDateTime from = Times.local(time, resolution, zone);
      return resolution.millis(Times.of(from.plus(count, unit), resolution) - time);
    } catch (DateTimeException | ArithmeticException e) {
      // Beyond the end of the calendar, use the average length of the unit.
      return (double) count * unit.getDuration().toSeconds() * 1000;
    }
  }
}
