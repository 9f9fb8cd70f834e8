package dev.varve.store.cassandra;

import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Write times of families that keep many cells in a column, by event times, which say nothing of
 * what was accepted first: microseconds since 1970 that rise with every mutation of this process,
 * whatever the system's clock does. Of two puts of one cell the one that arrived last is seen.
 */
final class ArrivalTimes implements WriteTimes {
  /*
   * Even for a delete and odd for a put: of two writes of the same time a delete wins in Cassandra,
   * and the puts of a mutation are seen behind its deletes.
   */
  private static final long STEP = 2;

  /** The last one given for a delete; one clock, so that stores opened later come later. */
  private static final AtomicLong LAST = new AtomicLong();

  private final long stamp = LAST.updateAndGet(last -> Math.max(now() & -STEP, last + STEP));

  @Override
  public long ofPut(long cellTime) {
    return stamp + 1;
  }

  @Override
  public long ofDelete(long firstPut) {
    return stamp;
  }

  /** The greatest write time that was given. */
  static long last() {
    return LAST.get() + 1;
  }

  /** Microseconds since 1970. */
  static long now() {
    Instant now = Instant.now();
    return now.getEpochSecond() * 1_000_000 + now.getNano() / 1_000;
  }
}
