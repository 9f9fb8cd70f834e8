package dev.varve.layout.kairosdb;

import dev.varve.model.TimeRange;

/**
 * How much time a row covers, and which row a sample goes to: {@code time - |time| mod width}.
 *
 * <p>From 1970 on that rounds down. Before, it does not: with a width of three weeks -5 goes to the
 * row -10 with offset 5, and nearly every millisecond has a row of its own. A row before 1970 holds
 * two samples at most, since its time -R with R = k * width + 2 * offset can be split in two ways
 * at most.
 *
 * @param millis 1 to 2^31, so that every offset has a column
 */
record RowWidth(long millis) {
  static final long MAX = 1L << 31;

  /** The times whose rows can be computed without an overflow. */
  TimeRange times() {
    return new TimeRange(Long.MIN_VALUE + millis, Long.MAX_VALUE);
  }

  /** The time of the row that a sample goes to; for times too low to be held, the lowest of all. */
  long rowTime(long time) {
    return time < Long.MIN_VALUE + millis ? Long.MIN_VALUE : time - Math.abs(time) % millis;
  }

  /** The lowest row time of any sample from {@code time} on. */
  long lowestFrom(long time) {
    if (time >= 0) {
      return rowTime(time);
    }
    return time < Long.MIN_VALUE + millis ? Long.MIN_VALUE : time - (millis - 1);
  }

  /** The first time that a row of this time does not reach. */
  long end(long rowTime) {
    return rowTime > Long.MAX_VALUE - millis ? Long.MAX_VALUE : rowTime + millis;
  }

  /** Whether any sample goes to a row of this time. */
  boolean isRowTime(long rowTime) {
    if (rowTime >= 0) {
      return rowTime % millis == 0;
    }
    // -R is k * width + 2 * offset with 0 <= offset < width: k is the quotient, or one less.
    long rest = -(rowTime % millis);
    return rest % 2 == 0 || (rowTime <= -millis && (rest + millis) % 2 == 0);
  }

  /** Whether a sample of {@link #times()} at this offset goes to this row. */
  boolean holds(long rowTime, long offset) {
    if (offset >= millis) {
      return false;
    }
    if (rowTime >= 0) {
      return offset < Long.MAX_VALUE - rowTime;
    }
    long time = rowTime + offset;
    return time >= Long.MIN_VALUE + millis && rowTime(time) == rowTime;
  }

  /** Whether a sample at any offset of {@code from} to {@code last} goes to this row. */
  boolean holdsAny(long rowTime, long from, long last) {
    if (rowTime >= 0) {
      return holds(rowTime, from);
    }
    // As in isRowTime: there are two offsets at most that a sample of this row can have.
    long rest = -(rowTime % millis);
    return isHeldBetween(rowTime, rest / 2, from, last)
        || isHeldBetween(rowTime, (rest + millis) / 2, from, last);
  }

  private boolean isHeldBetween(long rowTime, long offset, long from, long last) {
    return offset >= from && offset <= last && holds(rowTime, offset);
  }
}
