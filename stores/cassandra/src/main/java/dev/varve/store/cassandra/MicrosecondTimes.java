package dev.varve.store.cassandra;

import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Gives the write times by which Cassandra decides between two writes of one cell: microseconds
 * since 1970 that rise with every mutation of this process, whatever the system's clock does.
 */
final class MicrosecondTimes implements WriteTimes {
  /*
   * stamp := microseconds, even for a delete and odd for a put
   *
   * Of two writes of the same time a delete wins in Cassandra. A put one above the delete before
   * it in the same mutation is therefore seen, and a delete behind a put takes the next step.
   */
  private static final long STEP = 2;

  /** The last stamp given for a delete; one clock, so that stores opened later come later. */
  private static final AtomicLong LAST = new AtomicLong();

  @Override
  public Stamps next(int steps, long firstPut) {
    long first = next(steps);
    return new Stamps() {
      @Override
      public long ofPut(int step, long cellTime) {
        return first + step * STEP + 1;
      }

      @Override
      public long ofDelete(int step) {
        return first + step * STEP;
      }
    };
  }

  /** The first of some steps that no other mutation has. */
  private static long next(int steps) {
    long length = steps * STEP;
    return LAST.updateAndGet(last -> Math.max(now() & -STEP, last + STEP) + length - STEP)
        - length
        + STEP;
  }

  /** The greatest stamp that was given. */
  static long last() {
    return LAST.get() + 1;
  }

  /** Microseconds since 1970. */
  static long now() {
    Instant now = Instant.now();
    return now.getEpochSecond() * 1_000_000 + now.getNano() / 1_000;
  }
}
