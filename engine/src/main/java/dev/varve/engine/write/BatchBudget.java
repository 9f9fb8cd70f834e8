package dev.varve.engine.write;

import dev.varve.engine.error.OverloadedException;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** The admission budget of an engine: limits the bytes of batches on their way into its stores. */
public final class BatchBudget {
  private static final int UNIT_BYTES = 1024;
  private static final long WAIT_MILLIS_MAX = 1000;

  private final int units;
  private final Semaphore free;

  public BatchBudget(long bytes) {
    this.units = Math.clamp(bytes / UNIT_BYTES, 1, Integer.MAX_VALUE);
    this.free = new Semaphore(units, true);
  }

  /**
   * Waits up to one second for room for a batch. A batch larger than the whole budget takes all of
   * it.
   *
   * @return the amount to release with {@link #leave}
   * @throws OverloadedException if no room becomes free
   */
  public int enter(long bytes) {
    int taken = Math.clamp((bytes + UNIT_BYTES - 1) / UNIT_BYTES, 1, units);
    boolean entered;
    try {
      entered = free.tryAcquire(taken, WAIT_MILLIS_MAX, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new OverloadedException(
          "interrupted while waiting for room to write", Duration.ofMillis(WAIT_MILLIS_MAX));
    }
    if (!entered) {
      throw new OverloadedException(
          "%,d bytes of writes are under way, the limit is %,d: try again"
              .formatted((long) inUse() * UNIT_BYTES, (long) units * UNIT_BYTES),
          Duration.ofMillis(WAIT_MILLIS_MAX));
    }
    return taken;
  }

  public void leave(int taken) {
    free.release(taken);
  }

  /** Returns the maximum bytes of batches in progress. */
  public long limitBytes() {
    return (long) units * UNIT_BYTES;
  }

  /** Returns the bytes of batches in progress. */
  public long bytesUnderWay() {
    return (long) inUse() * UNIT_BYTES;
  }

  private int inUse() {
    return units - free.availablePermits();
  }
}
