package dev.varve.engine;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The threads on which work is done that keeps a core busy: as many as the machine has cores, for
 * all datasets and queries of the process. They are platform threads, so that what they call of a
 * native store runs on them, and end when there is nothing to do.
 */
public final class Workers {
  private static final int COUNT = Runtime.getRuntime().availableProcessors();

  private static final ThreadPoolExecutor THREADS = threads();

  private Workers() {}

  private static ThreadPoolExecutor threads() {
    ThreadPoolExecutor threads =
        new ThreadPoolExecutor(
            COUNT,
            COUNT,
            10,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            Thread.ofPlatform().name("varve-worker-", 0).daemon().factory());
    threads.allowCoreThreadTimeOut(true);
    return threads;
  }

  /** How many there are. */
  public static int count() {
    return COUNT;
  }

  /**
   * Has a piece of work done when a thread is free, which may be never if the process ends. Whoever
   * waits for it should rather do it than wait while it has not begun: others may be first.
   */
  public static void offer(Runnable work) {
    THREADS.execute(work);
  }
}
