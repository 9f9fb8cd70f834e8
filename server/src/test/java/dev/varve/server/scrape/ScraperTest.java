package dev.varve.server.scrape;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.varve.server.TestServer;
import dev.varve.server.config.ConfigNode;
import dev.varve.server.config.ConfigReader;
import dev.varve.server.ingest.Door;
import dev.varve.server.ingest.LabelLimits;
import dev.varve.server.relabel.RelabelConfig;
import dev.varve.server.relabel.Relabelling;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLEncoder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server that scrapes a target with changing answers. */
class ScraperTest {
  @TempDir Path directory;

  private final Map<String, String> pages = new ConcurrentHashMap<>();
  private final Map<String, String> asked = new ConcurrentHashMap<>();
  private HttpServer exporter;

  @SuppressWarnings("NullAway.Init")
  private TestServer server;

  @BeforeEach
  void startTheTarget() throws IOException {
    exporter = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    exporter.createContext("/", this::expose);
    exporter.start();
  }

  @AfterEach
  void stop() {
    if (server != null) {
      server.close();
    }
    exporter.stop(0);
  }

  private void expose(HttpExchange exchange) throws IOException {
    String path = exchange.getRequestURI().getPath();
    asked.put(
        path,
        exchange.getRequestURI().getQuery()
            + " "
            + exchange.getRequestHeaders().getFirst("Authorization"));
    String page = pages.get(path);
    if (page == null) {
      exchange.sendResponseHeaders(500, -1);
      exchange.close();
      return;
    }
    exchange.getResponseHeaders().add("Content-Type", "text/plain; version=0.0.4");
    exchange.getResponseHeaders().add("Content-Encoding", "gzip");
    exchange.sendResponseHeaders(200, 0);
    try (OutputStream out = new GZIPOutputStream(exchange.getResponseBody())) {
      out.write(page.getBytes(UTF_8));
    }
  }

  private String address() {
    return "127.0.0.1:" + exporter.getAddress().getPort();
  }

  private void serve(String yaml) throws IOException {
    serve(yaml, Door.OPEN);
  }

  private void serve(String yaml, Door door) throws IOException {
    List<String> problems = new ArrayList<>();
    ConfigNode node = ConfigNode.parse(yaml.replace("TARGET", address()), "test", true);
    Scrapes scrapes =
        ScrapeReader.read(
            new ConfigReader((ConfigNode.Mapping) node, "scrape", problems), directory);
    assertThat(problems).isEmpty();
    server =
        new TestServer(
            directory.resolve("data"),
            null,
            List.of(),
            Objects.requireNonNull(scrapes),
            door,
            "buckets");
  }

  private String value(String query) {
    return server
        .get("/api/v1/query?query=" + URLEncoder.encode(query, UTF_8))
        .body()
        .replaceAll("(?s).*\"result\":", "");
  }

  private void eventually(String query, String... parts) {
    await().untilAsserted(() -> assertThat(value(query)).contains(parts));
  }

  @Test
  void writesWhatTargetsExposeAndWhatTellsOfIt() throws IOException {
    pages.put(
        "/metrics",
        """
        # HELP requests_total Requests.
        # TYPE requests_total counter
        requests_total{code="200",job="theirs"} 12
        requests_total{code="500"} 3
        timed 4 1000000
        unwanted 1
        """);
    serve(
        """
        global: {scrape_interval: 300ms}
        scrape_configs:
          - job_name: web
            params: {module: [a b]}
            basic_auth: {username: u, password: p}
            honor_timestamps: false
            static_configs:
              - targets: [TARGET]
                labels: {site: here}
            metric_relabel_configs:
              - {source_labels: [__name__], regex: unwanted, action: drop}
              - {source_labels: [code], target_label: status}
              - {regex: code, action: labeldrop}
        """);
    eventually(
        "up", "\"job\":\"web\"", "\"site\":\"here\"", "\"instance\":\"" + address(), "\"1\"");
    eventually("requests_total{exported_job=\"theirs\",status=\"200\",job=\"web\"}", "\"12\"");
    assertThat(value("count(requests_total)")).contains("\"2\"");
    assertThat(value("timed")).contains("\"4\"");
    assertThat(value("unwanted")).startsWith("[]");
    eventually("scrape_samples_scraped", "\"4\"");
    eventually("scrape_samples_post_metric_relabeling", "\"3\"");
    assertThat(value("scrape_duration_seconds")).contains("\"job\":\"web\"");
    assertThat(value("max_over_time(scrape_series_added[1m])")).contains("\"3\"");
    eventually("scrape_series_added", "\"0\"");
    assertThat(asked).containsEntry("/metrics", "module=a+b Basic dTpw");
  }

  @Test
  void relabellingAndLimitsApplyToScrapedSamples() throws IOException {
    pages.put(
        "/metrics", "a{pod=\"1\"} 1\na{pod=\"2\"} 2\nunwanted 1\nlong{l=\"01234567890\"} 1\n");
    Relabelling rules =
        Relabelling.of(
            List.of(
                new RelabelConfig(null, null, "pod", null, null, null, "labeldrop"),
                new RelabelConfig(
                    List.of("__name__"), null, "unwanted|scrape_dur.*", null, null, null, "drop"),
                new RelabelConfig(List.of("instance"), null, null, null, "at", "h", null),
                new RelabelConfig(null, null, "instance", null, null, null, "labeldrop")));
    serve(
        """
        scrape_configs:
          - job_name: a
            scrape_interval: 200ms
            static_configs: [{targets: [TARGET]}]
        """,
        new Door(rules, new LabelLimits(5, 200, 10)));
    eventually("a", "{\"__name__\":\"a\",\"at\":\"h\",\"job\":\"a\"}", "\"1\"");
    eventually("up", "{\"__name__\":\"up\",\"at\":\"h\",\"job\":\"a\"}", "\"1\"");
    eventually("scrape_samples_post_metric_relabeling", "\"4\"");
    assertThat(value("{__name__=~\"unwanted|long|scrape_duration_seconds\"}")).startsWith("[]");
    // One of two merged series disappears, which does not end the merged one.
    pages.put("/metrics", "a{pod=\"2\"} 2\n");
    eventually("a", "\"2\"");
    assertThat(server.get("/metrics").body())
        .contains("varve_samples_dropped_total{dataset=\"buckets\",dialect=\"scrape\"}");
  }

  @Test
  void keepsWhatTargetsSayOfMetrics() throws IOException {
    pages.put("/metrics", "# HELP a_total Requests.\n# TYPE a_total counter\na_total 1\n");
    serve(
        """
        scrape_configs:
          - job_name: a
            scrape_interval: 200ms
            static_configs: [{targets: [TARGET]}]
        """);
    awaitMetadata("{\"a_total\":[{\"type\":\"counter\",\"unit\":\"\",\"help\":\"Requests.\"}]}");
    pages.put("/metrics", "# HELP a_total All requests.\na_total 2\n");
    awaitMetadata(
        "{\"a_total\":[{\"type\":\"counter\",\"unit\":\"\",\"help\":\"All requests.\"}]}");
  }

  private void awaitMetadata(String expected) {
    await()
        .untilAsserted(() -> assertThat(server.get("/api/v1/metadata").body()).contains(expected));
  }

  @Test
  void marksTheEndsOfSeriesThatAreGone() throws IOException {
    pages.put("/metrics", "stays 1\ngoes 2\n");
    serve(
        """
        scrape_configs:
          - job_name: a
            scrape_interval: 200ms
            static_configs: [{targets: [TARGET]}]
        """);
    eventually("goes", "\"2\"");
    pages.put("/metrics", "stays 1\n");
    await().untilAsserted(() -> assertThat(value("goes")).startsWith("[]"));
    assertThat(value("stays")).contains("\"1\"");
    pages.remove("/metrics");
    await().untilAsserted(() -> assertThat(value("stays")).startsWith("[]"));
    eventually("up", "\"0\"");
    String targets = server.get("/api/v1/targets").body();
    assertThat(targets)
        .contains("\"health\":\"down\"", "\"lastError\":\"server returned HTTP status 500\"")
        .contains("\"scrapeUrl\":\"http://" + address() + "/metrics\"")
        .contains("\"scrapeInterval\":\"200ms\"", "\"__scrape_timeout__\":\"200ms\"");
  }

  @Test
  void failsAScrapeThatIsMalformedOrTooLarge() throws IOException {
    pages.put("/metrics", "good 1\nbad{\n");
    pages.put("/many", "a 1\nb 1\nc 1\n");
    pages.put("/long", "a{label=\"0123456789\"} 1\n");
    pages.put("/large", "a 1\n".repeat(100));
    serve(
        """
        global: {scrape_interval: 200ms}
        scrape_configs:
          - {job_name: malformed, static_configs: [{targets: [TARGET]}]}
          - {job_name: many, metrics_path: /many, sample_limit: 2, static_configs: [{targets: [TARGET]}]}
          - {job_name: long, metrics_path: /long, label_value_length_limit: 9, static_configs: [{targets: [TARGET]}]}
          - {job_name: large, metrics_path: /large, body_size_limit: 100B, static_configs: [{targets: [TARGET]}]}
        """);
    await().untilAsserted(() -> assertThat(value("count(up == 0)")).contains("\"4\""));
    eventually("scrape_samples_scraped{job=\"many\"}", "\"3\"");
    assertThat(value("{__name__=~\"good|a|b|c\"}")).startsWith("[]");
    await()
        .untilAsserted(() ->
            assertThat(server.get("/api/v1/targets?state=active").body())
                .contains("line 2: ", "sample limit exceeded", "body size limit exceeded")
                .contains("label_value_length_limit exceeded (metric: a, label name: instance"));
  }

  @Test
  void followsFilesOfTargets() throws IOException {
    pages.put("/one", "page 1\n");
    pages.put("/two", "page 2\n");
    Path file = directory.resolve("some.json");
    Files.writeString(
        file,
        "[\t{\"targets\": [\"%s\"], \"labels\": {\"__metrics_path__\": \"/one\", \"n\": \"one\"}}]"
            .formatted(address()));
    serve(
        """
        scrape_configs:
          - job_name: files
            scrape_interval: 200ms
            file_sd_configs: [{files: ["*.json", none.yml]}]
            relabel_configs:
              - {source_labels: [n], regex: no, action: drop}
        """);
    eventually("page", "\"n\":\"one\"", "\"1\"");
    Files.writeString(
        file,
        """
        [{"targets": ["%s"], "labels": {"__metrics_path__": "/two", "n": "two"}},
         {"targets": ["dropped:1"], "labels": {"n": "no"}}]\
        """
            .formatted(address()));
    await()
        .atMost(Duration.ofSeconds(20))
        .untilAsserted(() -> {
          assertThat(value("page{n=\"two\"}")).contains("\"2\"");
          assertThat(value("page{n=\"one\"}")).startsWith("[]");
          assertThat(value("up{n=\"one\"}")).startsWith("[]");
        });
    assertThat(server.get("/api/v1/targets?state=dropped").body())
        .contains("\"__address__\":\"dropped:1\"", "\"droppedTargetCounts\":{\"files\":1}")
        .contains("\"activeTargets\":[]");
  }
}
