package dev.varve.engine.repair;

import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Limits the rate at which a search reads rows. Used by one thread. */
final class Pace {
  private static final long LOOK_MILLIS = 50;

  private final long rowsPerSecond;
  private final BooleanSupplier stopped;
  private final long start = System.nanoTime();

  /**
   * @param rowsPerSecond the limit; 0 for none
   * @param stopped polled during waits; true ends the wait
   */
  Pace(long rowsPerSecond, BooleanSupplier stopped) {
    this.rowsPerSecond = rowsPerSecond;
    this.stopped = stopped;
  }

  /**
   * Waits until the limit permits a number of rows.
   *
   * @param rows rows read since this object was created
   */
  void keep(long rows) {
    if (rowsPerSecond == 0) {
      return;
    }
    long due = start + (long) (rows * 1e9 / rowsPerSecond);
    while (!stopped.getAsBoolean()) {
      long left = TimeUnit.NANOSECONDS.toMillis(due - System.nanoTime());
      if (left <= 0) {
        return;
      }
      try {
        Thread.sleep(Math.min(left, LOOK_MILLIS));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }
}
