package dev.varve.server.opentsdb;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.varve.server.TestServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Senders of lines that never read the answers, as most do. */
class UnreadAnswersTest {
  private static final int LINES = 6_000;

  @TempDir private Path directory;
  private TestServer server;

  @BeforeEach
  void start() throws IOException {
    server = new TestServer(directory, null, "buckets");
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private Socket connect() throws IOException {
    Socket socket = new Socket();
    // Keeps the kernel from buffering much for the client.
    socket.setReceiveBufferSize(4 << 10);
    socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port()));
    return socket;
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void allGoodLinesAreStored(boolean endsItsSide) throws IOException {
    // The answers quote these lines: 8 MB, more than the kernel buffers.
    String bad = ("x".repeat(100) + "\n").repeat(10);
    try (Socket socket = connect()) {
      OutputStream out = socket.getOutputStream();
      long start = System.nanoTime();
      for (int i = 0; i < LINES; i++) {
        out.write((bad + "put m " + (1_600_000_000 + i) + " 1 a=b\n").getBytes(UTF_8));
      }
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(20));
      if (endsItsSide) {
        socket.shutdownOutput();
      }
      // A client that closes with unread answers resets the connection and loses data in transit.
      awaitStored();
    }
    await()
        .untilAsserted(() ->
            assertThat(metrics())
                .containsPattern("\nvarve_line_answers_dropped_total [1-9]")
                .contains("\nvarve_connections_closed_total{reason=\"unread-answers\"} 1"));
  }

  private void awaitStored() {
    await()
        .atMost(Duration.ofSeconds(20))
        .untilAsserted(() ->
            assertThat(metrics())
                .contains(
                    "varve_samples_accepted_total{dataset=\"buckets\",dialect=\"opentsdb\"} "
                        + LINES));
  }

  private String metrics() {
    return server.get("/metrics").body();
  }

  @Test
  void aClientThatReadsGetsAllAnswersInTheirOrder() throws IOException {
    try (Socket socket = connect()) {
      socket.setSoTimeout(20_000);
      Thread writing =
          Thread.ofVirtual()
              .start(() -> {
                try {
                  for (int i = 0; i < 500; i++) {
                    socket.getOutputStream().write(("unknown" + i + "\n").getBytes(UTF_8));
                  }
                  socket.shutdownOutput();
                } catch (IOException e) {
                  throw new AssertionError(e);
                }
              });
      BufferedReader in = new BufferedReader(new InputStreamReader(socket.getInputStream(), UTF_8));
      for (int i = 0; i < 500; i++) {
        assertThat(in.readLine()).startsWith("unknown command: unknown" + i + ".");
      }
      assertThat(in.readLine()).isNull();
      writing.join();
      assertThat(metrics()).contains("\nvarve_line_answers_dropped_total 0");
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
