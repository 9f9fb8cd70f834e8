package dev.varve.query.running;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Cancels the reads of a query when the query is stopped. Thread-safe. */
final class Cancellation {
  private static final Logger LOG = LoggerFactory.getLogger(Cancellation.class);

  private final Set<Runnable> cancels = ConcurrentHashMap.newKeySet();
  private final AtomicReference<@Nullable Outcome> stopped = new AtomicReference<>();

  /** Cancels all reads, and those that begin later. Only the first call counts. */
  void stop(Outcome why) {
    if (stopped.compareAndSet(null, why)) {
      cancels.forEach(Cancellation::cancel);
    }
  }

  /** Cancels a read. A failure must not prevent the other reads from being cancelled. */
  private static void cancel(Runnable read) {
    try {
      read.run();
    } catch (RuntimeException e) {
      LOG.error("a read of a query could not be cancelled", e);
    }
  }

  /** Returns why the query was stopped; null if it was not. */
  @Nullable Outcome stopped() {
    return stopped.get();
  }

  /**
   * Adds a read that has begun.
   *
   * @param cancel makes it fail soon; called at once if the query was stopped
   */
  void begun(Runnable cancel) {
    cancels.add(cancel);
    if (stopped.get() != null) {
      cancel.run();
    }
  }

  /** Removes a read that has ended. */
  void ended(Runnable cancel) {
    cancels.remove(cancel);
  }
}
