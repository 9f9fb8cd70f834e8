package dev.varve.engine.home;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/**
 * Source of stamps: microseconds since 1970, each higher than all earlier ones of this process and
 * of its predecessors. Safe for use by several threads.
 */
public final class StampClock {
  /*
   * A batch takes one stamp per place and starts at a new unit of its layouts' cell times. More
   * than a million places per second, or more than a thousand batches per second with cell times in
   * milliseconds, therefore move the stamps ahead of the system clock. If they are ahead by more
   * than the bound, callers wait until the system clock has caught up. Drift due to a restart or to
   * a system clock that was set back is not caused by writes, so callers do not wait for it. It is
   * reported as a metric and shrinks as time passes.
   */
  private static final long DRIFT_MAX_MICROS = 5_000_000;

  private final LongSupplier micros;

  /** Guarded by this, like all fields below. */
  private long next;

  private long seen;
  private long inherited;

  /**
   * Creates a clock that continues after earlier stamps.
   *
   * @param micros the system clock, microseconds since 1970
   * @param last the highest stamp that may have been given before
   */
  public StampClock(LongSupplier micros, long last) {
    this.micros = micros;
    this.seen = micros.getAsLong();
    this.next = Math.max(seen, last + 1);
    this.inherited = next - seen;
  }

  /** Returns a new stamp. */
  public long next() {
    return reserve(1, 1);
  }

  /**
   * Reserves {@code count} consecutive stamps and returns the first, which starts a new unit: all
   * earlier stamps are in earlier units.
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

  /** Returns the system time, microseconds since 1970. */
  public long systemMicros() {
    return micros.getAsLong();
  }

  /** Returns the highest stamp given. */
  public synchronized long last() {
    return next - 1;
  }

  /** Returns the lead of the stamps over the system clock, in microseconds; at least 0. */
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
