package dev.varve.engine.periods;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;

/**
 * The reads of a dataset in progress, so that samples which they may still read are removed only
 * after they have ended. Safe for use by several threads.
 */
public final class ReadsInProgress {
  private static final long PAUSE_MILLIS = 20;

  private final Set<Ticket> tickets = ConcurrentHashMap.newKeySet();

  /** A read in progress. Closing it again does nothing. */
  public final class Ticket implements AutoCloseable {
    private Ticket() {
      tickets.add(this);
    }

    @Override
    public void close() {
      tickets.remove(this);
    }
  }

  /** Registers a read, before it looks at the periods. */
  public Ticket enter() {
    return new Ticket();
  }

  /**
   * Waits until all reads have ended that are in progress now.
   *
   * @param stopped polled from time to time; true ends the wait
   * @return whether they have ended
   */
  public boolean awaitEnd(BooleanSupplier stopped) {
    Set<Ticket> now = Set.copyOf(tickets);
    while (now.stream().anyMatch(tickets::contains)) {
      if (stopped.getAsBoolean()) {
        return false;
      }
      try {
        Thread.sleep(PAUSE_MILLIS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return false;
      }
    }
    return true;
  }
}
