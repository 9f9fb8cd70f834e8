package dev.varve.query.running;

import dev.varve.store.ReadCancelledException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Limits the number of running and waiting queries, with fairness among clients.
 *
 * <p>Every query starts as a light one. A query that turns out to be heavy gives up its permit to
 * the next waiting query. It then takes one of the permits for heavy queries, of which there are
 * half as many, or waits for one. Heavy queries, however many, therefore never block light ones.
 */
final class QueryGate {
  private final QueryCapacity capacity;
  private final ReentrantLock lock = new ReentrantLock();

  /** Guarded by the lock, like the fields below. */
  private final Turns light;

  private final Turns heavy;

  /**
   * The waiting queries, each with its own condition: waking all of them would waste processor
   * time.
   */
  private final Map<Turns.Turn, Condition> waiting = new HashMap<>();

  QueryGate(QueryCapacity capacity) {
    this.capacity = capacity;
    this.light = new Turns(capacity.running(), capacity.waiting());
    this.heavy = new Turns(heavyMax(capacity), capacity.waiting());
  }

  private static int heavyMax(QueryCapacity capacity) {
    return Math.max(1, capacity.running() / 2);
  }

  /** The permit of a running query. Used by one thread at a time. */
  final class Permit {
    private final RunningQuery query;
    private Turns of;
    private Turns.Turn turn;

    private Permit(RunningQuery query, Turns of, Turns.Turn turn) {
      this.query = query;
      this.of = of;
      this.turn = turn;
    }

    /**
     * Exchanges this permit for one of the heavy queries, waiting until one is free.
     *
     * @throws QueryStoppedException if too many queries wait, or the wait timed out
     * @throws ReadCancelledException if the query is stopped while it waits
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

    /** Gives up the permit. Idempotent. */
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
   * Waits for admission. The caller must call {@link Permit#leave} afterwards.
   *
   * @throws QueryStoppedException if too many queries wait, or the wait timed out
   * @throws ReadCancelledException if the query is stopped while it waits
   */
  Permit enter(RunningQuery query) {
    lock.lock();
    try {
      Turns.Turn turn = light.come(query.origin().share());
      await(query, light, turn);
      return new Permit(query, light, turn);
    } finally {
      lock.unlock();
    }
  }

  /** Waits for a turn; leaves the queue on failure. */
  private void await(RunningQuery query, Turns turns, Turns.Turn turn) {
    if (turn.runs()) {
      return;
    }
    // The new arrival may have displaced another query.
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
    // The time that a heavy query waited before it started counts as well.
    long left = capacity.waitMax().minus(query.waited()).toNanos();
    while (true) {
      query.use().ensureWanted();
      if (turn.runs()) {
        return;
      }
      if (turn.isSentAway()) {
        throw new QueryStoppedException(
            Outcome.BUSY,
            "%d queries are running and %d waiting, which is the capacity of this server (queries.concurrency and queries.queue)"
                .formatted(running(), waiting()),
            Duration.ofSeconds(1),
            null);
      }
      if (left <= 0) {
        throw new QueryStoppedException(
            Outcome.TIMEOUT,
            turns == light
                ? "the query waited %s for one of %d running queries to end, and was not started (queries.wait and queries.concurrency)"
                    .formatted(DurationText.text(capacity.waitMax()), turns.running())
                : "the query is heavy and waited %s for one of %d running heavy queries to end (queries.wait and half of queries.concurrency)"
                    .formatted(DurationText.text(capacity.waitMax()), turns.running()),
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

  /** Wakes the queries that may run or were sent away. */
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
