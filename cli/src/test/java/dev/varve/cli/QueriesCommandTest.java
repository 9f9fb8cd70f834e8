package dev.varve.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.varve.engine.Engine;
import dev.varve.engine.config.DatasetConfig;
import dev.varve.engine.config.EngineConfig;
import dev.varve.layout.registry.Layouts;
import dev.varve.server.Server;
import dev.varve.server.ServerConfig;
import dev.varve.server.ServerConfig.Listener;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class QueriesCommandTest {
  /** Sorts half a million values repeatedly. */
  private static final String FOREVER =
      "/api/v1/query_range?start=0&end=9999&step=1&query=quantile_over_time(0.5,vector(1)%5B6d:1s%5D)";

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  @TempDir private Path folder;
  private Engine engine;
  private Server server;
  private String address;

  @BeforeEach
  void start() throws IOException {
    DatasetConfig dataset = DatasetConfig.of("default", Layouts.of("buckets", Map.of()));
    engine = Engine.open(new EngineConfig(folder, 64 << 20, List.of(dataset), "default"));
    ServerConfig config =
        new ServerConfig(
            List.of(new Listener("127.0.0.1", 0, Listener.DEFAULTS.dialects(), null)),
            ServerConfig.DEFAULTS.http(),
            ServerConfig.DEFAULTS.query(),
            null,
            null,
            null);
    server = Server.start(config, engine);
    address = "http://127.0.0.1:" + server.ports().getFirst();
  }

  @AfterEach
  void stop() {
    server.close();
    engine.close();
  }

  private int run(String... arguments) {
    CommandLine line = Main.commandLine();
    line.setOut(new PrintWriter(out));
    line.setErr(new PrintWriter(err, true));
    return line.execute(arguments);
  }

  @Test
  void listsAndKills() throws Exception {
    assertThat(run("queries", "--server", address)).isZero();
    assertThat(err.toString()).contains("no query waits or runs");

    try (HttpClient client = HttpClient.newHttpClient()) {
      CompletableFuture<HttpResponse<String>> answer =
          client.sendAsync(
              HttpRequest.newBuilder(URI.create(address + FOREVER)).build(),
              HttpResponse.BodyHandlers.ofString());
      await()
          .until(() -> {
            run("queries", "--server", address, "--output", "json");
            return out.toString().contains("running");
          });
      assertThat(out.toString())
          .contains("\"language\":\"promql\"", "\"text\":\"quantile_over_time(0.5,");
      String json = out.toString();
      String id = json.substring(json.indexOf("\"id\":\"") + 6, json.indexOf("\",\"state\""));
      out.getBuffer().setLength(0);
      assertThat(run("queries", "--server", address)).isZero();
      assertThat(out.toString()).contains("ID", "STATE", id + "  running").containsPattern("\\d s");

      assertThat(run("queries", "kill", "nothing", "--server", address)).isEqualTo(1);
      assertThat(err.toString()).contains("no query 'nothing' runs here");
      assertThat(run("queries", "kill", id, "--server", address)).isZero();
      assertThat(answer.get(5, TimeUnit.SECONDS).statusCode()).isEqualTo(499);
    }
  }

  @Test
  void saysWhereNoServerRuns() {
    assertThat(run("queries", "--data", folder.resolve("none").toString())).isEqualTo(1);
    assertThat(err.toString()).contains("no server runs on the data directory");
    assertThat(run("queries", "--server", "nowhere")).isEqualTo(2);
  }
}
