package dev.varve.server.http;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * Keeps the carrier threads of virtual threads alive. Java ends a carrier that was idle for 30 s
 * and starts a new one from any thread that needs it, including one of low priority. On Linux the
 * new carrier would inherit that priority, and with it every request that it carries.
 *
 * @see dev.varve.engine.threads.ThreadPriority
 */
final class CarrierThreads implements AutoCloseable {
  private static final Duration INTERVAL = Duration.ofSeconds(10);

  /** A carrier that stays busy longer is alive anyway. */
  private static final Duration SPIN_MAX = Duration.ofMillis(2);

  private final int count =
      Integer.getInteger(
          "jdk.virtualThreadScheduler.parallelism", Runtime.getRuntime().availableProcessors());

  private volatile boolean closed;

  private final Thread thread =
      Thread.ofPlatform().daemon().name("varve-carriers").start(this::keepAlive);

  private void keepAlive() {
    while (!closed) {
      wakeAll();
      LockSupport.parkNanos(this, INTERVAL.toNanos());
    }
  }

  /** Occupies every carrier with one virtual thread each. */
  private void wakeAll() {
    AtomicInteger begun = new AtomicInteger();
    long end = System.nanoTime() + SPIN_MAX.toNanos();
    for (int i = 0; i < count; i++) {
      Thread.startVirtualThread(() -> {
        begun.incrementAndGet();
        while (begun.get() < count && System.nanoTime() < end) {
          Thread.onSpinWait();
        }
      });
    }
  }

  @Override
  public void close() {
    closed = true;
    LockSupport.unpark(thread);
  }
}
