package dev.varve.server.http;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * How long a client may keep us waiting for bytes: for a grace period, which waiting uses up and
 * every byte restores by the time that it takes at the least rate. Time that we take ourselves does
 * not count. For one thread.
 */
final class Pace {
  private static final double NANOS_PER_SECOND = TimeUnit.SECONDS.toNanos(1);

  private final double nanosPerByte;
  private final long grace;
  private long left;

  /**
   * @param minRate bytes a second
   */
  Pace(long minRate, Duration grace) {
    this.nanosPerByte = NANOS_PER_SECOND / minRate;
    this.grace = grace.toNanos();
    this.left = this.grace;
  }

  /** How long may be waited from now on, in nanoseconds; negative where that is used up. */
  long left() {
    return left;
  }

  void waited(long nanos) {
    left -= nanos;
  }

  void moved(int bytes) {
    left = (long) Math.min((double) grace, left + bytes * nanosPerByte);
  }
}
