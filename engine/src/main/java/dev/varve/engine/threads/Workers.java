package dev.varve.engine.threads;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The threads for CPU-bound work of all datasets and queries of the process: one per core, and as
 * many again for the work of heavy threads. They are platform threads, so that calls to native
 * stores run on them directly. Idle threads end.
 */
public final class Workers {
  private static final int COUNT = Runtime.getRuntime().availableProcessors();

  private static final ThreadPoolExecutor NORMAL =
      threads(Thread.ofPlatform().name("varve-worker-", 0).daemon().factory());

  /**
   * Runs the work of heavy threads, so that it does not compete with other work at equal priority.
   */
  private static final ThreadPoolExecutor HEAVY = threads(heavy("varve-heavy-worker-"));

  private Workers() {}

  private static ThreadFactory heavy(String name) {
    ThreadFactory factory = Thread.ofPlatform().name(name, 0).daemon().factory();
    return work ->
        factory.newThread(() -> {
          ThreadPriority.HEAVY.enter();
          work.run();
        });
  }

  private static ThreadPoolExecutor threads(ThreadFactory factory) {
    ThreadPoolExecutor threads =
        new ThreadPoolExecutor(
            COUNT, COUNT, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), factory);
    threads.allowCoreThreadTimeOut(true);
    return threads;
  }

  /** Returns the number of threads for each kind of work. */
  public static int count() {
    return COUNT;
  }

  /**
   * Runs work when a thread is free, which may be never if the process ends. Other work may come
   * first, so a caller that needs the result should do the work itself if it has not begun. The
   * work of a heavy thread is heavy, too.
   */
  public static void offer(Runnable work) {
    (ThreadPriority.isHeavy() ? HEAVY : NORMAL).execute(work);
  }
}
