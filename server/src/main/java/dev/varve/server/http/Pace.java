package dev.varve.server.http;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Limits how long the server waits for a client's bytes. Waiting uses up a grace period, and every
 * byte restores the time that it takes at the minimum rate. Time that the server itself needs does
 * not count. For one thread.
 */
final class Pace {
  private static final double NANOS_PER_SECOND = TimeUnit.SECONDS.toNanos(1);

  private final double nanosPerByte;
  private final long grace;
  private long left;

  /**
   * Creates the pace of a client.
   *
   * @param minRate bytes per second
   */
  Pace(long minRate, Duration grace) {
    this.nanosPerByte = NANOS_PER_SECOND / minRate;
    this.grace = grace.toNanos();
    this.left = this.grace;
  }

  /**
   * Returns how long the server may still wait, in nanoseconds; negative if the time is used up.
   */
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
