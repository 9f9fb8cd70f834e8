package dev.varve.engine;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The threads on which work is done that keeps a core busy: as many as the machine has cores, for
 * all datasets and queries of the process, and as many again for what heavy threads offer. They are
 * platform threads, so that what they call of a native store runs on them, and end when there is
 * nothing to do.
 */
public final class Workers {
  private static final int COUNT = Runtime.getRuntime().availableProcessors();

  private static final ThreadPoolExecutor NORMAL =
      threads(Thread.ofPlatform().name("varve-worker-", 0).daemon().factory());

  /** For heavy threads, so that what these offer does not keep others from the processors. */
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

  /** How many there are. */
  public static int count() {
    return COUNT;
  }

  /**
   * Has a piece of work done when a thread is free, which may be never if the process ends. Whoever
   * waits for it should rather do it than wait while it has not begun: others may be first. The
   * work of a heavy thread is heavy, too.
   */
  public static void offer(Runnable work) {
    (ThreadPriority.isHeavy() ? HEAVY : NORMAL).execute(work);
  }
}
