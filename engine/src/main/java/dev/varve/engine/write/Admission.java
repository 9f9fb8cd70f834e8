package dev.varve.engine.write;

import dev.varve.engine.OverloadedException;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** Bounds the bytes of the batches that are on their way into the stores of an engine. */
public final class Admission {
  private static final int UNIT_BYTES = 1024;
  private static final long PATIENCE_MILLIS = 1000;

  private final int units;
  private final Semaphore free;

  public Admission(long bytes) {
    this.units = Math.clamp(bytes / UNIT_BYTES, 1, Integer.MAX_VALUE);
    this.free = new Semaphore(units, true);
  }

  /**
   * Waits, but not for long, until there is room. A batch that is larger than all room takes all of
   * it.
   *
   * @return what to give back by {@link #leave}
   * @throws OverloadedException if there is no room
   */
  public int enter(long bytes) {
    int taken = Math.clamp((bytes + UNIT_BYTES - 1) / UNIT_BYTES, 1, units);
    boolean entered;
    try {
      entered = free.tryAcquire(taken, PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new OverloadedException(
          "interrupted while waiting for room to write", Duration.ofMillis(PATIENCE_MILLIS));
    }
    if (!entered) {
      throw new OverloadedException(
          "%,d bytes of writes are under way, and at most %,d may be: try again"
              .formatted((long) inUse() * UNIT_BYTES, (long) units * UNIT_BYTES),
          Duration.ofMillis(PATIENCE_MILLIS));
    }
    return taken;
  }

  public void leave(int taken) {
    free.release(taken);
  }

  /** Bytes that may be under way at once. */
  public long limitBytes() {
    return (long) units * UNIT_BYTES;
  }

  /** Bytes of the batches under way. */
  public long bytesUnderWay() {
    return (long) inUse() * UNIT_BYTES;
  }

  private int inUse() {
    return units - free.availablePermits();
  }
}
