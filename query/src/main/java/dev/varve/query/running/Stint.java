package dev.varve.query.running;

import dev.varve.engine.ThreadPriority;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * The run of a query on its thread: ends it when its time is over, and finds out whether it is a
 * heavy one, which then steps aside and goes on with low priority. Time that it stands aside does
 * not count.
 */
final class Stint implements AutoCloseable {
  /** Looks at its processor time come so far apart. */
  private static final Duration BETWEEN_LOOKS = Duration.ofMillis(50);

  /** A query whose thread has computed for longer is heavy. */
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
   * Begins, on the thread of the query.
   *
   * @param onOwnThread whether that is one of {@link QueryThreads}, and no caller's
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

  /** Whether the query has computed for long; if not, it is looked at again later. */
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

  @Override
  public void close() {
    end.cancel(false);
    look.cancel(false);
  }
}
