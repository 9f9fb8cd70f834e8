package dev.varve.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.varve.server.ServerConfig.Listener;
import dev.varve.server.http.ConnectionLimits;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that a server still answers clients and operators while others hold its connections. */
class AttackedServerTest {
  private static final Duration SOON = Duration.ofSeconds(5);

  private static final String POINTS =
      "[{\"name\":\"m\",\"tags\":{\"a\":\"b\"},\"timestamp\":1600000000000,\"value\":1}]";

  @TempDir private Path directory;
  private final List<Socket> sockets = new ArrayList<>();
  private @Nullable TestServer server;

  @AfterEach
  void stop() throws IOException {
    for (Socket socket : sockets) {
      socket.close();
    }
    if (server != null) {
      server.close();
    }
  }

  /** Connects from 127.0.0.HOST. */
  private Socket connect(TestServer to, int port, int host) throws IOException {
    Socket socket = new Socket();
    sockets.add(socket);
    socket.bind(new InetSocketAddress(address(host), 0));
    socket.connect(new InetSocketAddress(address(1), to.ports().get(port)));
    socket.setSoTimeout(10_000);
    return socket;
  }

  private static InetAddress address(int host) throws IOException {
    return InetAddress.getByAddress(new byte[] {127, 0, 0, (byte) host});
  }

  private void hold(TestServer held, int host, int count, String sent) throws IOException {
    for (int i = 0; i < count; i++) {
      connect(held, 0, host).getOutputStream().write(sent.getBytes(UTF_8));
    }
  }

  /** Returns the status and the rest of the answer. */
  private String ask(TestServer asked, int port, String request) throws IOException {
    long start = System.nanoTime();
    try (Socket socket = connect(asked, port, 1)) {
      String[] parts = request.split("\n", 2);
      String body = parts.length > 1 ? parts[1] : "";
      String sent =
          "%s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s"
              .formatted(parts[0], body.length(), body);
      socket.getOutputStream().write(sent.getBytes(UTF_8));
      String answer = new String(socket.getInputStream().readAllBytes(), UTF_8);
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(SOON);
      return answer.substring("HTTP/1.1 ".length());
    }
  }

  private static String half(int host) {
    return "POST /api/v1/datapoints HTTP/1.1\r\nHost: localhost\r\nX-From: %d\r\nContent-Length: 9999\r\n\r\n[{"
        .formatted(host);
  }

  @Test
  void othersWriteBesideSeventyBodiesThatTrickle() throws IOException {
    TestServer attacked = new TestServer(directory, null, "buckets");
    server = attacked;
    hold(attacked, 2, 70, half(2));
    await().until(() -> attacked.get("/metrics").body().contains("\nvarve_connections 71"));
    for (int i = 0; i < 10; i++) {
      assertThat(ask(attacked, 0, "POST /api/v1/datapoints\n" + POINTS)).startsWith("204 ");
    }
    assertThat(attacked.get("/metrics").body()).contains("\nvarve_http_writing 0");
  }

  @Test
  void operatorsAreAnsweredWhateverIsHeldFromTheirAddress() throws IOException {
    TestServer attacked = TestServer.withConnections(directory, ConnectionLimits.ofMax(100));
    server = attacked;
    hold(attacked, 1, 500, "");
    assertOperatorsAreAnswered(attacked);
    assertThat(ask(attacked, 0, "POST /api/v1/datapoints\n" + POINTS)).startsWith("204 ");
    // 25 for each client; some are evicted by others before their header is read.
    await()
        .untilAsserted(() -> {
          for (int host = 1; host <= 4; host++) {
            hold(attacked, host, 10, half(host));
          }
          assertThat(ask(attacked, 0, "GET /varve/v1/dataset")).startsWith("503 ");
        });
    assertOperatorsAreAnswered(attacked);
    hold(attacked, 1, 200, "GET /-/hea");
    assertOperatorsAreAnswered(attacked);
  }

  private void assertOperatorsAreAnswered(TestServer asked) throws IOException {
    assertThat(ask(asked, 0, "GET /-/healthy")).startsWith("200 ");
    assertThat(ask(asked, 0, "GET /-/ready")).startsWith("200 ");
    assertThat(ask(asked, 0, "POST /-/reload")).startsWith("200 ");
    assertThat(ask(asked, 0, "GET /metrics")).contains("\nvarve_connections_refused_total{");
    assertThat(ask(asked, 0, "GET /api/v1/status/queries")).contains("\"queries\":[]");
    assertThat(ask(asked, 0, "POST /api/v1/status/queries/1-1/kill")).startsWith("404 ");
  }

  @Test
  void twoClientsCannotTakeAllConnectionsOfLines() throws IOException {
    // 40 of these may speak lines, 10 per client.
    TestServer attacked = TestServer.withConnections(directory, ConnectionLimits.ofMax(80));
    server = attacked;
    hold(attacked, 2, 15, "put m 1");
    hold(attacked, 3, 15, "put m 1");
    await()
        .untilAsserted(() ->
            assertThat(attacked.get("/metrics").body())
                .contains(
                    "\nvarve_line_connections 20",
                    "\nvarve_line_connections_max 40",
                    "\nvarve_connections_max 80",
                    "\nvarve_connections_refused_total{reason=\"lines-per-client\"} 10"));
    Socket third = connect(attacked, 0, 4);
    third.getOutputStream().write("version\n".getBytes(UTF_8));
    assertThat(new String(third.getInputStream().readNBytes(20), UTF_8)).startsWith("net.opentsdb");
  }

  @Test
  void operatorsMayHaveAListenerOfTheirOwn() throws IOException {
    List<String> both = List.of("kairosdb", "operations");
    TestServer asked = new TestServer(directory, null, "buckets");
    server = asked;
    asked.with(
        List.of(
            new Listener("127.0.0.1", 0, List.of("kairosdb"), null),
            new Listener("127.0.0.1", 0, List.of("operations"), null),
            new Listener("127.0.0.1", 0, both, null)));
    for (String path : List.of("/-/healthy", "/metrics", "/api/v1/status/queries")) {
      assertThat(ask(asked, 0, "GET " + path)).startsWith("404 ");
      assertThat(ask(asked, 1, "GET " + path)).startsWith("200 ");
      assertThat(ask(asked, 2, "GET " + path)).startsWith("200 ");
    }
    for (String path : List.of("/api/v1/version", "/varve/v1/dataset")) {
      assertThat(ask(asked, 0, "GET " + path)).startsWith("200 ");
      assertThat(ask(asked, 1, "GET " + path)).startsWith("404 ");
      assertThat(ask(asked, 2, "GET " + path)).startsWith("200 ");
    }
  }
}
