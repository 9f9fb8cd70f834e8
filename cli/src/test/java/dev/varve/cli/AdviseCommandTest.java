package dev.varve.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.cli.io.JsonTree;
import dev.varve.engine.Engine;
import dev.varve.engine.config.DatasetConfig;
import dev.varve.engine.config.EngineConfig;
import dev.varve.layout.registry.Layouts;
import dev.varve.model.BatchBuilder;
import dev.varve.model.GroupKey;
import dev.varve.model.Tags;
import dev.varve.server.Server;
import dev.varve.server.ServerConfig;
import dev.varve.server.ServerConfig.Listener;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Advice over a server, over its API, and over its directory once it has stopped. */
class AdviseCommandTest {
  private static final String HOSTILE = "\u001b[31mred\u0007";
  private static final long MINUTE = 60_000;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  @TempDir private Path folder;
  private Engine engine;
  private Server server;
  private String address;
  private long now;

  @BeforeEach
  void start() throws IOException {
    engine =
        Engine.open(
            new EngineConfig(
                folder,
                64 << 20,
                List.of(DatasetConfig.of("default", Layouts.of("buckets", Map.of("bucket", "1m")))),
                "default"));
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
    now = System.currentTimeMillis() / MINUTE * MINUTE;
    BatchBuilder points = new BatchBuilder();
    for (int host = 0; host < 5; host++) {
      String name = host == 0 ? HOSTILE : "host-" + host;
      for (long time = now - 12 * 60 * MINUTE; time < now; time += MINUTE) {
        points.group(GroupKey.of("cpu", Tags.of("host", name))).add("value", time, 1.0);
      }
    }
    engine.defaultDataset().write(points.build());
  }

  @AfterEach
  void stop() {
    server.close();
    engine.close();
  }

  private int run(String... arguments) {
    out.getBuffer().setLength(0);
    err.getBuffer().setLength(0);
    CommandLine line = Main.commandLine();
    line.setOut(new PrintWriter(out));
    line.setErr(new PrintWriter(err, true));
    return line.execute(arguments);
  }

  private String get(String path) throws IOException, InterruptedException {
    try (HttpClient client = HttpClient.newHttpClient()) {
      HttpResponse<String> answer =
          client.send(
              HttpRequest.newBuilder(URI.create(address + path)).build(),
              HttpResponse.BodyHandlers.ofString());
      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
      return answer.body();
    }
  }

  private static Object member(String json, String name) {
    return JsonTree.member(JsonTree.parse(json), name);
  }

  @Test
  void advisesByTheQueriesOfAServerAlsoOnceItHasStopped() throws Exception {
    assertThat(run("advise", "--server", address)).isZero();
    assertThat(out.toString())
        .contains("default: change the layout")
        .contains("Missing: no queries recorded yet");

    String query = URLEncoder.encode("sum by (host) (cpu{host='host-1'})", StandardCharsets.UTF_8);
    for (int i = 0; i < 3; i++) {
      get(
          "/api/v1/query_range?query=%s&start=%d&end=%d&step=300"
              .formatted(query, now / 1000 - 11 * 3600, now / 1000));
    }
    assertThat(run("advise", "--server", address, "default")).isZero();
    assertThat(out.toString())
        .contains("default: change the layout")
        .contains("blocks: ")
        .contains("promql sum by (host) of cpu{host=}, 12h up to now, step 5m")
        .containsPattern("      - \\{from: \\S+, layout: blocks}")
        .contains("varve compact --into blocks --dataset default");
    String overApi = get("/varve/v1/advice");
    assertThat(member(overApi, "verdict")).isEqualTo("change");
    Object asked = JsonTree.list(member(overApi, "queries")).getFirst();
    assertThat(JsonTree.number(asked, "count")).isEqualTo(3);

    String days = get("/varve/v1/cardinality/history");
    Object today = JsonTree.list(member(days, "days")).getLast();
    assertThat(JsonTree.number(today, "series")).isEqualTo(5);

    server.close();
    engine.close();
    String[] directory = {
      "--data", folder.toString(),
      "--set", "datasets.default.layout=buckets",
      "--set", "datasets.default.parameters.bucket=1m"
    };
    assertThat(run(with(directory, "--json"))).as(err.toString()).isZero();
    Object stopped = JsonTree.list(member(out.toString(), "queries")).getFirst();
    // Estimates for a window up to now change with the time between the two.
    assertThat(stopped)
        .usingRecursiveComparison()
        .withEqualsForType(
            (one, other) -> Math.abs(one - other) <= 1e-6 * Math.abs(other), Double.class)
        .isEqualTo(asked);
    assertThat(run(with(directory, "default", "--dataset", "default"))).isEqualTo(2);
    assertThat(err.toString()).contains("the dataset is named twice");
  }

  private static String[] with(String[] directory, String... more) {
    return Stream.of(new String[] {"advise"}, directory, more)
        .flatMap(Stream::of)
        .toArray(String[]::new);
  }

  @Test
  void readsOfEveryLanguageAreRecorded() throws Exception {
    get("/api/v1/query?query=cpu");
    get("/varve/v1/query?selector=cpu&from=2h&every=1h&aggregate=max&by=host");
    get("/varve/v1/query?selector=cpu&from=2h&every=10m&aggregate=max&by=host");
    get("/api/query?start=2h-ago&m=sum:cpu");
    List<Object> queries = JsonTree.list(member(get("/varve/v1/advice"), "queries"));
    assertThat(queries)
        .extracting(one -> JsonTree.text(one, "query"))
        .anyMatch(text -> text.startsWith("promql of cpu{}"))
        .anyMatch(text -> text.startsWith("varve sum by (host)(max) of cpu{}, 3h up to now"))
        .anyMatch(text -> text.startsWith("opentsdb"))
        .hasSize(3);
  }

  @Test
  void printsNothingThatATerminalObeys() throws Exception {
    String query = URLEncoder.encode("cpu{host='" + HOSTILE + "'}", StandardCharsets.UTF_8);
    get("/api/v1/query?query=" + query);
    assertThat(run("advise", "--server", address)).isZero();
    assertThat(out.toString()).doesNotContain("\u001b", "\u0007");
  }
}
