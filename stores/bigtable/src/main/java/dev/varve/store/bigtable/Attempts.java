package dev.varve.store.bigtable;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/** Limits the number and total duration of retries. */
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
   * Waits before the next attempt, with exponential backoff and jitter.
   *
   * @return false, at once, if there must be no further attempt: retries or time are used up, or
   *     the store is closing
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
