package dev.varve.engine.threads;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A thread that works for a dataset in the background, with pauses, until it is stopped. Safe for
 * use by several threads.
 */
public final class BackgroundThread implements AutoCloseable {
  private final Thread.Builder builder;
  private final CountDownLatch stop = new CountDownLatch(1);
  private volatile @Nullable Thread thread;

  private BackgroundThread(Thread.Builder builder) {
    this.builder = builder;
  }

  /** Returns a thread that has not started. It does not keep the process alive. */
  public static BackgroundThread named(String name) {
    return new BackgroundThread(Thread.ofPlatform().daemon().name(name));
  }

  /** Returns a virtual thread that has not started, for work that seldom needs a processor. */
  public static BackgroundThread virtual(String name) {
    return new BackgroundThread(Thread.ofVirtual().name(name));
  }

  /**
   * Starts the thread. Called once at most.
   *
   * @param work ends soon after {@link #isStopped()} has become true
   */
  public void start(Runnable work) {
    thread = builder.start(work);
  }

  /** Returns whether the thread was started. */
  public boolean isStarted() {
    return thread != null;
  }

  /** Returns whether the thread is to stop. */
  public boolean isStopped() {
    return stop.getCount() == 0;
  }

  /**
   * Waits on the thread between two pieces of work.
   *
   * @return false as soon as the thread is to stop, which an interrupt requests as well
   */
  public boolean pause(Duration length) {
    try {
      return !stop.await(length.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      stop();
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** Requests that the thread stop, and does not wait for its end. */
  public void stop() {
    stop.countDown();
  }

  /** Requests that the thread stop, and waits for its end. */
  @Override
  public void close() {
    stop();
    Thread started = thread;
    if (started != null) {
      try {
        started.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
