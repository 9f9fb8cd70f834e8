package dev.varve.query.running;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Whose turn it is, of many who want to do the same: so many run at once and so many more wait. Not
 * safe for use by several threads.
 *
 * <p>It is fair among clients. A quarter of those that run are kept for clients of which none runs.
 * Of those that wait the next is one whose client has the fewest running, and of these the one that
 * has waited longest. Where too many wait, one of the client with most of them makes room for a
 * client with fewer.
 */
public final class Turns {
  /** How far somebody has come. */
  private enum State {
    WAITS,
    RUNS,
    SENT_AWAY,
    OVER
  }

  /** One who wants a turn. */
  public static final class Turn {
    private final String client;
    private State state;

    private Turn(String client, State state) {
      this.client = client;
      this.state = state;
    }

    /** Whether the turn has come. */
    public boolean runs() {
      return state == State.RUNS;
    }

    /** Whether there is no room to wait, any more or at all. */
    public boolean isSentAway() {
      return state == State.SENT_AWAY;
    }
  }

  private final int runningMax;
  private final int waitingMax;

  /** Of the running ones, for clients of which none runs. */
  private final int kept;

  /** By client; none has 0. */
  private final Map<String, Integer> running = new HashMap<>();

  /** In the order in which they came. */
  private final List<Turn> waiting = new ArrayList<>();

  private int allRunning;

  /**
   * @param runningMax how many run at once
   * @param waitingMax how many more wait
   */
  public Turns(int runningMax, int waitingMax) {
    this.runningMax = runningMax;
    this.waitingMax = waitingMax;
    this.kept = runningMax / 4;
  }

  /** How many run. */
  public int running() {
    return allRunning;
  }

  /** How many wait. */
  public int waiting() {
    return waiting.size();
  }

  /** One more who runs, waits or is sent away; {@link #leave} is to follow. */
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

  /**
   * Ends a turn, or the waiting for it, and calls those whose turn it is then. Leaving twice is
   * allowed.
   */
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

  /** The last one that waits, of the client of which most do. */
  private Turn superfluous() {
    Map<String, Integer> counts = new HashMap<>();
    waiting.forEach(turn -> counts.merge(turn.client, 1, Integer::sum));
    return waiting.reversed().stream()
        .max(Comparator.comparingInt(turn -> counts.getOrDefault(turn.client, 0)))
        .orElseThrow();
  }
}
