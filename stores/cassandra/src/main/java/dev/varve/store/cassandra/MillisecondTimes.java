package dev.varve.store.cassandra;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Write times of tables that another program writes with milliseconds since 1970. They are those of
 * the system's clock and never ahead of it: what would be could not be overwritten by that program.
 */
final class MillisecondTimes implements WriteTimes {
  /*
   * In Cassandra a delete wins over a put of the same time, and of two puts the greater value. A
   * mutation that could meet such a tie with one before it waits for the next millisecond.
   */
  private long current = Long.MIN_VALUE;
  private long lastDelete = Long.MIN_VALUE;
  private final Set<Long> put = new HashSet<>();

  @Override
  public synchronized Stamps next(int steps, boolean deletes, long[] columns) {
    boolean single = steps == 1 && !deletes;
    long first = Math.max(System.currentTimeMillis(), current);
    if (columns.length > 0 && first <= lastDelete) {
      first = lastDelete + 1;
    }
    if (first == current && meets(columns)) {
      first++;
    }
    // A step is a millisecond of deletes and one of puts.
    long last = single ? first : first + 2L * steps - 1;
    awaitClock(last);
    if (last != current) {
      put.clear();
      current = last;
    }
    for (long column : columns) {
      put.add(column);
    }
    if (deletes) {
      lastDelete = last - 1;
    }
    long base = single ? first - 1 : first;
    return new Stamps() {
      @Override
      public long ofPut(int step) {
        return base + 2L * step + 1;
      }

      @Override
      public long ofDelete(int step) {
        return base + 2L * step;
      }
    };
  }

  private boolean meets(long[] columns) {
    for (long column : columns) {
      if (put.contains(column)) {
        return true;
      }
    }
    return false;
  }

  private static void awaitClock(long millis) {
    while (System.currentTimeMillis() < millis) {
      LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(100));
    }
  }
}
