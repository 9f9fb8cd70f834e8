package dev.varve.server.http;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Lets so many requests run at once and so many more wait, in the order in which they came; who
 * comes when even that is full is sent away at once.
 */
final class Gate {
  private final String what;
  private final int statusWhenFull;
  private final Semaphore running;
  private final AtomicInteger waiting = new AtomicInteger();
  private final int runningMax;
  private final int waitingMax;
  private final Duration patience;

  /**
   * @param statusWhenFull of the answer to whom there is no room for: 503 for writes, since senders
   *     such as Prometheus drop what is answered by 429
   */
  Gate(String what, int statusWhenFull, int runningMax, int waitingMax, Duration patience) {
    this.what = what;
    this.statusWhenFull = statusWhenFull;
    this.running = new Semaphore(runningMax, true);
    this.runningMax = runningMax;
    this.waitingMax = waitingMax;
    this.patience = patience;
  }

  /**
   * Waits to be let in; {@link #leave} follows.
   *
   * @throws HttpError if too many wait, 503 if it took too long
   */
  void enter() {
    if (running.tryAcquire()) {
      return;
    }
    if (waiting.incrementAndGet() > waitingMax) {
      waiting.decrementAndGet();
      throw new HttpError(
          statusWhenFull,
          "%d requests that %s run and %d wait, which is all that this server takes at once"
              .formatted(runningMax, what, waitingMax),
          Duration.ofSeconds(1));
    }
    try {
      if (!running.tryAcquire(patience.toMillis(), TimeUnit.MILLISECONDS)) {
        throw new HttpError(
            503,
            "waited %d s for one of the %d requests that %s to end"
                .formatted(patience.toSeconds(), runningMax, what),
            Duration.ofSeconds(5));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new HttpError(503, "the server is stopping", Duration.ofSeconds(5));
    } finally {
      waiting.decrementAndGet();
    }
  }

  void leave() {
    running.release();
  }

  int inFlight() {
    return runningMax - running.availablePermits();
  }

  int waiting() {
    return waiting.get();
  }
}
