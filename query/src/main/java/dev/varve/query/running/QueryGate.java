package dev.varve.query.running;

import dev.varve.store.ReadCancelledException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;

/**
 * Lets so many queries run at once and so many more wait, in the order in which they came; who
 * comes when even that is full is sent away at once.
 */
final class QueryGate {
  private final QueryCapacity capacity;

  /** Guarded by this, as what follows. */
  private final Deque<RunningQuery> waiting = new ArrayDeque<>();

  private int running;

  QueryGate(QueryCapacity capacity) {
    this.capacity = capacity;
  }

  /**
   * Waits to be let in; {@link #leave} follows.
   *
   * @throws QueryStoppedException if too many wait, or it took too long
   * @throws ReadCancelledException if the query is stopped before
   */
  synchronized void enter(RunningQuery query) {
    if (running < capacity.running() && waiting.isEmpty()) {
      running++;
      return;
    }
    if (waiting.size() >= capacity.waiting()) {
      throw new QueryStoppedException(
          Outcome.BUSY,
          "%d queries run and %d wait, which is all that this server takes at once (queries.concurrency and queries.queue)"
              .formatted(running, waiting.size()),
          Duration.ofSeconds(1),
          null);
    }
    Runnable wake = this::wake;
    waiting.add(query);
    query.use().begun(wake);
    try {
      await(query);
      running++;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ReadCancelledException();
    } finally {
      query.use().ended(wake);
      waiting.remove(query);
      notifyAll();
    }
  }

  private void await(RunningQuery query) throws InterruptedException {
    long end = System.nanoTime() + capacity.patience().toNanos();
    while (true) {
      query.use().ensureWanted();
      if (waiting.peek() == query && running < capacity.running()) {
        return;
      }
      long left = end - System.nanoTime();
      if (left <= 0) {
        throw new QueryStoppedException(
            Outcome.TIMEOUT,
            "the query waited %s for one of the %d that run to end, and was not begun (queries.wait and queries.concurrency)"
                .formatted(Durations.text(capacity.patience()), capacity.running()),
            Duration.ofSeconds(5),
            null);
      }
      TimeUnit.NANOSECONDS.timedWait(this, left);
    }
  }

  synchronized void leave() {
    running--;
    notifyAll();
  }

  private synchronized void wake() {
    notifyAll();
  }

  synchronized int running() {
    return running;
  }

  synchronized int waiting() {
    return waiting.size();
  }
}
