package dev.varve.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.engine.Engine;
import dev.varve.engine.config.DatasetConfig;
import dev.varve.engine.config.DatasetConfig.PeriodConfig;
import dev.varve.engine.config.DatasetConfig.StoreConfig;
import dev.varve.engine.config.EngineConfig;
import dev.varve.layout.registry.Layouts;
import dev.varve.server.ServerConfig.Listener;
import dev.varve.server.http.HttpLimits;
import dev.varve.server.http.RawHttp;
import dev.varve.server.http.RawHttp.Answer;
import dev.varve.server.queries.QueryOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Answers of a server while its stores are being opened. */
class OpeningTest {
  /** Paths that clients use to probe whether a server is usable. */
  private static final List<String> PROBES =
      List.of(
          "/api/v1/version",
          "/kairosdb/api/v1/version",
          "/api/v1/health/check",
          "/api/v1/health/status",
          "/api/v1/metricnames",
          "/api/version",
          "/api/aggregators",
          "/api/config",
          "/api/suggest?type=metrics",
          "/ping",
          "/health",
          "/ready",
          "/query?q=SHOW+DATABASES",
          "/api/v1/status/buildinfo",
          "/api/v1/labels",
          "/api/v1/rules",
          "/api/v1/targets",
          "/api/v1/format_query?query=up",
          "/varve/v1/dataset",
          "/-/ready");

  @TempDir private Path directory;

  @Test
  void noDialectAnswersBeforeItsStoresAreOpen() throws Exception {
    int port = freePort();
    CountDownLatch opening = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    CompletableFuture<Server> started =
        CompletableFuture.supplyAsync(() -> start(port, opening, goOn));
    try {
      opening.await();
      for (String probe : PROBES) {
        Answer answer = RawHttp.send(port, "GET", probe, "");
        assertThat(answer.status()).as(probe).isEqualTo(503);
        assertThat(answer.body()).as(probe).contains("stores are being opened");
        assertThat(answer.header("Retry-After").isEmpty())
            .as(probe)
            .isEqualTo(probe.equals("/-/ready"));
      }
      assertThat(RawHttp.send(port, "GET", "/-/healthy", "").status()).isEqualTo(200);
      assertThat(RawHttp.send(port, "GET", "/metrics", "").status()).isEqualTo(200);
      assertThat(RawHttp.send(port, "GET", "/api/v1/status/queries", "").status()).isEqualTo(200);
      assertThat(telnet(port, "version\n")).isEqualTo("error: the stores are being opened\n");
    } finally {
      goOn.countDown();
    }
    try (Server server = started.get()) {
      for (String probe : PROBES) {
        assertThat(RawHttp.send(port, "GET", probe, "").status()).as(probe).isIn(200, 204);
      }
      assertThat(telnet(port, "version\nexit\n")).startsWith("net.opentsdb.tools");
      server.engine().close();
    }
  }

  private Server start(int port, CountDownLatch opening, CountDownLatch goOn) {
    ServerConfig config =
        new ServerConfig(
            List.of(new Listener("127.0.0.1", port, Dialects.names(), null)),
            HttpLimits.DEFAULTS,
            QueryOptions.DEFAULTS,
            null,
            null);
    try {
      return Server.start(
          config,
          () -> {
            opening.countDown();
            try {
              goOn.await();
            } catch (InterruptedException e) {
              throw new AssertionError(e);
            }
            return Engine.open(new EngineConfig(directory, 64 << 20, List.of(dataset()), "one"));
          });
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static DatasetConfig dataset() {
    return new DatasetConfig(
        "one",
        new StoreConfig("memory", Map.of()),
        List.of(new PeriodConfig(Instant.MIN, List.of(Layouts.of("buckets", Map.of())))),
        null,
        DatasetConfig.Duplicates.LAST,
        Set.of(),
        false);
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private static String telnet(int port, String lines) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.setSoTimeout(20_000);
      socket.getOutputStream().write(lines.getBytes(UTF_8));
      return new String(socket.getInputStream().readAllBytes(), UTF_8);
    }
  }
}
