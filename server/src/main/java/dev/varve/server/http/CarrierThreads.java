package dev.varve.server.http;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * Keeps the threads that carry virtual threads alive. Java ends one that has been idle for 30 s and
 * starts another when any thread needs it, also a heavy one. On Linux the new thread would inherit
 * the low priority of that, and with it every request that it carries.
 *
 * @see dev.varve.engine.ThreadPriority
 */
final class CarrierThreads implements AutoCloseable {
  private static final Duration INTERVAL = Duration.ofSeconds(10);

  /** A carrier that is busy for longer is alive. */
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

  /** Each of these virtual threads occupies one carrier until all are occupied. */
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
