package dev.varve.store.bigtable;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/** How often and for how long something is tried. */
final class Attempts {
  private static final long FIRST_DELAY_MILLIS = 10;
  private static final long LONGEST_DELAY_MILLIS = 5_000;

  private final Usage usage;
  private final long deadline;
  private int left;
  private long delay = FIRST_DELAY_MILLIS;

  Attempts(Usage usage, Duration atMost, int retries) {
    this.usage = usage;
    this.deadline = System.nanoTime() + atMost.toNanos();
    this.left = retries;
  }

  /**
   * Waits before the next attempt, twice as long as before the last one.
   *
   * @return false, at once, if there is to be none: retries or time are used up, or the store
   *     closes
   */
  boolean awaitNext() throws InterruptedException {
    long pause = ThreadLocalRandom.current().nextLong(delay / 2, delay + 1);
    if (left == 0 || usage.isClosed() || System.nanoTime() + pause * 1_000_000 > deadline) {
      return false;
    }
    left--;
    delay = Math.min(2 * delay, LONGEST_DELAY_MILLIS);
    Thread.sleep(pause);
    return !usage.isClosed();
  }
}
