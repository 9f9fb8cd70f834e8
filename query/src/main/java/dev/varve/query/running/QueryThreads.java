package dev.varve.query.running;

import dev.varve.engine.threads.ThreadPriority;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Platform threads, one per running query, so that the operating system divides the processors
 * among queries and everything else. A query that only computes would monopolise a carrier of
 * virtual threads. A thread runs one query after another until it has been idle for a while, or a
 * heavy query has lowered its priority. Thread-safe.
 */
final class QueryThreads {
  private static final Duration IDLE_MAX = Duration.ofSeconds(10);

  private final SynchronousQueue<Runnable> next = new SynchronousQueue<>();
  private final AtomicLong started = new AtomicLong();

  /** Runs work on an idle thread, or on a new one. */
  <T> Future<T> submit(Callable<T> work) {
    FutureTask<T> task = new FutureTask<>(work);
    if (!next.offer(task)) {
      Thread.ofPlatform()
          .daemon()
          .name("varve-query-" + started.incrementAndGet())
          .start(() -> runFrom(task));
    }
    return task;
  }

  private void runFrom(Runnable first) {
    ThreadPriority.QUERY.enter();
    try {
      Runnable task = first;
      while (task != null) {
        task.run();
        // An interrupt of the last query must not affect the next one.
        Thread.interrupted();
        task =
            ThreadPriority.isHeavy() ? null : next.poll(IDLE_MAX.toMillis(), TimeUnit.MILLISECONDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
