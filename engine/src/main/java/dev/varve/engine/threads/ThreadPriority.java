package dev.varve.engine.threads;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The share of the processors that a platform thread gets when threads compete. Threads without one
 * of these priorities come first: they accept connections, move bytes and answer operators, and
 * need a processor only for microseconds.
 *
 * <p>On Linux every thread has a nice value of its own, set by {@code setpriority(2)}. Callers must
 * know two of its properties. An unprivileged thread can only raise it, so a thread keeps its low
 * priority until it ends. A thread also inherits it from the thread that starts it, so threads of
 * low priority must not start threads of normal priority. On other systems priorities have no
 * effect, because {@code setpriority} would apply to the whole process. {@link Thread#setPriority}
 * has no effect on Linux.
 */
public enum ThreadPriority {
  /**
   * Priority of queries that are not known to be heavy. Such a thread gets a third of a processor
   * that it shares with a busy thread of normal priority.
   */
  QUERY(3),

  /**
   * Priority of heavy queries and of decoding request bodies. Such a thread gets a tenth of a
   * processor that it shares with a busy thread of normal priority, which is enough to release
   * locks soon.
   */
  HEAVY(10);

  private static final Logger LOG = LoggerFactory.getLogger(ThreadPriority.class);

  /** Argument of {@code setpriority}: the next argument is a thread; 0 is the calling thread. */
  private static final int PRIO_PROCESS = 0;

  private static final @Nullable MethodHandle SET_PRIORITY = setPriority();

  private static final ThreadLocal<Boolean> IS_HEAVY = ThreadLocal.withInitial(() -> false);

  private final int nice;

  ThreadPriority(int nice) {
    this.nice = nice;
  }

  /** Every launcher of Varve enables native access. */
  @SuppressWarnings("restricted")
  private static @Nullable MethodHandle setPriority() {
    if (!System.getProperty("os.name", "").toLowerCase(Locale.ROOT).startsWith("linux")) {
      return null;
    }
    Linker linker = Linker.nativeLinker();
    FunctionDescriptor type =
        FunctionDescriptor.of(
            ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT);
    return linker
        .defaultLookup()
        .find("setpriority")
        .map(function -> linker.downcallHandle(function, type))
        .orElse(null);
  }

  /** Gives the calling platform thread this priority until the thread ends. */
  public void enter() {
    if (this == HEAVY) {
      IS_HEAVY.set(true);
    }
    if (SET_PRIORITY == null) {
      return;
    }
    try {
      int result = (int) SET_PRIORITY.invokeExact(PRIO_PROCESS, 0, nice);
      if (result != 0) {
        LOG.debug("{} does not get priority {}", Thread.currentThread(), this);
      }
    } catch (Throwable e) {
      throw new IllegalStateException("setpriority cannot be called", e);
    }
  }

  /** Returns whether the calling thread has entered {@link #HEAVY}. */
  public static boolean isHeavy() {
    return IS_HEAVY.get();
  }
}
