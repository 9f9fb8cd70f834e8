package dev.varve.query;

import dev.varve.engine.QueryRefusedException;

/** Counts what the operators of one query hold. For one thread. */
public final class Memory {
  private final long max;
  private long held;

  public Memory(long max) {
    this.max = max;
  }

  /** Whether so much more may be held; if so it counts as held. */
  public boolean tryHold(long bytes) {
    if (held + bytes > max) {
      return false;
    }
    held += bytes;
    return true;
  }

  /**
   * Counts so much more as held.
   *
   * @param what holds it and what would help, for the refusal
   */
  public void hold(long bytes, String what) {
    if (!tryHold(bytes)) {
      throw new QueryRefusedException(
          what
              + ": it needs more than the "
              + size(max)
              + " that a query may hold; it stopped at "
              + size(held + bytes));
    }
  }

  /** Counts so much less. */
  public void release(long bytes) {
    held -= bytes;
  }

  long max() {
    return max;
  }

  static String size(long bytes) {
    return bytes < 10L << 20 ? (bytes + 1023) / 1024 + " KiB" : (bytes >> 20) + " MiB";
  }
}
