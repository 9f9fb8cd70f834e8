package dev.varve.query.running;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A queue of clients that limits how many run at once and how many wait. Not thread-safe.
 *
 * <p>It is fair among clients. A quarter of the running slots is reserved for clients that have
 * none running. The next to run belongs to the client with the fewest running; of these, the one
 * that has waited longest goes first. If the queue is full, an entry of the client with the most
 * waiting makes room for a client with fewer.
 */
public final class Turns {
  /** State of a turn. */
  private enum State {
    WAITS,
    RUNS,
    SENT_AWAY,
    OVER
  }

  /** A request for a turn. */
  public static final class Turn {
    private final String client;
    private State state;

    private Turn(String client, State state) {
      this.client = client;
      this.state = state;
    }

    /** Returns whether the turn has come. */
    public boolean runs() {
      return state == State.RUNS;
    }

    /** Returns whether there is no longer room to wait. */
    public boolean isSentAway() {
      return state == State.SENT_AWAY;
    }
  }

  private final int runningMax;
  private final int waitingMax;

  /** Running slots reserved for clients that have none running. */
  private final int kept;

  /** Number running per client; clients with none are absent. */
  private final Map<String, Integer> running = new HashMap<>();

  /** In order of arrival. */
  private final List<Turn> waiting = new ArrayList<>();

  private int allRunning;

  /**
   * Creates an empty queue.
   *
   * @param runningMax maximum number running
   * @param waitingMax maximum number waiting
   */
  public Turns(int runningMax, int waitingMax) {
    this.runningMax = runningMax;
    this.waitingMax = waitingMax;
    this.kept = runningMax / 4;
  }

  /** Returns the number running. */
  public int running() {
    return allRunning;
  }

  /** Returns the number waiting. */
  public int waiting() {
    return waiting.size();
  }

  /**
   * Adds a turn, which runs, waits or is sent away. The caller must call {@link #leave} afterwards.
   */
  public Turn come(String client) {
    Turn turn = new Turn(client, State.WAITS);
    waiting.add(turn);
    callNext();
    if (waiting.size() > waitingMax) {
      Turn last = superfluous();
      waiting.remove(last);
      last.state = State.SENT_AWAY;
    }
    return turn;
  }

  /** Ends a turn, or the wait for it, and starts the next ones. Idempotent. */
  public void leave(Turn turn) {
    waiting.remove(turn);
    boolean ran = turn.runs();
    turn.state = State.OVER;
    if (ran) {
      allRunning--;
      running.computeIfPresent(turn.client, (client, count) -> count == 1 ? null : count - 1);
      callNext();
    }
  }

  private void callNext() {
    for (Optional<Turn> next = next(); next.isPresent(); next = next()) {
      Turn turn = next.get();
      waiting.remove(turn);
      turn.state = State.RUNS;
      allRunning++;
      running.merge(turn.client, 1, Integer::sum);
    }
  }

  private Optional<Turn> next() {
    return waiting.stream()
        .min(Comparator.comparingInt(this::share))
        .filter(turn -> allRunning < (share(turn) == 0 ? runningMax : runningMax - kept));
  }

  private int share(Turn turn) {
    return running.getOrDefault(turn.client, 0);
  }

  /** Returns the last waiting turn of the client with the most waiting. */
  private Turn superfluous() {
    Map<String, Integer> counts = new HashMap<>();
    waiting.forEach(turn -> counts.merge(turn.client, 1, Integer::sum));
    return waiting.reversed().stream()
        .max(Comparator.comparingInt(turn -> counts.getOrDefault(turn.client, 0)))
        .orElseThrow();
  }
}
