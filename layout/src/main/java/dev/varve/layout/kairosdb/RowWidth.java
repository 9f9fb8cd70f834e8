package dev.varve.layout.kairosdb;

import dev.varve.model.TimeRange;

/**
 * The span of time that a row covers. The time of the row of a sample is {@code time - |time| mod
 * width}.
 *
 * <p>From 1970 on this rounds down. Before 1970 it does not: with a width of three weeks, time -5
 * goes to row -10 at offset 5, and nearly every millisecond has a row of its own. A row before 1970
 * holds at most two samples, because {@code -rowTime = k * width + 2 * offset} has at most two
 * solutions with {@code 0 <= offset < width}.
 *
 * @param millis the width, 1 to 2^31, so that every offset fits into a column name
 */
record RowWidth(long millis) {
  static final long MAX = 1L << 31;

  /** Returns the times whose row times can be computed without overflow. */
  TimeRange times() {
    return new TimeRange(Long.MIN_VALUE + millis, Long.MAX_VALUE);
  }

  /** Returns the row time of a sample; {@link Long#MIN_VALUE} for times below {@link #times()}. */
  long rowTime(long time) {
    return time < Long.MIN_VALUE + millis ? Long.MIN_VALUE : time - Math.abs(time) % millis;
  }

  /** Returns the lowest row time of any sample at or after {@code time}. */
  long lowestFrom(long time) {
    if (time >= 0) {
      return rowTime(time);
    }
    return time < Long.MIN_VALUE + millis ? Long.MIN_VALUE : time - (millis - 1);
  }

  /** Returns the first time after the span of a row. */
  long end(long rowTime) {
    return rowTime > Long.MAX_VALUE - millis ? Long.MAX_VALUE : rowTime + millis;
  }

  /** Returns whether any sample has this row time. */
  boolean isRowTime(long rowTime) {
    if (rowTime >= 0) {
      return rowTime % millis == 0;
    }
    // -rowTime = k * width + 2 * offset with 0 <= offset < width: k is the quotient, or one less.
    long rest = -(rowTime % millis);
    return rest % 2 == 0 || (rowTime <= -millis && (rest + millis) % 2 == 0);
  }

  /** Returns whether a sample within {@link #times()} at this offset belongs to this row. */
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

  /**
   * Returns whether a sample at any offset from {@code from} to {@code last} belongs to this row.
   */
  boolean holdsAny(long rowTime, long from, long last) {
    if (rowTime >= 0) {
      return holds(rowTime, from);
    }
    // As in isRowTime: samples of this row have at most two different offsets.
    long rest = -(rowTime % millis);
    return isHeldBetween(rowTime, rest / 2, from, last)
        || isHeldBetween(rowTime, (rest + millis) / 2, from, last);
  }

  private boolean isHeldBetween(long rowTime, long offset, long from, long last) {
    return offset >= from && offset <= last && holds(rowTime, offset);
  }
}
