package dev.varve.server.http;

import dev.varve.query.running.Turns;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Limits the requests that run and those that wait, fairly among clients. A request that finds no
 * room to wait is rejected at once.
 */
final class Gate {
  private final String what;
  private final int statusWhenFull;
  private final int runningMax;
  private final int waitingMax;
  private final Duration patience;

  /** Guarded by this. */
  private final Turns turns;

  /**
   * Creates a gate.
   *
   * @param statusWhenFull status of a rejection: 503 for writes, because senders such as Prometheus
   *     drop what gets a 429
   */
  Gate(String what, int statusWhenFull, int runningMax, int waitingMax, Duration patience) {
    this.what = what;
    this.statusWhenFull = statusWhenFull;
    this.runningMax = runningMax;
    this.waitingMax = waitingMax;
    this.patience = patience;
    this.turns = new Turns(runningMax, waitingMax);
  }

  /**
   * Waits for admission. The caller must call {@link #leave}.
   *
   * @throws HttpError if too many wait; 503 if the wait took too long
   */
  Turns.Turn enter(ClientAddress client) {
    return enter(client, () -> false);
  }

  /**
   * Waits for admission while the client is connected. The caller must call {@link #leave}.
   *
   * @param gone whether the client has disconnected; {@link #wake} follows when this changes
   * @throws HttpError if too many wait; 503 if the wait took too long; 499 if the client has
   *     disconnected
   */
  synchronized Turns.Turn enter(ClientAddress client, BooleanSupplier gone) {
    Turns.Turn turn = turns.come(client.toString());
    if (turn.runs()) {
      return turn;
    }
    // Another request may have been rejected in its favour.
    notifyAll();
    boolean entered = false;
    try {
      await(turn, gone);
      entered = true;
      return turn;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new HttpError(503, "the server is stopping", Duration.ofSeconds(5));
    } finally {
      if (!entered) {
        leave(turn);
      }
    }
  }

  private void await(Turns.Turn turn, BooleanSupplier gone) throws InterruptedException {
    long end = System.nanoTime() + patience.toNanos();
    while (!turn.runs()) {
      if (turn.isSentAway()) {
        throw new HttpError(
            statusWhenFull,
            "%d requests that %s run and %d wait, which is all that this server takes at once"
                .formatted(turns.running(), what, waitingMax),
            Duration.ofSeconds(1));
      }
      if (gone.getAsBoolean()) {
        throw clientGone();
      }
      long left = end - System.nanoTime();
      if (left <= 0) {
        throw new HttpError(
            503,
            "waited %d s for one of the %d requests that %s to end"
                .formatted(patience.toSeconds(), runningMax, what),
            Duration.ofSeconds(5));
      }
      TimeUnit.NANOSECONDS.timedWait(this, left);
    }
  }

  /** Makes all that wait check whether their clients are still connected. */
  synchronized void wake() {
    notifyAll();
  }

  /** Returns the error of a request whose client has disconnected. */
  static HttpError clientGone() {
    return new HttpError(499, "the client closed the connection before the request was processed");
  }

  synchronized void leave(Turns.Turn turn) {
    turns.leave(turn);
    notifyAll();
  }

  synchronized int inFlight() {
    return turns.running();
  }

  synchronized int waiting() {
    return turns.waiting();
  }
}
