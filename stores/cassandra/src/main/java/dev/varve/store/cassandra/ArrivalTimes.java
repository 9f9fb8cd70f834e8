package dev.varve.store.cassandra;

import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Write times of families that keep many cells in a column, ordered by event times. Event times do
 * not show which cell was accepted first. Write times are therefore microseconds since 1970 that
 * rise with every mutation of this process, whatever the system clock does. Of two puts of one
 * cell, readers see the one that arrived last.
 */
final class ArrivalTimes implements WriteTimes {
  /*
   * Even for deletes and odd for puts: at equal write times a delete wins in Cassandra, and the
   * puts of a mutation must survive its deletes.
   */
  private static final long STEP = 2;

  /**
   * The last time given to a delete. The clock is shared, so that stores opened later get later
   * times.
   */
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

  /** Returns the greatest write time given so far. */
  static long last() {
    return LAST.get() + 1;
  }

  /** Returns the time in microseconds since 1970. */
  static long now() {
    Instant now = Instant.now();
    return now.getEpochSecond() * 1_000_000 + now.getNano() / 1_000;
  }
}
