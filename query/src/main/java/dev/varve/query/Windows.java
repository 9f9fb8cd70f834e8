package dev.varve.query;

import dev.varve.model.Resolution;
import java.time.DateTimeException;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.time.temporal.TemporalAdjusters;
import java.util.Locale;

/**
 * A division of time into adjacent half-open windows. Times are in the resolution of the queried
 * dataset. Implementations are immutable.
 */
public sealed interface Windows {
  /**
   * Returns the start of the window that an instant is counted in. {@link CutTowardsZero} may
   * return a later instant.
   */
  long startOf(long time);

  /**
   * Returns the end of the window that starts at {@code start}, which is the start of the next one;
   * {@link Long#MAX_VALUE} if none follows.
   */
  long endOf(long start);

  /**
   * Returns a lower bound, computed in constant time, of the number of windows that start in a
   * range.
   */
  long leastBetween(long from, long to);

  /** Returns a description, such as {@code 1h}. */
  @Override
  String toString();

  /**
   * Windows of a fixed width, one of which starts at {@code origin}.
   *
   * @param width at least 1
   */
  record Fixed(long width, long origin) implements Windows {
    public Fixed {
      if (width < 1) {
        throw new IllegalArgumentException("a window is at least 1 wide, got " + width);
      }
    }

    @Override
    public long startOf(long time) {
      long into = Math.floorMod(Math.floorMod(time, width) - Math.floorMod(origin, width), width);
      return time < Long.MIN_VALUE + into ? Long.MIN_VALUE : time - into;
    }

    @Override
    public long endOf(long start) {
      // The lowest window may be cut off by the range of a long; its end is still on the grid.
      long floor = Math.floorMod(Math.floorMod(start, width) - Math.floorMod(origin, width), width);
      long rest = width - floor;
      return start > Long.MAX_VALUE - rest ? Long.MAX_VALUE : start + rest;
    }

    @Override
    public long leastBetween(long from, long to) {
      return leastBetween(from, to, width);
    }

    private static long leastBetween(long from, long to, long width) {
      long length = to - from;
      return to <= from ? 0 : (length < 0 ? Long.MAX_VALUE : length) / width;
    }

    @Override
    public String toString() {
      return width + " from " + origin;
    }
  }

  /**
   * Windows of calendar units in a zone, one of which starts at {@code origin}. Days and longer
   * units follow the local calendar across clock changes; months that are too short end on their
   * last day. Hours and shorter units are exact durations.
   *
   * @param count units per window, at least 1
   * @param resolution the unit of {@code origin} and of all times
   */
  record Calendar(int count, ChronoUnit unit, ZoneId zone, long origin, Resolution resolution)
      implements Windows {
    public Calendar {
      if (count < 1) {
        throw new IllegalArgumentException("a window is at least 1 unit wide, got " + count);
      }
    }

    @Override
    public long startOf(long time) {
      ZonedDateTime first = Times.local(origin, resolution, zone);
      return at(first, index(first, time));
    }

    @Override
    public long endOf(long start) {
      ZonedDateTime first = Times.local(origin, resolution, zone);
      return at(first, index(first, start) + 1);
    }

    /** Returns the number of the window that holds an instant; the one at the origin has 0. */
    private long index(ZonedDateTime first, long time) {
      long k =
          Math.floorDiv(unit.between(first, Times.local(time, resolution, zone)), (long) count);
      while (at(first, k) > time) {
        k--;
      }
      // A start at the end of time is clamped: no window follows.
      for (long next = at(first, k + 1);
          next <= time && next < Long.MAX_VALUE;
          next = at(first, k + 1)) {
        k++;
      }
      return k;
    }

    @Override
    public long leastBetween(long from, long to) {
      // No calendar unit is twice as long as its average.
      long longest = Times.length(unit.getDuration().multipliedBy(2), resolution);
      long width = longest > Long.MAX_VALUE / count ? Long.MAX_VALUE : longest * count;
      return Fixed.leastBetween(from, to, Math.max(1, width));
    }

    /** Returns the start of window {@code k}, clamped if the dataset cannot represent it. */
    private long at(ZonedDateTime first, long k) {
      try {
        return Times.of(first.plus(Math.multiplyExact(k, (long) count), unit), resolution);
      } catch (DateTimeException | ArithmeticException e) {
        return k < 0 ? Long.MIN_VALUE : Long.MAX_VALUE;
      }
    }

    @Override
    public String toString() {
      return count + " " + unit.toString().toLowerCase(Locale.ROOT) + " in " + zone;
    }
  }

  /**
   * Windows counted from an origin with the count truncated towards zero, as in KairosDB: an
   * instant before the origin belongs to the window that starts next, together with everything up
   * to the end of that window. For other instants this equals the grid.
   *
   * @param grid one of its windows must start at {@code origin}
   */
  record CutTowardsZero(Windows grid, long origin) implements Windows {
    @Override
    public long startOf(long time) {
      long start = grid.startOf(time);
      return time >= origin || start == time ? start : grid.endOf(start);
    }

    @Override
    public long endOf(long start) {
      return grid.endOf(start);
    }

    @Override
    public long leastBetween(long from, long to) {
      return grid.leastBetween(from, to);
    }

    @Override
    public String toString() {
      return grid.toString();
    }
  }

  /**
   * Parses a width: a number and one of {@code ms}, {@code s}, {@code m}, {@code h}, {@code d},
   * {@code w}, {@code mo}, {@code y}. Hours and shorter units are fixed windows counted from 1970
   * in UTC. Days and longer units start at midnight in the zone, weeks on Monday, months and years
   * on their first day.
   *
   * @throws IllegalArgumentException if the text is not a width, or the resolution cannot represent
   *     it
   */
  static Windows parse(String text, ZoneId zone, Resolution resolution) {
    try {
      return windows(text, zone, resolution);
    } catch (ArithmeticException e) {
      throw new IllegalArgumentException(
          "'" + text + "' is wider than 64 bits of " + resolution.symbol() + " can represent");
    }
  }

  private static Windows windows(String text, ZoneId zone, Resolution resolution) {
    int digits = 0;
    while (digits < text.length() && Character.isDigit(text.charAt(digits))) {
      digits++;
    }
    if (digits == 0 || digits > 9) {
      throw new IllegalArgumentException(noWidth(text));
    }
    int count = Integer.parseInt(text.substring(0, digits));
    if (count == 0) {
      throw new IllegalArgumentException("'" + text + "' is not a window width: it is 0");
    }
    return switch (text.substring(digits)) {
      case "ms" -> fixed(text, Duration.ofMillis(count), resolution);
      case "s" -> fixed(text, Duration.ofSeconds(count), resolution);
      case "m" -> fixed(text, Duration.ofMinutes(count), resolution);
      case "h" -> fixed(text, Duration.ofHours(count), resolution);
      case "d" -> calendar(count, ChronoUnit.DAYS, zone, resolution);
      case "w" -> calendar(count, ChronoUnit.WEEKS, zone, resolution);
      case "mo" -> calendar(count, ChronoUnit.MONTHS, zone, resolution);
      case "y" -> calendar(count, ChronoUnit.YEARS, zone, resolution);
      default -> throw new IllegalArgumentException(noWidth(text));
    };
  }

  /** Returns windows of calendar units, counted from the first such unit in 1970. */
  static Windows calendar(int count, ChronoUnit unit, ZoneId zone, Resolution resolution) {
    LocalDate first = LocalDate.EPOCH;
    if (unit == ChronoUnit.WEEKS) {
      first = first.with(TemporalAdjusters.next(DayOfWeek.MONDAY));
    }
    long origin = Times.of(first.atStartOfDay(zone), resolution);
    boolean exact =
        unit.compareTo(ChronoUnit.WEEKS) <= 0 && zone.normalized() instanceof ZoneOffset;
    return exact
        ? new Fixed(Times.length(unit.getDuration().multipliedBy(count), resolution), origin)
        : new Calendar(count, unit, zone, origin, resolution);
  }

  private static Windows fixed(String text, Duration width, Resolution resolution) {
    long length = Times.length(width, resolution);
    if (length < 1 || !Duration.of(length, Times.unit(resolution)).equals(width)) {
      throw new IllegalArgumentException(
          "'"
              + text
              + "' is not a whole number of "
              + resolution.symbol()
              + ", in which the dataset counts time");
    }
    return new Fixed(length, 0);
  }

  private static String noWidth(String text) {
    return "'" + text + "' is not a window width (try 30s, 5m, 1h, 1d, 1w, 1mo or 1y)";
  }
}
