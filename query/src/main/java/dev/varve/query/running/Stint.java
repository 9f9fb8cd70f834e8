package dev.varve.query.running;

import dev.varve.engine.threads.ThreadPriority;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;

/**
 * The run of a query on its thread. Stops the query at its timeout, and detects heavy queries,
 * which step aside and continue with low priority. Time spent aside does not count.
 */
final class Stint implements AutoCloseable {
  /** Interval between checks of the processor time. */
  private static final Duration BETWEEN_LOOKS = Duration.ofMillis(50);

  /** A query whose thread has used more processor time is heavy. */
  private static final Duration LIGHT_MAX = Duration.ofMillis(20);

  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private final RunningQuery query;
  private final QueryGate.Permit permit;
  private final boolean onOwnThread;
  private final Ticker<Stint> ticker;
  private final long cpuAtStart = THREADS.getCurrentThreadCpuTime();

  /** Time at which the query times out, by {@link System#nanoTime}. */
  private volatile long end;

  /** Time at which the processor time is due to be checked, by {@link System#nanoTime}. */
  private volatile long look;

  /** Whether {@link #look} counts. */
  private volatile boolean looks;

  /** Whether light queries go first, so that the timeout does not count. */
  private volatile boolean aside;

  /**
   * Starts the run, on the thread of the query.
   *
   * @param onOwnThread whether it is one of {@link QueryThreads}, not the caller's
   * @param ticker calls {@link #tick}
   */
  Stint(RunningQuery query, QueryGate.Permit permit, boolean onOwnThread, Ticker<Stint> ticker) {
    this.onOwnThread = onOwnThread;
    this.query = query;
    this.permit = permit;
    this.ticker = ticker;
    startTimeout();
    lookLater();
    ticker.add(this);
  }

  private void startTimeout() {
    end = System.nanoTime() + query.use().limits().time().toNanos();
  }

  private void lookLater() {
    look = System.nanoTime() + BETWEEN_LOOKS.toNanos();
    looks = true;
  }

  /** Checks the timeout and, if due, the processor time. Called periodically by another thread. */
  void tick() {
    long now = System.nanoTime();
    if (aside) {
      return;
    }
    if (now - end >= 0) {
      query.use().stop(Outcome.TIMEOUT);
    }
    if (looks && now - look >= 0) {
      looks = false;
      query.use().lookDue();
    }
  }

  /** Returns whether the query has computed for long; otherwise schedules another check. */
  boolean isLong() {
    if (THREADS.getCurrentThreadCpuTime() - cpuAtStart > LIGHT_MAX.toNanos()) {
      return true;
    }
    lookLater();
    return false;
  }

  /** Lets light queries go first. */
  void stepAside() {
    long began = System.nanoTime();
    long before = end;
    aside = true;
    looks = false;
    query.standsAside(true);
    try {
      if (onOwnThread) {
        ThreadPriority.HEAVY.enter();
      }
      permit.stepAside();
    } finally {
      long stood = System.nanoTime() - began;
      query.stoodAside(stood);
      query.standsAside(false);
      end = before + stood;
      aside = false;
    }
  }

  /** Starts the timeout again, for the answer. */
  void startAnswer() {
    startTimeout();
  }

  @Override
  public void close() {
    ticker.remove(this);
  }
}
