package dev.varve.store.cassandra;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Write times of tables that another program writes with milliseconds since 1970. A put uses the
 * time of its cell, which has the same unit, so that it reads back unchanged. A delete uses the
 * clock, or one less than the first put of its mutation. No write time is ahead of the clock that
 * made the cell: otherwise that program could not overwrite the cell.
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

  /**
   * Returns a millisecond that has passed: within one millisecond a delete would win over a put.
   */
  private static long past() {
    long now = System.currentTimeMillis();
    while (System.currentTimeMillis() == now) {
      LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(100));
    }
    return now;
  }
}
