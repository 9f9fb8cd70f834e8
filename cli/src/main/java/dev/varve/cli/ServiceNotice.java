package dev.varve.cli;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Notifies the service manager that started the server of its state, by the protocol of {@code
 * sd_notify(3)}: each notice is one datagram to the Unix socket that {@code NOTIFY_SOCKET} names.
 * Java has no Unix sockets for datagrams, so this calls the C library.
 */
final class ServiceNotice {
  static final String VARIABLE = "NOTIFY_SOCKET";

  /** The server accepts writes. */
  static final String READY = "READY=1\nSTATUS=Takes requests";

  /** The server takes no more requests and ends those in progress. */
  static final String STOPPING = "STOPPING=1\nSTATUS=Ends what is in progress";

  private static final int AF_UNIX = 1;
  private static final int SOCK_DGRAM = 2;
  private static final int SOCK_CLOEXEC = 0x80000;
  private static final int FAMILY_BYTES = Short.BYTES;

  /** The room for a path in a {@code sockaddr_un}. */
  private static final int PATH_BYTES_MAX = 108;

  /** Path of the service manager's socket; null if there is no service manager. */
  private final @Nullable String socket;

  private ServiceNotice(@Nullable String socket) {
    this.socket = socket;
  }

  /**
   * Finds the socket of the service manager.
   *
   * @param environment of the process; without the variable no notice is sent
   */
  static ServiceNotice of(Map<String, String> environment) {
    String socket = environment.get(VARIABLE);
    boolean isUnix = socket != null && (socket.startsWith("/") || socket.startsWith("@"));
    return new ServiceNotice(isUnix && isLinux() ? socket : null);
  }

  private static boolean isLinux() {
    return System.getProperty("os.name", "").toLowerCase(Locale.ROOT).startsWith("linux");
  }

  /**
   * Sends a notice; does nothing without a service manager.
   *
   * @throws IOException if the notice cannot be delivered
   */
  void send(String notice) throws IOException {
    if (socket == null) {
      return;
    }
    byte[] path = socket.getBytes(StandardCharsets.UTF_8);
    if (path.length >= PATH_BYTES_MAX) {
      throw new IOException(VARIABLE + " names a path of more than 107 bytes: " + socket);
    }
    if (path[0] == '@') {
      // A name that no file has begins with a zero byte.
      path[0] = 0;
    }
    try (Arena arena = Arena.ofConfined()) {
      byte[] text = notice.getBytes(StandardCharsets.UTF_8);
      MemorySegment message = arena.allocateFrom(ValueLayout.JAVA_BYTE, text);
      MemorySegment address = arena.allocate(FAMILY_BYTES + (long) path.length, Short.BYTES);
      address.set(ValueLayout.JAVA_SHORT, 0, (short) AF_UNIX);
      MemorySegment.copy(path, 0, address, ValueLayout.JAVA_BYTE, FAMILY_BYTES, path.length);
      Calls.send(arena.allocate(Calls.STATE), message, address);
    }
  }

  /** The three functions of the C library. */
  private static final class Calls {
    private static final Linker LINKER = Linker.nativeLinker();
    private static final Linker.Option ERRNO = Linker.Option.captureCallState("errno");
    static final MemoryLayout STATE = Linker.Option.captureStateLayout();
    private static final MethodHandle SOCKET =
        function(
            "socket",
            FunctionDescriptor.of(
                ValueLayout.JAVA_INT,
                ValueLayout.JAVA_INT,
                ValueLayout.JAVA_INT,
                ValueLayout.JAVA_INT));
    private static final MethodHandle SEND_TO =
        function(
            "sendto",
            FunctionDescriptor.of(
                ValueLayout.JAVA_LONG,
                ValueLayout.JAVA_INT,
                ValueLayout.ADDRESS,
                ValueLayout.JAVA_LONG,
                ValueLayout.JAVA_INT,
                ValueLayout.ADDRESS,
                ValueLayout.JAVA_INT));
    private static final MethodHandle CLOSE =
        function("close", FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));

    private Calls() {}

    /** Every launcher of Varve enables native access. */
    @SuppressWarnings("restricted")
    private static MethodHandle function(String name, FunctionDescriptor type) {
      return LINKER.downcallHandle(LINKER.defaultLookup().findOrThrow(name), type, ERRNO);
    }

    static void send(MemorySegment state, MemorySegment message, MemorySegment address)
        throws IOException {
      try {
        int descriptor = (int) SOCKET.invokeExact(state, AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
        if (descriptor < 0) {
          throw failed("socket", state);
        }
        try {
          long length = message.byteSize();
          long sent =
              (long)
                  SEND_TO.invokeExact(
                      state, descriptor, message, length, 0, address, (int) address.byteSize());
          if (sent != length) {
            throw failed("sendto", state);
          }
        } finally {
          int _ = (int) CLOSE.invokeExact(state, descriptor);
        }
      } catch (IOException e) {
        throw e;
      } catch (Throwable e) {
        throw new IllegalStateException("the C library cannot be called", e);
      }
    }

    private static IOException failed(String function, MemorySegment state) {
      int errno = state.get(ValueLayout.JAVA_INT, STATE.byteOffset(PATH));
      return new IOException(function + " failed with errno " + errno);
    }

    private static final MemoryLayout.PathElement PATH =
        MemoryLayout.PathElement.groupElement("errno");
  }
}
