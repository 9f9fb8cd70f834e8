package dev.varve.layout.declared;

import dev.varve.layout.declared.BucketWidth.CalendarUnit;

/**
 * Converts between days since 1970-01-01 and calendar dates, over the full 64-bit range and without
 * allocating; {@code java.time} does neither. After Howard Hinnant, <i>chrono-Compatible Low-Level
 * Date Algorithms</i>, where years begin in March so that the leap day comes last.
 */
final class CivilDate {
  private static final int DAYS_PER_CYCLE = 146_097;

  /** Days from 0000-03-01 to 1970-01-01. */
  private static final int EPOCH_SHIFT = 719_468;

  /** 1970-01-01 was a Thursday, three days after Monday. */
  private static final int EPOCH_WEEKDAY = 3;

  private CivilDate() {}

  /** Returns the first day of the calendar unit that contains a day. */
  static long floor(long day, CalendarUnit unit) {
    return switch (unit) {
      case DAY -> day;
      case WEEK -> day - Math.floorMod(day + EPOCH_WEEKDAY, 7);
      case MONTH -> day - dayOfMonth(day) + 1;
      case YEAR -> ofYear(year(day));
    };
  }

  /** Returns the first day of the unit after the one that starts with {@code first}. */
  static long next(long first, CalendarUnit unit) {
    return switch (unit) {
      case DAY -> first + 1;
      case WEEK -> first + 7;
      // No month has 32 days, and every month has at least 28.
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

  /** Returns the calendar year; the year before 1 is 0. */
  static long year(long day) {
    long marchDay = day + EPOCH_SHIFT;
    long cycle = Math.floorDiv(marchDay, DAYS_PER_CYCLE);
    int dayOfCycle = Math.floorMod(marchDay, DAYS_PER_CYCLE);
    int yearOfCycle = yearOfCycle(dayOfCycle);
    boolean afterDecember = monthIndex(dayOfYear(dayOfCycle, yearOfCycle)) >= 10;
    return cycle * 400 + yearOfCycle + (afterDecember ? 1 : 0);
  }

  /** Returns the month, 1 to 12. */
  static int month(long day) {
    int index = monthIndex(marchDayOfYear(day));
    return index < 10 ? index + 3 : index - 9;
  }

  /** Returns the day of the month, 1 to 31. */
  static int dayOfMonth(long day) {
    int dayOfYear = marchDayOfYear(day);
    return dayOfYear - (153 * monthIndex(dayOfYear) + 2) / 5 + 1;
  }

  /** Returns the day number of a date. */
  static long of(long year, int month, int dayOfMonth) {
    long marchYear = month <= 2 ? year - 1 : year;
    long cycle = Math.floorDiv(marchYear, 400);
    int yearOfCycle = Math.floorMod(marchYear, 400);
    int index = month > 2 ? month - 3 : month + 9;
    int dayOfYear = (153 * index + 2) / 5 + dayOfMonth - 1;
    int dayOfCycle = yearOfCycle * 365 + yearOfCycle / 4 - yearOfCycle / 100 + dayOfYear;
    return cycle * DAYS_PER_CYCLE + dayOfCycle - EPOCH_SHIFT;
  }

  /** Returns the ISO week year of a Monday, which is the calendar year of its Thursday. */
  static long weekYear(long monday) {
    return year(monday + 3);
  }

  /** Returns the number of the ISO week that a Monday begins, 1 to 53. */
  static int weekOfYear(long monday) {
    return (int) ((monday + 3 - ofYear(weekYear(monday))) / 7) + 1;
  }

  /** Returns the Monday of an ISO week. */
  static long ofWeek(long weekYear, int week) {
    // January 4 is always in week 1.
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
