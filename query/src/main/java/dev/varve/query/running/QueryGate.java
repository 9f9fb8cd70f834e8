package dev.varve.query.running;

import dev.varve.store.ReadCancelledException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Lets so many queries run at once and so many more wait, fairly among their clients. */
final class QueryGate {
  private final QueryCapacity capacity;

  /** Guarded by this. */
  private final Turns turns;

  QueryGate(QueryCapacity capacity) {
    this.capacity = capacity;
    this.turns = new Turns(capacity.running(), capacity.waiting());
  }

  /**
   * Waits to be let in; {@link #leave} follows.
   *
   * @throws QueryStoppedException if too many wait, or it took too long
   * @throws ReadCancelledException if the query is stopped before
   */
  synchronized Turns.Turn enter(RunningQuery query) {
    Turns.Turn turn = turns.come(query.origin().share());
    if (turn.runs()) {
      return turn;
    }
    // Another may have been sent away for it.
    notifyAll();
    Runnable wake = this::wake;
    query.use().begun(wake);
    boolean entered = false;
    try {
      await(query, turn);
      entered = true;
      return turn;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ReadCancelledException();
    } finally {
      query.use().ended(wake);
      if (!entered) {
        leave(turn);
      }
    }
  }

  private void await(RunningQuery query, Turns.Turn turn) throws InterruptedException {
    long end = System.nanoTime() + capacity.patience().toNanos();
    while (true) {
      query.use().ensureWanted();
      if (turn.runs()) {
        return;
      }
      if (turn.isSentAway()) {
        throw new QueryStoppedException(
            Outcome.BUSY,
            "%d queries run and %d wait, which is all that this server takes at once (queries.concurrency and queries.queue)"
                .formatted(turns.running(), turns.waiting()),
            Duration.ofSeconds(1),
            null);
      }
      long left = end - System.nanoTime();
      if (left <= 0) {
        throw new QueryStoppedException(
            Outcome.TIMEOUT,
            "the query waited %s for one of the %d that run to end, and was not begun (queries.wait and queries.concurrency)"
                .formatted(Durations.text(capacity.patience()), turns.running()),
            Duration.ofSeconds(5),
            null);
      }
      TimeUnit.NANOSECONDS.timedWait(this, left);
    }
  }

  synchronized void leave(Turns.Turn turn) {
    turns.leave(turn);
    notifyAll();
  }

  private synchronized void wake() {
    notifyAll();
  }

  synchronized int running() {
    return turns.running();
  }

  synchronized int waiting() {
    return turns.waiting();
  }
}
