package dev.varve.store.rocksdb;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A decision that writes nothing and keeps the writer busy until it is closed. It ends by itself
 * before the waiting calls time out.
 */
final class WriterPause implements GroupCommit.Decision, AutoCloseable {
  /**
   * Maximum length of a pause, in seconds. Less than the timeout of callers, so that none of their
   * writes fails because of a pause.
   */
  private static final long SECONDS_MAX = 15;

  /** Reached once the writer is here, or never will be. */
  private final CountDownLatch reached = new CountDownLatch(1);

  private final CountDownLatch closed = new CountDownLatch(1);
  private volatile boolean inForce;

  @Override
  public WriteRecords decide() {
    inForce = true;
    reached.countDown();
    try {
      closed.await(SECONDS_MAX, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    inForce = false;
    return new WriteRecords(0);
  }

  /** Waits until the writer is here, or never will be; returns whether it did not time out. */
  boolean await(long nanos) {
    try {
      return reached.await(nanos, TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** Called when the write has ended, whether or not it began. */
  void ended() {
    reached.countDown();
  }

  /** Returns whether nothing has been written since the writer came here. */
  boolean isInForce() {
    return inForce;
  }

  @Override
  public void close() {
    closed.countDown();
  }
}
