package dev.varve.query;

import dev.varve.model.Resolution;
import java.time.DateTimeException;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;

/**
 * A length of time, in calendar units, which may be of different lengths at different times.
 *
 * @param count at least 1
 * @param zone whose days and months are meant
 * @param resolution the unit that lengths are given in
 */
public record Span(int count, ChronoUnit unit, ZoneId zone, Resolution resolution) {
  /** A second, in the unit of a dataset. */
  public static Span second(Resolution resolution) {
    return new Span(1, ChronoUnit.SECONDS, java.time.ZoneOffset.UTC, resolution);
  }

  /** How long it is from an instant on; less than 1 where the resolution is coarser. */
  public double lengthFrom(long time) {
    if (unit.isTimeBased()) {
      double seconds = unit.getDuration().toSeconds() + unit.getDuration().toNanosPart() / 1e9;
      return count * seconds * resolution.perSecond();
    }
    try {
      ZonedDateTime from = Times.local(time, resolution, zone);
      return Times.of(from.plus(count, unit), resolution) - (double) time;
    } catch (DateTimeException | ArithmeticException e) {
      // Behind the end of the calendar a unit is as long as it is on average.
      return (double) count * unit.getDuration().toSeconds() * resolution.perSecond();
    }
  }
}
