package dev.varve.query.running;

import dev.varve.engine.ThreadPriority;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

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
  private final QueryGate.Place place;
  private final boolean onOwnThread;
  private final ScheduledExecutorService timer;
  private final long cpuAtStart = THREADS.getCurrentThreadCpuTime();
  private long endNanos;
  private ScheduledFuture<?> end;
  private ScheduledFuture<?> look;

  /**
   * Starts the run, on the thread of the query.
   *
   * @param onOwnThread whether it is one of {@link QueryThreads}, not the caller's
   */
  Stint(
      RunningQuery query,
      QueryGate.Place place,
      boolean onOwnThread,
      ScheduledExecutorService timer) {
    this.onOwnThread = onOwnThread;
    this.query = query;
    this.place = place;
    this.timer = timer;
    this.endNanos = System.nanoTime() + query.use().limits().time().toNanos();
    this.end = endLater();
    this.look = lookLater();
  }

  private ScheduledFuture<?> endLater() {
    return timer.schedule(
        () -> query.use().stop(Outcome.TIMEOUT),
        endNanos - System.nanoTime(),
        TimeUnit.NANOSECONDS);
  }

  private ScheduledFuture<?> lookLater() {
    return timer.schedule(query.use()::lookDue, BETWEEN_LOOKS.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** Returns whether the query has computed for long; otherwise schedules another check. */
  boolean isLong() {
    if (THREADS.getCurrentThreadCpuTime() - cpuAtStart > LIGHT_MAX.toNanos()) {
      return true;
    }
    look = lookLater();
    return false;
  }

  /** Lets light queries go first. */
  void stepAside() {
    long began = System.nanoTime();
    end.cancel(false);
    look.cancel(false);
    query.standsAside(true);
    try {
      if (onOwnThread) {
        ThreadPriority.HEAVY.enter();
      }
      place.stepAside();
    } finally {
      long stood = System.nanoTime() - began;
      query.stoodAside(stood);
      query.standsAside(false);
      endNanos += stood;
      end = endLater();
    }
  }

  /** Starts the timeout again, for the answer. */
  void startAnswer() {
    end.cancel(false);
    endNanos = System.nanoTime() + query.use().limits().time().toNanos();
    end = endLater();
  }

  @Override
  public void close() {
    end.cancel(false);
    look.cancel(false);
  }
}
