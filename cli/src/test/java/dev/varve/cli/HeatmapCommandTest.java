package dev.varve.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.cli.io.JsonTree;
import dev.varve.engine.Engine;
import dev.varve.engine.config.DatasetConfig;
import dev.varve.engine.config.DatasetConfig.StoreConfig;
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
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The heat map over a server, over its API, and over its directory once it has stopped. */
class HeatmapCommandTest {
  private static final String HOSTILE = "\u001b[31mred\u0007";

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  @TempDir private Path folder;
  private Engine engine;
  private Server server;
  private String address;

  @BeforeEach
  void start() throws IOException {
    DatasetConfig plain = DatasetConfig.of("default", Layouts.of("buckets", Map.of()));
    DatasetConfig dataset =
        new DatasetConfig(
            "default",
            new StoreConfig("rocksdb", Map.of()),
            plain.periods(),
            null,
            plain.duplicates(),
            plain.resources(),
            false);
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
    long now = System.currentTimeMillis();
    for (int batch = 0; batch < 20; batch++) {
      BatchBuilder points = new BatchBuilder();
      for (int i = 0; i < 1000; i++) {
        String host = i % 2 == 0 ? HOSTILE : "host-" + i % 100;
        points.group(GroupKey.of("cpu", Tags.of("host", host))).add("value", now - i, 1.0);
      }
      engine.defaultDataset().write(points.build());
    }
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

  private HttpResponse<String> get(String query) throws IOException, InterruptedException {
    try (HttpClient client = HttpClient.newHttpClient()) {
      return client.send(
          HttpRequest.newBuilder(URI.create(address + "/varve/v1/heatmap" + query)).build(),
          HttpResponse.BodyHandlers.ofString());
    }
  }

  private static long total(String json) {
    return JsonTree.list(JsonTree.member(JsonTree.parse(json), "rows")).stream()
        .mapToLong(row -> JsonTree.number(row, "total"))
        .sum();
  }

  @Test
  void showsAServerAndItsStoppedDirectory() throws Exception {
    assertThat(run("heatmap", "--server", address, "--resolution", "8")).isZero();
    assertThat(out.toString())
        .contains("writes of table default.buckets")
        .contains("cpu{host=\"host-", "█│ ", "hot partition: cpu{host=\"?[31mred?\"}")
        .contains("gets 50 % of the writes")
        .doesNotContain("\u001b", "\u0007");
    String overApi = get("?resolution=8").body();
    assertThat(total(overApi)).isBetween(19_500L, 20_500L);

    server.close();
    engine.close();
    String[] directory = {"--data", folder.toString(), "--set", "datasets.default.layout=buckets"};
    assertThat(run(join("heatmap", directory, "--resolution", "8", "--output", "json"))).isZero();
    assertThat(total(out.toString())).isEqualTo(total(overApi));
    assertThat(run(join("heatmap", directory, "--what", "bytes", "--output", "csv"))).isZero();
    assertThat(out.toString()).startsWith("time,rowHex,row,value").contains("host-1");
    assertThat(run(join("heatmap", directory, "--what", "reads"))).isZero();
    assertThat(run(join("heatmap", directory, "--what", "noise"))).isEqualTo(2);
    assertThat(err.toString()).contains("'what' is one of reads, writes, bytes, latency");
  }

  private static String[] join(String first, String[] middle, String... last) {
    return Stream.of(new String[] {first}, middle, last)
        .flatMap(Arrays::stream)
        .toArray(String[]::new);
  }

  @Test
  void wrongParametersAreNamed() throws Exception {
    for (String[] wrong :
        List.of(
            new String[] {"?table=other", "there is no table 'other' in the dataset"},
            new String[] {"?what=noise", "'what' is one of"},
            new String[] {"?from=5&to=5", "no time lies"},
            new String[] {"?from=0&to=9999999999999", "more than 30 days apart"},
            new String[] {"?from=-5", "'from' is before 1970"},
            new String[] {"?from-row=xyz", "'from-row' is a row key in hexadecimal"},
            new String[] {"?resolution=1000", "'resolution' is a whole number from 2 to 256"})) {
      HttpResponse<String> answer = get(wrong[0]);
      assertThat(answer.statusCode()).as(wrong[0]).isEqualTo(400);
      assertThat(answer.body()).contains(wrong[1]);
    }
    assertThat(run("heatmap", "--server", address, "--table", "other")).isEqualTo(1);
    assertThat(run("heatmap", "--server", address, "--last", "1h", "--from", "2h")).isEqualTo(2);
  }

  @Test
  void aPartOfTheRowsIsShownFiner() throws Exception {
    Object map = JsonTree.parse(get("?resolution=4").body());
    List<Object> rows = JsonTree.list(JsonTree.member(map, "rows"));
    assertThat(rows).hasSizeBetween(2, 4);
    String from = JsonTree.text(rows.get(0), "from");
    String to = JsonTree.text(rows.get(rows.size() - 1), "from");
    String part = get("?resolution=64&from-row=" + from + "&to-row=" + to).body();
    assertThat(JsonTree.list(JsonTree.member(JsonTree.parse(part), "rows")))
        .hasSizeGreaterThan(rows.size());
    long before = 0;
    for (Object row : rows.subList(0, rows.size() - 1)) {
      before += JsonTree.number(row, "total");
    }
    assertThat(total(part)).isEqualTo(before);
  }
}
