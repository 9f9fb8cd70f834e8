package dev.varve.query.running;

import dev.varve.store.ReadCancelledException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Lets so many queries run at once and so many more wait, fairly among their clients.
 *
 * <p>Every query begins as a light one. One that turns out to be heavy gives its place to the next
 * that waits and takes one of the places of heavy queries, of which there are half as many, or
 * waits for it. So heavy queries, however many, do not keep light ones waiting.
 */
final class QueryGate {
  private final QueryCapacity capacity;
  private final ReentrantLock lock = new ReentrantLock();

  /** Guarded by the lock, as what follows. */
  private final Turns light;

  private final Turns heavy;

  /** Those who wait, each woken by itself: many at once would keep the processors busy. */
  private final Map<Turns.Turn, Condition> waiting = new HashMap<>();

  QueryGate(QueryCapacity capacity) {
    this.capacity = capacity;
    this.light = new Turns(capacity.running(), capacity.waiting());
    this.heavy = new Turns(heavyMax(capacity), capacity.waiting());
  }

  private static int heavyMax(QueryCapacity capacity) {
    return Math.max(1, capacity.running() / 2);
  }

  /** The place of a query that runs. Used by one thread at a time. */
  final class Place {
    private final RunningQuery query;
    private Turns of;
    private Turns.Turn turn;

    private Place(RunningQuery query, Turns of, Turns.Turn turn) {
      this.query = query;
      this.of = of;
      this.turn = turn;
    }

    /**
     * Changes it for a place of a heavy query, and waits until that is free.
     *
     * @throws QueryStoppedException if too many wait, or it took too long
     * @throws ReadCancelledException if the query is stopped before
     */
    void stepAside() {
      lock.lock();
      try {
        QueryGate.this.leave(of, turn);
        of = heavy;
        turn = heavy.come(query.origin().share());
        await(query, heavy, turn);
      } finally {
        lock.unlock();
      }
    }

    /** Leaves it to others. Leaving twice is allowed. */
    void leave() {
      lock.lock();
      try {
        QueryGate.this.leave(of, turn);
      } finally {
        lock.unlock();
      }
    }
  }

  /**
   * Waits to be let in; {@link Place#leave} follows.
   *
   * @throws QueryStoppedException if too many wait, or it took too long
   * @throws ReadCancelledException if the query is stopped before
   */
  Place enter(RunningQuery query) {
    lock.lock();
    try {
      Turns.Turn turn = light.come(query.origin().share());
      await(query, light, turn);
      return new Place(query, light, turn);
    } finally {
      lock.unlock();
    }
  }

  /** Leaves where the turn does not come. */
  private void await(RunningQuery query, Turns turns, Turns.Turn turn) {
    if (turn.runs()) {
      return;
    }
    // Another may have been sent away for it.
    wakeNext();
    Condition called = lock.newCondition();
    waiting.put(turn, called);
    Runnable wake = () -> wake(called);
    query.use().begun(wake);
    boolean entered = false;
    try {
      awaitTurn(query, turns, turn, called);
      entered = true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ReadCancelledException();
    } finally {
      query.use().ended(wake);
      waiting.remove(turn);
      if (!entered) {
        leave(turns, turn);
      }
    }
  }

  private void awaitTurn(RunningQuery query, Turns turns, Turns.Turn turn, Condition called)
      throws InterruptedException {
    // What a heavy query has waited before it began counts.
    long left = capacity.patience().minus(query.waited()).toNanos();
    while (true) {
      query.use().ensureWanted();
      if (turn.runs()) {
        return;
      }
      if (turn.isSentAway()) {
        throw new QueryStoppedException(
            Outcome.BUSY,
            "%d queries run and %d wait, which is all that this server takes at once (queries.concurrency and queries.queue)"
                .formatted(running(), waiting()),
            Duration.ofSeconds(1),
            null);
      }
      if (left <= 0) {
        throw new QueryStoppedException(
            Outcome.TIMEOUT,
            turns == light
                ? "the query waited %s for one of the %d that run to end, and was not begun (queries.wait and queries.concurrency)"
                    .formatted(Durations.text(capacity.patience()), turns.running())
                : "the query is heavy and waited %s for one of the %d heavy ones that run to end (queries.wait and half of queries.concurrency)"
                    .formatted(Durations.text(capacity.patience()), turns.running()),
            Duration.ofSeconds(5),
            null);
      }
      left = called.awaitNanos(left);
    }
  }

  private void leave(Turns turns, Turns.Turn turn) {
    turns.leave(turn);
    wakeNext();
  }

  /** Wakes those whose turn has come, or who are sent away. */
  private void wakeNext() {
    waiting.forEach((turn, called) -> {
      if (turn.runs() || turn.isSentAway()) {
        called.signal();
      }
    });
  }

  private void wake(Condition called) {
    lock.lock();
    try {
      called.signal();
    } finally {
      lock.unlock();
    }
  }

  int running() {
    lock.lock();
    try {
      return light.running() + heavy.running();
    } finally {
      lock.unlock();
    }
  }

  int waiting() {
    lock.lock();
    try {
      return light.waiting() + heavy.waiting();
    } finally {
      lock.unlock();
    }
  }
}
