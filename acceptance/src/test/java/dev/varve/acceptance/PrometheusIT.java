package dev.varve.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.devstores.NodeExporter;
import dev.varve.devstores.Prometheus;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/**
 * The real Prometheus scrapes the real node exporter and itself, and writes to Varve in both
 * versions of remote write. Varve must then give the same answers: over HTTP, to {@code promtool},
 * and through a second Prometheus that only reads from Varve and scrapes what Varve federates.
 * Varve's own scrapes must give the same buckets and quantiles.
 */
class PrometheusIT {
  private static final Duration SCRAPED = Duration.ofSeconds(15);
  private static final int PROBLEMS_SHOWN = 20;

  /** The dataset of Varve's own scrapes of that Prometheus. */
  private static final String SCRAPED_DATASET = "scraped";

  /** The dataset into which that Prometheus is migrated. */
  private static final String MIGRATED_DATASET = "migrated";

  /** The datasets by the version of remote write that fills them. */
  private static final Map<String, String> DATASETS =
      Map.of("first", "prometheus.WriteRequest", "second", "io.prometheus.write.v2.Request");

  private static final List<String> QUERIES =
      List.of(
          "up",
          "node_load1 or node_load5",
          "sum by (mode) (rate(node_cpu_seconds_total[5s]))",
          "sum without (cpu) (irate(node_cpu_seconds_total{mode=~\"user|system\"}[10s]))",
          "histogram_quantile(0.9, sum by (le) (rate(prometheus_http_request_duration_seconds_bucket[10s])))",
          "topk(3, count by (__name__) ({__name__=~\"node_.+\"}))",
          "1 - avg(node_memory_MemFree_bytes / node_memory_MemTotal_bytes)",
          "node_cpu_seconds_total * on (instance) group_left () up{job=\"node\"}",
          "max_over_time(scrape_duration_seconds[10s] offset 2s)",
          "quantile by (job) (0.5, scrape_samples_scraped)",
          "changes(process_start_time_seconds[10s])",
          "delta(prometheus_tsdb_head_series[4s:1s])",
          "absent(nothing_like_this)",
          "label_replace(up, \"host\", \"$1\", \"instance\", \"(.*):.*\")",
          "{job=\"prometheus\", __name__=~\"go_gc_duration_seconds.*\"}",
          "avg_over_time(go_goroutines[5s]) unless nothing",
          "rate(prometheus_tsdb_head_samples_appended_total[6s] @ end())",
          "sort_desc(sum by (job) (scrape_samples_scraped))");

  private final Path folder = Checkout.fresh("prometheus");
  private final HttpClient client = HttpClient.newHttpClient();
  private long start;
  private long end;

  @Test
  void answersLikeThePrometheusThatWritesToIt() throws Exception {
    try (VarveProcess varve = VarveProcess.in(folder, serverConfig()).start();
        NodeExporter node = NodeExporter.start(folder);
        Prometheus writer =
            Prometheus.start(folder.resolve("writer"), writerConfig(varve, node), List.of())) {
      System.out.printf(
          "PrometheusIT: prometheus %s, node exporter %s%n",
          writer.debianVersion(), node.debianVersion());
      Files.writeString(
          folder.resolve("scraped.json"),
          "[{\"targets\": [\"127.0.0.1:%d\"]}]".formatted(writer.port()));
      waitForSamples(writer, varve);
      String original = "http://127.0.0.1:" + writer.port();
      assertIsWorthIt(original);
      for (String dataset : DATASETS.keySet()) {
        compare(original, api(varve, dataset));
      }
      comparePromtool(original, api(varve, "second"));
      migrate(original, varve);
      compare(original, api(varve, MIGRATED_DATASET));
      waitForTheSameBuckets(original, api(varve, SCRAPED_DATASET));
      try (Prometheus reader =
          Prometheus.start(folder.resolve("reader"), readerConfig(varve), List.of())) {
        compare(original, "http://127.0.0.1:" + reader.port());
        waitForFederated(reader);
      }
      assertThat(varve.isAlive()).isTrue();
    }
  }

  private static String serverConfig() {
    StringBuilder config = new StringBuilder("data: data\nlisten:\n- {port: PORT}\n");
    // The default dataset receives Varve's own metrics.
    config.append("default: own\ndatasets:\n  own: {layout: buckets}\n");
    DATASETS
        .keySet()
        .forEach(dataset -> config.append("  %s: {layout: buckets}%n".formatted(dataset)));
    config.append(
        """
          %1$s: {layout: buckets}
          %2$s: {layout: blocks}
        scrape:
          dataset: %1$s
          scrape_configs:
          - job_name: prometheus
            scrape_interval: 1s
            file_sd_configs: [{files: [scraped.json]}]
        """
            .formatted(SCRAPED_DATASET, MIGRATED_DATASET));
    return config.toString();
  }

  private static String api(VarveProcess varve, String dataset) {
    return varve.uri("/datasets/" + dataset + "/prometheus").toString();
  }

  private void migrate(String original, VarveProcess varve) throws Exception {
    Checkout.run(
            folder,
            "migrate",
            "--source-prometheus",
            original,
            "--server",
            varve.uri("/").toString(),
            "--dataset",
            MIGRATED_DATASET)
        .success();
  }

  private static String writerConfig(VarveProcess varve, NodeExporter node) {
    StringBuilder config = new StringBuilder();
    config.append(
        """
        global: {scrape_interval: 1s, scrape_timeout: 1s}
        scrape_configs:
        - {job_name: prometheus, static_configs: [{targets: ['127.0.0.1:PORT']}]}
        - {job_name: node, static_configs: [{targets: ['127.0.0.1:%d']}]}
        remote_write:
        """
            .formatted(node.port()));
    DATASETS.forEach((dataset, message) ->
        config.append(
            """
            - url: %s/api/v1/write
              protobuf_message: %s
              queue_config: {batch_send_deadline: 200ms}
            """
                .formatted(api(varve, dataset), message)));
    return config.toString();
  }

  private static String readerConfig(VarveProcess varve) {
    return """
    remote_read:
    - {url: '%1$s/api/v1/read', read_recent: true}
    scrape_configs:
    - job_name: varve
      scrape_interval: 1s
      honor_labels: true
      metrics_path: /datasets/first/prometheus/federate
      params: {'match[]': ['{job="node"}']}
      static_configs: [{targets: ['127.0.0.1:%2$d']}]
      metric_relabel_configs:
      - {source_labels: [__name__], target_label: __name__, replacement: 'federated_$1'}
    """
        .formatted(api(varve, "first"), varve.port());
  }

  /** Waits until enough was scraped and is in Varve, and chooses the range to compare. */
  private void waitForSamples(Prometheus writer, VarveProcess varve) {
    String newest = "min(timestamp(up)) and on () (count(up) == 2)";
    String original = "http://127.0.0.1:" + writer.port();
    double first = awaitTime(original, newest, 0, "the first scrape");
    start = (long) first + 3;
    end = start + SCRAPED.toSeconds() - 6;
    for (String dataset : DATASETS.keySet()) {
      awaitTime(api(varve, dataset), newest, end + 3.0, "samples in dataset " + dataset);
    }
  }

  private double awaitTime(String api, String query, double after, String what) {
    double[] time = {0};
    Awaitility.await(what)
        .atMost(Duration.ofSeconds(60))
        .pollInterval(Duration.ofMillis(200))
        .until(() -> {
          Map<String, Object> data = data(get(api, "/api/v1/query", "query", query));
          for (Object element : Json.elements(data.get("result"))) {
            List<Object> value = Json.elements(Json.members(element).get("value"));
            time[0] = Double.parseDouble(value.get(1).toString());
          }
          return time[0] > after;
        });
    return time[0];
  }

  /** Checks that there is something to compare. */
  private void assertIsWorthIt(String original) throws IOException {
    assertThat(range(original, "{__name__=~\".+\"}").size()).isGreaterThan(500);
    assertThat(range(original, "up")).hasSize(2);
  }

  private void compare(String original, String other) throws IOException {
    List<String> problems = new ArrayList<>();
    for (String query : QUERIES) {
      Map<String, List<Object>> expected = range(original, query);
      Map<String, List<Object>> actual = range(other, query);
      if (!expected.keySet().equals(actual.keySet())) {
        problems.add(query + ": series " + actual.keySet() + " instead of " + expected.keySet());
      }
      expected.forEach((series, points) -> {
        if (!alike(points, actual.getOrDefault(series, List.of()))) {
          problems.add(
              "%s: %s has %s instead of %s".formatted(query, series, actual.get(series), points));
        }
      });
    }
    assertThat(problems.stream().limit(PROBLEMS_SHOWN).toList())
        .as("%d differences between %s and %s", problems.size(), original, other)
        .isEmpty();
  }

  /** Returns whether times are equal and values are equal except for rounding. */
  private static boolean alike(List<Object> expected, List<Object> actual) {
    if (expected.size() != actual.size()) {
      return false;
    }
    for (int i = 0; i < expected.size(); i++) {
      List<Object> a = Json.elements(expected.get(i));
      List<Object> b = Json.elements(actual.get(i));
      double x = number(a.get(1));
      double y = number(b.get(1));
      boolean close =
          Double.compare(x, y) == 0 || Math.abs(x - y) <= 1e-9 * Math.max(Math.abs(x), Math.abs(y));
      if (number(a.get(0)) != number(b.get(0)) || !close) {
        return false;
      }
    }
    return true;
  }

  private static double number(Object text) {
    return Double.parseDouble(text.toString().replace("Inf", "Infinity"));
  }

  /** Returns the lines of a range query by their labels. */
  private Map<String, List<Object>> range(String api, String query) throws IOException {
    HttpResponse<String> answer =
        get(
            api,
            "/api/v1/query_range",
            "query",
            query,
            "start",
            Long.toString(start),
            "end",
            Long.toString(end),
            "step",
            "1");
    Map<String, List<Object>> lines = new TreeMap<>();
    for (Object line : Json.elements(data(answer).get("result"))) {
      Map<String, Object> members = Json.members(line);
      lines.put(
          new TreeMap<>(Json.members(members.get("metric"))).toString(),
          Json.elements(members.get("values")));
    }
    return lines;
  }

  private static Map<String, Object> data(HttpResponse<String> answer) {
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return Json.members(Json.object(answer.body()).get("data"));
  }

  private HttpResponse<String> get(String api, String path, String... parameters)
      throws IOException {
    StringBuilder uri = new StringBuilder(api).append(path).append('?');
    for (int i = 0; i < parameters.length; i += 2) {
      uri.append(parameters[i]).append('=');
      uri.append(URLEncoder.encode(parameters[i + 1], StandardCharsets.UTF_8)).append('&');
    }
    try {
      return client.send(
          HttpRequest.newBuilder(URI.create(uri.toString()))
              .timeout(Duration.ofSeconds(30))
              .build(),
          HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    }
  }

  private void comparePromtool(String original, String other) throws Exception {
    String from = "--start=" + start;
    String to = "--end=" + end;
    for (List<String> question :
        List.of(
            List.of("instant", "--time=" + end, "SERVER", "sum by (mode) (node_cpu_seconds_total)"),
            List.of("instant", "--time=" + end, "SERVER", "scalar(node_load1) * 2"),
            List.of("range", from, to, "--step=1s", "SERVER", "node_memory_MemFree_bytes"),
            List.of("series", from, to, "--match=up", "--match={job=\"node\"}", "SERVER"),
            List.of("series", "--match={job=\"prometheus\", handler=\"\"}", "SERVER"),
            List.of("labels", from, to, "SERVER", "__name__"),
            List.of("labels", "--match=node_cpu_seconds_total", "SERVER", "mode"))) {
      assertThat(promtool(question, other))
          .as("promtool query " + String.join(" ", question))
          .isEqualTo(promtool(question, original))
          .isNotEmpty();
    }
  }

  /**
   * Returns the printed lines. The order of series is ignored, but not that of the lines of one
   * series.
   */
  private List<String> promtool(List<String> question, String server) throws Exception {
    List<String> command = new ArrayList<>(List.of(Prometheus.promtool().toString(), "query"));
    question.forEach(word -> command.add(word.equals("SERVER") ? server : word));
    String out = Checkout.run(new ProcessBuilder(command).directory(folder.toFile())).success();
    return out.lines().sorted().collect(Collectors.toList());
  }

  /** Waits until histograms and summaries have the same series, whoever scraped them. */
  private void waitForTheSameBuckets(String original, String scraped) throws IOException {
    String buckets =
        "count by (le, quantile) ({__name__=~\"prometheus_http_request_duration_seconds_bucket|go_gc_duration_seconds\", job=\"prometheus\"})";
    Set<String> expected = labels(get(original, "/api/v1/query", "query", buckets));
    assertThat(expected).hasSizeGreaterThan(10);
    Awaitility.await("scraped buckets")
        .atMost(Duration.ofSeconds(20))
        .pollInterval(Duration.ofMillis(300))
        .untilAsserted(() ->
            assertThat(labels(get(scraped, "/api/v1/query", "query", buckets)))
                .isEqualTo(expected));
  }

  private static Set<String> labels(HttpResponse<String> answer) {
    return Json.elements(data(answer).get("result")).stream()
        .map(line -> new TreeMap<>(Json.members(Json.members(line).get("metric"))).toString())
        .collect(Collectors.toSet());
  }

  /** Waits until a Prometheus has read Varve's text format. */
  private void waitForFederated(Prometheus reader) {
    Awaitility.await("federated series")
        .atMost(Duration.ofSeconds(20))
        .pollInterval(Duration.ofMillis(300))
        .untilAsserted(() -> {
          HttpResponse<String> answer =
              get(
                  "http://127.0.0.1:" + reader.port(),
                  "/api/v1/query",
                  "query",
                  "count({__name__=~\"federated_node_.+\", job=\"node\"})");
          assertThat(Json.elements(data(answer).get("result"))).hasSize(1);
          assertThat(answer.body()).doesNotContain("\"0\"");
        });
  }
}
