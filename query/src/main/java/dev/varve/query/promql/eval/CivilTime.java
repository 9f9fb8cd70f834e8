package dev.varve.query.promql.eval;

/**
 * A time in UTC, for any 64-bit number of seconds, which exceeds the range of {@code java.time}.
 * Internally, years start in March, so that the leap day is the last day of the year.
 *
 * @param year of the proleptic Gregorian calendar
 * @param month from 1
 * @param day day of the month, from 1
 * @param dayOfYear from 1
 * @param dayOfWeek from 0 (Sunday)
 * @param second second of the day
 */
record CivilTime(long year, int month, int day, int dayOfYear, int dayOfWeek, int second) {
  private static final long DAY = 86_400;
  private static final int DAYS_OF_400_YEARS = 146_097;

  /** Days from 1 March of the year 0 to 1970. */
  private static final long DAYS_UNTIL_1970 = 719_468;

  /**
   * 1 March -292277022400 in seconds, where Go's calendar starts. Earlier times wrap around: they
   * count as 2^64 seconds later.
   */
  private static final long FIRST = (-730_692_556L * DAYS_OF_400_YEARS - DAYS_UNTIL_1970) * DAY;

  /**
   * Returns a time.
   *
   * @param seconds since 1970
   */
  static CivilTime of(long seconds) {
    boolean round = seconds < FIRST;
    long days = round ? Long.divideUnsigned(seconds, DAY) : Math.floorDiv(seconds, DAY);
    long second = round ? Long.remainderUnsigned(seconds, DAY) : Math.floorMod(seconds, DAY);
    return ofDay(days, (int) second);
  }

  private static CivilTime ofDay(long days, int second) {
    long since = days + DAYS_UNTIL_1970;
    int dayOf400 = (int) Math.floorMod(since, (long) DAYS_OF_400_YEARS);
    int yearOf400 = (dayOf400 - dayOf400 / 1_460 + dayOf400 / 36_524 - dayOf400 / 146_096) / 365;
    int sinceMarch = dayOf400 - (365 * yearOf400 + yearOf400 / 4 - yearOf400 / 100);
    int monthSinceMarch = (5 * sinceMarch + 2) / 153;
    boolean inYearBefore = monthSinceMarch < 10;
    long year = Math.floorDiv(since, (long) DAYS_OF_400_YEARS) * 400 + yearOf400;
    year += inYearBefore ? 0 : 1;
    return new CivilTime(
        year,
        inYearBefore ? monthSinceMarch + 3 : monthSinceMarch - 9,
        sinceMarch - (153 * monthSinceMarch + 2) / 5 + 1,
        inYearBefore ? sinceMarch + 60 + (isLeap(year) ? 1 : 0) : sinceMarch - 305,
        (int) Math.floorMod(days + 4, 7L),
        second);
  }

  private static boolean isLeap(long year) {
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  }

  int daysInMonth() {
    return switch (month) {
      case 2 -> isLeap(year) ? 29 : 28;
      case 4, 6, 9, 11 -> 30;
      default -> 31;
    };
  }

  int hour() {
    return second / 3_600;
  }

  int minute() {
    return second / 60 % 60;
  }
}
