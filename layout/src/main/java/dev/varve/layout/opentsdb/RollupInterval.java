package dev.varve.layout.opentsdb;

import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;

/**
 * One of the intervals of roll-ups, as OpenTSDB's configuration describes it.
 *
 * @param text the interval as configured, such as {@code 10m}
 * @param seconds length of the interval
 * @param table the table of roll-ups
 * @param preAggregates the table of pre-aggregates
 * @param rowSpan the stretch of time in a row: {@code 1h}, an even number of hours, {@code 1d},
 *     {@code 1n} (a month) or {@code 1y}
 * @param raw whether this is the default interval: its roll-ups are the points as they were sent
 */
public record RollupInterval(
    String text, long seconds, String table, String preAggregates, String rowSpan, boolean raw) {
  private static final List<Unit> UNITS =
      List.of(
          new Unit('s', 1),
          new Unit('m', 60),
          new Unit('h', 3600),
          new Unit('d', 86_400),
          new Unit('w', 7 * 86_400),
          new Unit('n', 30 * 86_400),
          new Unit('y', 365 * 86_400));

  private static final int ENTRIES_MIN = 12;

  /** Qualifiers count up to here. The original accepts 7774 and then stores wrong times. */
  private static final int ENTRIES_MAX = 1 << 12;

  private record Unit(char letter, int seconds) {}

  /**
   * Reads an interval as OpenTSDB does.
   *
   * @throws IllegalArgumentException with the reason if OpenTSDB would refuse it
   */
  public static RollupInterval of(
      String text, String table, String preAggregates, String rowSpan, boolean raw) {
    require(!table.isEmpty(), "The rollup table cannot be null or empty");
    require(!preAggregates.isEmpty(), "The pre-aggregate rollup table cannot be null or empty");
    requireDuration(text);
    requireDuration(rowSpan);
    char unit = unit(rowSpan);
    int count = count(rowSpan);
    require(unit == 'h' || count == 1, "Multipliers are only usable with the 'h' unit");
    require(count == 1 || count % 2 == 0, "The multiplier must be 1 or an even value");
    long span = count * longestSpan(unit);
    long seconds = count(text) * secondsOf(unit(text));
    require(
        seconds < span, "Interval [%d] is too large for the span [%c]".formatted(seconds, unit));
    long entries = span / seconds;
    require(
        entries <= ENTRIES_MAX,
        "Too many intervals [%d] in the span. A row holds at most [%d]"
            .formatted(entries, ENTRIES_MAX));
    require(
        entries >= ENTRIES_MIN,
        "Not enough intervals [%d] for the span. Must be at least [%d]"
            .formatted(entries, ENTRIES_MIN));
    return new RollupInterval(text, seconds, table, preAggregates, rowSpan, raw);
  }

  private static void require(boolean holds, String otherwise) {
    if (!holds) {
      throw new IllegalArgumentException(otherwise);
    }
  }

  private static void requireDuration(String duration) {
    require(
        duration.matches("[1-9][0-9]{0,5}[smhdwny]"),
        "'%s' is not a number with one of the units s m h d w n y".formatted(duration));
  }

  private static char unit(String duration) {
    return duration.charAt(duration.length() - 1);
  }

  private static int count(String duration) {
    return Integer.parseInt(duration, 0, duration.length() - 1, 10);
  }

  private static long secondsOf(char unit) {
    for (Unit one : UNITS) {
      if (one.letter() == unit) {
        return one.seconds();
      }
    }
    throw new IllegalStateException("checked before");
  }

  /** Returns the seconds of the longest span of a unit. */
  private static long longestSpan(char unit) {
    return switch (unit) {
      case 'h' -> 3600;
      case 'd' -> 86_400;
      case 'n' -> 32 * 86_400;
      case 'y' -> 366 * 86_400;
      default -> throw new IllegalArgumentException("Unrecogznied span '" + unit + "'");
    };
  }

  /** Returns the seconds of the longest row, in intervals. */
  public long entries() {
    return count(rowSpan) * longestSpan(unit(rowSpan)) / seconds;
  }

  /**
   * Returns the start of the row of a time.
   *
   * @param time in seconds since 1970, not negative
   */
  public long floor(long time) {
    return switch (unit(rowSpan)) {
      case 'h' -> time - time % (3600L * count(rowSpan));
      case 'd' -> time - time % 86_400;
      case 'n' -> seconds(date(time).withDayOfMonth(1));
      default -> seconds(date(time).withDayOfYear(1));
    };
  }

  /** Returns the start of the row after the one that starts at a time, in seconds since 1970. */
  public long next(long start) {
    return switch (unit(rowSpan)) {
      case 'h' -> start + 3600L * count(rowSpan);
      case 'd' -> start + 86_400;
      case 'n' -> seconds(date(start).plusMonths(1));
      default -> seconds(date(start).plusYears(1));
    };
  }

  /** Returns the start of the interval of a time, counted from the start of its row. */
  public long interval(long time) {
    long start = floor(time);
    return time - (time - start) % seconds;
  }

  private static LocalDate date(long seconds) {
    return LocalDate.ofInstant(Instant.ofEpochSecond(seconds), ZoneOffset.UTC);
  }

  private static long seconds(LocalDate date) {
    return date.atStartOfDay().toEpochSecond(ZoneOffset.UTC);
  }
}
