package dev.varve.layout.declared;

import dev.varve.layout.declared.BucketWidth.CalendarUnit;

/**
 * Days since 1970-01-01 and the calendar, over all of 64 bits and without allocating, which {@code
 * java.time} offers neither. After Howard Hinnant, <i>chrono-Compatible Low-Level Date
 * Algorithms</i>: years begin in March there, so that the leap day is their last.
 */
final class CivilDate {
  private static final int DAYS_PER_CYCLE = 146_097;

  /** From 0000-03-01 to 1970-01-01. */
  private static final int EPOCH_SHIFT = 719_468;

  /** 1970-01-01 was a Thursday, three days behind Monday. */
  private static final int EPOCH_WEEKDAY = 3;

  private CivilDate() {}

  /** The first day of the stretch that a day lies in. */
  static long floor(long day, CalendarUnit unit) {
    return switch (unit) {
      case DAY -> day;
      case WEEK -> day - Math.floorMod(day + EPOCH_WEEKDAY, 7);
      case MONTH -> day - dayOfMonth(day) + 1;
      case YEAR -> ofYear(year(day));
    };
  }

  /** The first day of the stretch behind the one that begins with {@code first}. */
  static long next(long first, CalendarUnit unit) {
    return switch (unit) {
      case DAY -> first + 1;
      case WEEK -> first + 7;
      // No month has 32 days, every month has 28.
      case MONTH -> floor(first + 31, CalendarUnit.MONTH);
      case YEAR -> ofYear(year(first) + 1);
    };
  }

  static long daysMax(CalendarUnit unit) {
    return switch (unit) {
      case DAY -> 1;
      case WEEK -> 7;
      case MONTH -> 31;
      case YEAR -> 366;
    };
  }

  /** The calendar year; the year before 1 is 0. */
  static long year(long day) {
    long marchDay = day + EPOCH_SHIFT;
    long cycle = Math.floorDiv(marchDay, DAYS_PER_CYCLE);
    int dayOfCycle = Math.floorMod(marchDay, DAYS_PER_CYCLE);
    int yearOfCycle = yearOfCycle(dayOfCycle);
    boolean afterDecember = monthIndex(dayOfYear(dayOfCycle, yearOfCycle)) >= 10;
    return cycle * 400 + yearOfCycle + (afterDecember ? 1 : 0);
  }

  /** 1 to 12. */
  static int month(long day) {
    int index = monthIndex(marchDayOfYear(day));
    return index < 10 ? index + 3 : index - 9;
  }

  /** 1 to 31. */
  static int dayOfMonth(long day) {
    int dayOfYear = marchDayOfYear(day);
    return dayOfYear - (153 * monthIndex(dayOfYear) + 2) / 5 + 1;
  }

  /** The day of a date. */
  static long of(long year, int month, int dayOfMonth) {
    long marchYear = month <= 2 ? year - 1 : year;
    long cycle = Math.floorDiv(marchYear, 400);
    int yearOfCycle = Math.floorMod(marchYear, 400);
    int index = month > 2 ? month - 3 : month + 9;
    int dayOfYear = (153 * index + 2) / 5 + dayOfMonth - 1;
    int dayOfCycle = yearOfCycle * 365 + yearOfCycle / 4 - yearOfCycle / 100 + dayOfYear;
    return cycle * DAYS_PER_CYCLE + dayOfCycle - EPOCH_SHIFT;
  }

  /** The year that the ISO week of a Monday belongs to: that of its Thursday. */
  static long weekYear(long monday) {
    return year(monday + 3);
  }

  /** The number of the ISO week that a Monday begins, 1 to 53. */
  static int weekOfYear(long monday) {
    return (int) ((monday + 3 - ofYear(weekYear(monday))) / 7) + 1;
  }

  /** The Monday of an ISO week. */
  static long ofWeek(long weekYear, int week) {
    // The fourth of January lies in week 1, always.
    return floor(of(weekYear, 1, 4), CalendarUnit.WEEK) + 7L * (week - 1);
  }

  private static long ofYear(long year) {
    return of(year, 1, 1);
  }

  private static int marchDayOfYear(long day) {
    int dayOfCycle = Math.floorMod(day + EPOCH_SHIFT, DAYS_PER_CYCLE);
    return dayOfYear(dayOfCycle, yearOfCycle(dayOfCycle));
  }

  private static int yearOfCycle(int dayOfCycle) {
    return (dayOfCycle - dayOfCycle / 1460 + dayOfCycle / 36_524 - dayOfCycle / 146_096) / 365;
  }

  private static int dayOfYear(int dayOfCycle, int yearOfCycle) {
    return dayOfCycle - (365 * yearOfCycle + yearOfCycle / 4 - yearOfCycle / 100);
  }

  private static int monthIndex(int dayOfMarchYear) {
    return (5 * dayOfMarchYear + 2) / 153;
  }
}
