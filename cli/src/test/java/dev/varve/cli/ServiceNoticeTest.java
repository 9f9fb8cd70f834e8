package dev.varve.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** The server notifies a service manager, here a socket of the test, of its state. */
@EnabledOnOs(OS.LINUX)
class ServiceNoticeTest {
  @TempDir private Path folder;

  @Test
  void reachesTheSocketOfAFile() throws Throwable {
    String path = folder.resolve("notify").toString();
    assertThat(sentTo(path, path)).isEqualTo(ServiceNotice.READY);
  }

  @Test
  void reachesASocketWithoutAFile() throws Throwable {
    String name = "varve-" + UUID.randomUUID();
    assertThat(sentTo("@" + name, "\0" + name)).isEqualTo(ServiceNotice.READY);
  }

  @Test
  void isNotSentWithoutAServiceManagerOrToOneOfAnotherKind() throws IOException {
    ServiceNotice.of(Map.of()).send(ServiceNotice.READY);
    ServiceNotice.of(Map.of("NOTIFY_SOCKET", "vsock:2:1234")).send(ServiceNotice.READY);
  }

  @Test
  void aServiceManagerThatIsNotThereIsNamedByTheError() {
    ServiceNotice nobody =
        ServiceNotice.of(Map.of("NOTIFY_SOCKET", folder.resolve("none").toString()));
    assertThatThrownBy(() -> nobody.send(ServiceNotice.READY))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("errno 2");
    ServiceNotice far = ServiceNotice.of(Map.of("NOTIFY_SOCKET", "/" + "x".repeat(200)));
    assertThatThrownBy(() -> far.send(ServiceNotice.READY)).hasMessageContaining("107 bytes");
  }

  /** Binds a socket of datagrams, sends the notice, and returns what arrives. */
  @SuppressWarnings("restricted")
  private static String sentTo(String variable, String bound) throws Throwable {
    Linker linker = Linker.nativeLinker();
    var number = ValueLayout.JAVA_INT;
    var pointer = ValueLayout.ADDRESS;
    var size = ValueLayout.JAVA_LONG;
    var lookup = linker.defaultLookup();
    var socket =
        linker.downcallHandle(
            lookup.findOrThrow("socket"), FunctionDescriptor.of(number, number, number, number));
    var bind =
        linker.downcallHandle(
            lookup.findOrThrow("bind"), FunctionDescriptor.of(number, number, pointer, number));
    var receive =
        linker.downcallHandle(
            lookup.findOrThrow("recv"), FunctionDescriptor.of(size, number, pointer, size, number));
    var close =
        linker.downcallHandle(lookup.findOrThrow("close"), FunctionDescriptor.of(number, number));
    try (Arena arena = Arena.ofConfined()) {
      byte[] name = bound.getBytes(StandardCharsets.UTF_8);
      MemorySegment address = arena.allocate(2L + name.length, 2);
      address.set(ValueLayout.JAVA_SHORT, 0, (short) 1);
      MemorySegment.copy(name, 0, address, ValueLayout.JAVA_BYTE, 2, name.length);
      int descriptor = (int) socket.invokeExact(1, 2, 0);
      try {
        assertThat((int) bind.invokeExact(descriptor, address, (int) address.byteSize())).isZero();
        ServiceNotice.of(Map.of("NOTIFY_SOCKET", variable)).send(ServiceNotice.READY);
        MemorySegment message = arena.allocate(200);
        int dontWait = 0x40;
        long length = (long) receive.invokeExact(descriptor, message, 200L, dontWait);
        byte[] text = new byte[Math.toIntExact(length)];
        MemorySegment.copy(message, ValueLayout.JAVA_BYTE, 0, text, 0, text.length);
        return new String(text, StandardCharsets.UTF_8);
      } finally {
        int _ = (int) close.invokeExact(descriptor);
      }
    }
  }
}
