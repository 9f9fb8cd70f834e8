package dev.varve.cli;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandleProxies;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.InvocationTargetException;

/** Signals of the operating system. */
final class Signals {
  /*
   * The JDK has them only in sun.misc.Signal, which jdk.unsupported exports to everybody, but of
   * which javac warns in a way that nothing silences. So it is looked up.
   */
  private Signals() {}

  /**
   * Runs an action on a thread of its own whenever a signal arrives. A signal that was ignored when
   * the process started stays ignored.
   *
   * @param name without SIG
   * @return false if the platform lacks the signal or the virtual machine needs it
   */
  static boolean on(String name, Runnable action) {
    try {
      Class<?> signal = Class.forName("sun.misc.Signal");
      Class<?> handler = Class.forName("sun.misc.SignalHandler");
      MethodHandle run =
          MethodHandles.dropArguments(
              MethodHandles.publicLookup()
                  .findVirtual(Runnable.class, "run", MethodType.methodType(void.class))
                  .bindTo(action),
              0,
              signal);
      signal
          .getMethod("handle", signal, handler)
          .invoke(
              null,
              signal.getConstructor(String.class).newInstance(name),
              MethodHandleProxies.asInterfaceInstance(handler, run));
      return true;
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof IllegalArgumentException) {
        return false;
      }
      throw new IllegalStateException("cannot take signal " + name, e);
    } catch (ReflectiveOperationException e) {
      return false;
    }
  }
}
