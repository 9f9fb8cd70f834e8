package dev.varve.engine.home;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/**
 * Gives stamps: microseconds since 1970, each higher than all before it, in this process and in
 * those before. Safe for use by several threads.
 */
public final class StampClock {
  /*
   * A batch takes one stamp a place, and begins a unit of its layouts' cell times, so that more than
   * a million places or a thousand milliseconds' worth of batches a second carry the stamps away
   * from the system's clock. Whoever comes when they are further away than the bound waits
   * until the system's clock has caught up. The part of the drift that comes from a restart or from
   * a system's clock that was set back is not of the writers' making, and nobody waits for it: it
   * is shown, and melts as time goes on.
   */
  private static final long DRIFT_MAX_MICROS = 5_000_000;

  private final LongSupplier micros;

  /** Guarded by this, as all below. */
  private long next;

  private long seen;
  private long inherited;

  /**
   * A clock that goes on where others stopped.
   *
   * @param micros the system's clock, microseconds since 1970
   * @param last the highest stamp that may have been given before
   */
  public StampClock(LongSupplier micros, long last) {
    this.micros = micros;
    this.seen = micros.getAsLong();
    this.next = Math.max(seen, last + 1);
    this.inherited = next - seen;
  }

  /** Gives one stamp. */
  public long next() {
    return reserve(1, 1);
  }

  /**
   * Gives {@code count} stamps that follow each other, and returns the first, which is the first of
   * a unit: what was given before is in an earlier one.
   *
   * @param unit in microseconds, at least 1
   */
  public long reserve(int count, long unit) {
    long wait;
    while ((wait = waitMicros()) > 0) {
      LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(wait));
    }
    synchronized (this) {
      long first = Math.ceilDiv(Math.max(next, now()), unit) * unit;
      next = first + count;
      return first;
    }
  }

  /** The system's clock, microseconds since 1970. */
  public long systemMicros() {
    return micros.getAsLong();
  }

  /** The highest stamp that was given. */
  public synchronized long last() {
    return next - 1;
  }

  /** How far the stamps are ahead of the system's clock, in microseconds; 0 where they are not. */
  public synchronized long driftMicros() {
    return Math.max(0, next - now());
  }

  private synchronized long waitMicros() {
    long drift = Math.max(0, next - now());
    inherited = Math.min(inherited, drift);
    return drift - inherited - DRIFT_MAX_MICROS;
  }

  private synchronized long now() {
    long now = micros.getAsLong();
    if (now < seen) {
      inherited += seen - now;
    }
    seen = now;
    return now;
  }
}
