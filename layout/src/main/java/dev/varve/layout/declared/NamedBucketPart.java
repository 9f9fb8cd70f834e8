package dev.varve.layout.declared;

import dev.varve.layout.DamagedCellException;
import dev.varve.layout.KeyBytes;
import dev.varve.layout.KeyInput;
import dev.varve.layout.KeyOutput;
import dev.varve.layout.KeyPart;
import dev.varve.layout.declared.BucketWidth.CalendarUnit;
import dev.varve.model.Resolution;
import dev.varve.model.TimeRange;
import java.nio.charset.StandardCharsets;

/**
 * A calendar bucket by its ISO 8601 name, in ASCII.
 *
 * <pre>
 * day    2015-03-01
 * week   2015-W10      // the year is that of the week's Thursday
 * month  2015-03
 * year   2015
 * </pre>
 *
 * Every name includes the year, because week and month numbers recur. Years range from 0000 to
 * 9999.
 */
final class NamedBucketPart implements KeyPart.Time {
  private final String label;
  private final CalendarUnit unit;
  private final Bucketing.Calendar bucketing;
  private final long ticksPerDay;
  private final TimeRange times;

  NamedBucketPart(KeyElement.Bucket element, Resolution resolution) {
    this.label = element.text();
    this.unit = ((BucketWidth.Calendar) element.width()).unit();
    this.ticksPerDay = 86_400 * resolution.perSecond();
    this.bucketing = new Bucketing.Calendar(unit, ticksPerDay);
    this.times = new TimeRange(ticks(firstDay(0)), ticks(firstDay(10_000)));
  }

  /** Returns the first day of the first bucket that belongs to a year. */
  private long firstDay(long year) {
    return unit == CalendarUnit.WEEK ? CivilDate.ofWeek(year, 1) : CivilDate.of(year, 1, 1);
  }

  /** Returns the start of a day, saturating at a bucket start that fits into 64 bits. */
  private long ticks(long day) {
    if (Math.abs(day) <= Long.MAX_VALUE / ticksPerDay) {
      return day * ticksPerDay;
    }
    return day > 0 ? Long.MAX_VALUE : new Bucketing.Calendar(unit, ticksPerDay).first();
  }

  /** Returns the times whose buckets have names. */
  TimeRange times() {
    return times;
  }

  private long day(long time) {
    long inside = Math.clamp(time, times.from(), times.to() - 1);
    return CivilDate.floor(Math.floorDiv(inside, ticksPerDay), unit);
  }

  @Override
  public String label() {
    return label;
  }

  @Override
  public Role role() {
    return Role.TIME;
  }

  @Override
  public long floor(long time) {
    return day(time) * ticksPerDay;
  }

  @Override
  public long next(long bucket) {
    return bucketing.next(bucket);
  }

  @Override
  public boolean descending() {
    return false;
  }

  @Override
  public boolean instant() {
    return false;
  }

  @Override
  public void encode(KeyInput input, KeyBytes out) {
    long day = day(input.time());
    switch (unit) {
      case DAY -> {
        month(day, out);
        digits(CivilDate.dayOfMonth(day), 2, out.u8('-'));
      }
      case WEEK -> {
        digits(CivilDate.weekYear(day), 4, out);
        digits(CivilDate.weekOfYear(day), 2, out.u8('-').u8('W'));
      }
      case MONTH -> month(day, out);
      case YEAR -> digits(CivilDate.year(day), 4, out);
    }
  }

  private static void month(long day, KeyBytes out) {
    digits(CivilDate.year(day), 4, out);
    digits(CivilDate.month(day), 2, out.u8('-'));
  }

  private static void digits(long number, int count, KeyBytes out) {
    for (long power = count == 4 ? 1000 : 10; power > 0; power /= 10) {
      out.u8('0' + (int) (number / power % 10));
    }
  }

  private int length() {
    return switch (unit) {
      case DAY -> 10;
      case WEEK -> 8;
      case MONTH -> 7;
      case YEAR -> 4;
    };
  }

  @Override
  public int decode(byte[] row, int from, int to, KeyOutput out) {
    out.time(timeAt(row, from, to));
    return from + length();
  }

  @Override
  public int skip(byte[] row, int from, int to) {
    timeAt(row, from, to);
    return from + length();
  }

  @Override
  public long timeAt(byte[] row, int from, int to) {
    if (to - from < length()) {
      throw new DamagedCellException(
          "row key, byte %d: %s takes %d bytes, %d are left"
              .formatted(from, label, length(), to - from));
    }
    long day = parse(row, from);
    long start = day * ticksPerDay;
    if (day == Long.MIN_VALUE || !times.contains(start)) {
      throw new DamagedCellException(
          "row key, byte %d: '%s' is not a %s"
              .formatted(from, new String(row, from, length(), StandardCharsets.US_ASCII), label));
    }
    return start;
  }

  /** Parses the first day of the bucket; {@link Long#MIN_VALUE} if the name is invalid. */
  private long parse(byte[] row, int from) {
    int year = number(row, from, 4);
    boolean dashed = unit == CalendarUnit.YEAR || row[from + 4] == '-';
    int number =
        switch (unit) {
          case YEAR -> 1;
          case WEEK -> row[from + 5] == 'W' ? number(row, from + 6, 2) : -1;
          case MONTH, DAY -> number(row, from + 5, 2);
        };
    int dayOfMonth =
        unit != CalendarUnit.DAY ? 1 : row[from + 7] == '-' ? number(row, from + 8, 2) : -1;
    if (year < 0 || !dashed || number < 1 || dayOfMonth < 1) {
      return Long.MIN_VALUE;
    }
    return unit == CalendarUnit.WEEK ? week(year, number) : date(year, number, dayOfMonth);
  }

  private static long week(int year, int week) {
    long monday = CivilDate.ofWeek(year, week);
    return CivilDate.weekYear(monday) == year ? monday : Long.MIN_VALUE;
  }

  private static long date(int year, int month, int dayOfMonth) {
    if (month > 12 || dayOfMonth > 31) {
      return Long.MIN_VALUE;
    }
    long day = CivilDate.of(year, month, dayOfMonth);
    return CivilDate.dayOfMonth(day) == dayOfMonth ? day : Long.MIN_VALUE;
  }

  /** Parses decimal digits; -1 if a character is not a digit. */
  private static int number(byte[] row, int from, int count) {
    int number = 0;
    for (int i = 0; i < count; i++) {
      int digit = row[from + i] - '0';
      if (digit < 0 || digit > 9) {
        return -1;
      }
      number = 10 * number + digit;
    }
    return number;
  }

  @Override
  public String show(byte[] row, int from, int to) {
    return new String(row, from, to - from, StandardCharsets.US_ASCII);
  }

  @Override
  public String toString() {
    return label;
  }
}
