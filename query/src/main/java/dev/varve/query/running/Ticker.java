package dev.varve.query.running;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks work in progress at an interval on a thread of its own, such as whether a query has
 * reached its timeout. Most work ends before its first check, and waking a thread costs more than a
 * short query. The thread therefore keeps running for a while after the last piece of work was
 * removed, and only then sleeps. Thread-safe.
 *
 * @param <T> what is checked; compared by {@code equals}
 */
public final class Ticker<T> implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Ticker.class);

  /** Time after which the thread sleeps if there was nothing to check. */
  private static final Duration IDLE_MAX = Duration.ofSeconds(1);

  private final Set<T> all = ConcurrentHashMap.newKeySet();
  private final Duration interval;
  private final Consumer<T> check;
  private final Thread thread;
  private volatile boolean sleeps;
  private volatile boolean closed;

  /**
   * Starts the thread.
   *
   * @param interval time between two checks of a thing, and before the first one
   * @param check does not wait; a failure is logged and does not affect other things
   */
  public Ticker(String threadName, Duration interval, Consumer<T> check) {
    this.interval = interval;
    this.check = check;
    // The caller may be a query, whose priority the thread would inherit at its first start.
    this.thread = Thread.ofPlatform().daemon().name(threadName).start(this::run);
  }

  /** Begins to check something. Does nothing if it is checked already. */
  public void add(T one) {
    all.add(one);
    // The thread says that it sleeps before it looks for the last time whether there is anything.
    if (sleeps) {
      LockSupport.unpark(thread);
    }
  }

  /** Ends the checks of something; one may still be in progress. */
  public void remove(T one) {
    all.remove(one);
  }

  private void run() {
    long used = System.nanoTime();
    while (!closed) {
      LockSupport.parkNanos(this, interval.toNanos());
      if (!all.isEmpty()) {
        all.forEach(this::check);
        used = System.nanoTime();
      } else if (System.nanoTime() - used > IDLE_MAX.toNanos()) {
        sleep();
        used = System.nanoTime();
      }
    }
  }

  private void sleep() {
    sleeps = true;
    while (all.isEmpty() && !closed) {
      LockSupport.park(this);
    }
    sleeps = false;
  }

  private void check(T one) {
    try {
      check.accept(one);
    } catch (RuntimeException e) {
      LOG.error("{}: a check failed", thread.getName(), e);
    }
  }

  @Override
  public void close() {
    closed = true;
    LockSupport.unpark(thread);
  }
}
