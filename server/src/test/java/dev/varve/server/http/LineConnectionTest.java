package dev.varve.server.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

class LineConnectionTest {
  private int clients;

  /** More than one read returns, but less than a connection buffers. */
  private static final int SENT = 40_000;

  @Test
  void readsToTheEndWhatHasComeWhenTheServerStops() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch stopping = new CountDownLatch(1);
    CompletableFuture<Integer> read = new CompletableFuture<>();
    Dispatcher dispatcher = dispatcher();
    StreamProtocol slow =
        (sender, in, out, memory) -> {
          in.read();
          begun.countDown();
          await(stopping);
          read.complete(1 + in.readAllBytes().length);
        };
    SocketServer server =
        SocketServer.start(List.of(new SocketServer.Port("127.0.0.1", 0, null, slow)), dispatcher);
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.ports().getFirst())) {
      socket.getOutputStream().write("x".repeat(SENT).getBytes(UTF_8));
      await(begun);
      CompletableFuture<Void> closing = CompletableFuture.runAsync(server::close);
      while (!dispatcher.draining()) {
        Thread.sleep(1);
      }
      // The server notified all connections long before.
      Thread.sleep(200);
      stopping.countDown();
      assertThat(read.get(10, TimeUnit.SECONDS)).isEqualTo(SENT);
      closing.get(10, TimeUnit.SECONDS);
      assertThat(socket.getInputStream().read()).isNegative();
    }
  }

  private static Dispatcher dispatcher() {
    return dispatcher(ConnectionLimits.DEFAULTS);
  }

  private static Dispatcher dispatcher(ConnectionLimits connections) {
    return new Dispatcher(
        HttpLimits.DEFAULTS.withConnections(connections),
        (dialect, path, status, nanos, in, out) -> {});
  }

  private static SocketServer echo(int connections, Duration idle) throws IOException {
    return SocketServer.start(
        List.of(
            new SocketServer.Port(
                "127.0.0.1", 0, null, (sender, in, out, memory) -> in.transferTo(out))),
        dispatcher(
            new ConnectionLimits(
                100,
                100,
                connections,
                2,
                Duration.ofSeconds(10),
                Duration.ofSeconds(10),
                idle,
                1 << 10,
                Duration.ofSeconds(10),
                TrustedProxies.NONE)));
  }

  /** Connects from a new address each time. */
  private Socket connect(SocketServer server) throws IOException {
    byte[] own = {127, 0, 0, (byte) (2 + clients++)};
    Socket socket =
        new Socket(
            InetAddress.getLoopbackAddress(),
            server.ports().getFirst(),
            InetAddress.getByAddress(own),
            0);
    socket.setSoTimeout(10_000);
    return socket;
  }

  private static int echoed(Socket socket) throws IOException {
    socket.getOutputStream().write('x');
    return socket.getInputStream().read();
  }

  @Test
  void oneMoreThanMayBeOpenIsClosedAndTheOthersGoOn() throws IOException {
    try (SocketServer server = echo(2, Duration.ofMinutes(1));
        Socket first = connect(server)) {
      assertThat(echoed(first)).isEqualTo('x');
      try (Socket second = connect(server)) {
        assertThat(echoed(second)).isEqualTo('x');
        try (Socket third = connect(server)) {
          assertThat(third.getInputStream().read()).isNegative();
        }
        assertThat(echoed(first)).isEqualTo('x');
      }
      Awaitility.await().until(() -> server.lineConnections() == 1);
      try (Socket fourth = connect(server)) {
        assertThat(echoed(fourth)).isEqualTo('x');
      }
    }
  }

  @Test
  void noMoreThanMayBeOpenAreServedThoughAllComeAtOnce() throws IOException {
    try (SocketServer server = echo(3, Duration.ofMinutes(1))) {
      List<Socket> all = new ArrayList<>();
      for (int i = 0; i < 40; i++) {
        all.add(connect(server));
      }
      int served = 0;
      for (Socket socket : all) {
        served += isServed(socket) ? 1 : 0;
      }
      assertThat(served).isBetween(1, 3);
      for (Socket socket : all) {
        socket.close();
      }
    }
  }

  private static boolean isServed(Socket socket) {
    try {
      return echoed(socket) == 'x';
    } catch (SocketTimeoutException e) {
      throw new AssertionError("neither served nor closed", e);
    } catch (IOException e) {
      return false;
    }
  }

  @Test
  void oneThatIsSilentIsClosed() throws IOException {
    try (SocketServer server = echo(2, Duration.ofMillis(200));
        Socket socket = connect(server)) {
      assertThat(echoed(socket)).isEqualTo('x');
      assertThat(socket.getInputStream().read()).isNegative();
      Awaitility.await().until(() -> server.lineConnections() == 0);
    }
  }

  private static void await(CountDownLatch latch) throws IOException {
    try {
      assertThat(latch.await(10, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }
}
