package dev.varve.engine;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How much of the processors a platform thread gets while others want them, too. Threads without
 * one of these priorities come first: they accept connections, move bytes and answer operators, and
 * need a processor for microseconds.
 *
 * <p>On Linux every thread has a nice value of its own, set by {@code setpriority(2)}. It has two
 * properties that callers must know. An unprivileged thread can only raise it, so a thread keeps
 * its low priority until it ends. And a thread inherits it from the thread that starts it, so
 * threads that come first must not be started by others. Elsewhere nothing happens: {@code
 * setpriority} would apply to the whole process. {@link Thread#setPriority} has no effect on Linux.
 */
public enum ThreadPriority {
  /**
   * Of queries that are not known to be heavy: beside a busy thread of normal priority such a
   * thread gets a third of a processor.
   */
  QUERY(3),

  /**
   * Of heavy queries, and of requests whose bodies are decoded: beside a busy thread of normal
   * priority such a thread gets a tenth of a processor. That is enough to release a lock soon.
   */
  HEAVY(10);

  private static final Logger LOG = LoggerFactory.getLogger(ThreadPriority.class);

  /** Of {@code setpriority}: what follows is a thread, and 0 is the calling one. */
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

  /** Whether the calling thread has entered {@link #HEAVY}. */
  public static boolean isHeavy() {
    return IS_HEAVY.get();
  }
}
