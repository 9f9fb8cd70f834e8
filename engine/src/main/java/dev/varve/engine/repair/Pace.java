package dev.varve.engine.repair;

import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Holds a search up so that it reads no more rows a second than it may. Used by one thread. */
final class Pace {
  private static final long LOOK_MILLIS = 50;

  private final long rowsPerSecond;
  private final BooleanSupplier stopped;
  private final long start = System.nanoTime();

  /**
   * A pace from now on.
   *
   * @param rowsPerSecond 0 for as fast as can be
   * @param stopped asked now and then whether to wait no longer
   */
  Pace(long rowsPerSecond, BooleanSupplier stopped) {
    this.rowsPerSecond = rowsPerSecond;
    this.stopped = stopped;
  }

  /** Waits until so many rows, since the start, are no more than allowed. */
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
