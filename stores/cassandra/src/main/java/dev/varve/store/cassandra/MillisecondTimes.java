package dev.varve.store.cassandra;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Write times of tables that another program writes with milliseconds since 1970: a put has the
 * time of its cell, which is such a time, so that reading it back gives the same; a delete that of
 * the clock, or one less than the first put of its mutation. None is ahead of the clock of whoever
 * made the cell: what is could not be overwritten by that program.
 */
final class MillisecondTimes implements WriteTimes {
  @Override
  public long ofPut(long cellTime) {
    return cellTime;
  }

  @Override
  public long ofDelete(long firstPut) {
    return firstPut == Long.MAX_VALUE ? past() : firstPut - 1;
  }

  /** A millisecond that is over: of a delete and a put of the same one, the delete would win. */
  private static long past() {
    long now = System.currentTimeMillis();
    while (System.currentTimeMillis() == now) {
      LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(100));
    }
    return now;
  }
}
