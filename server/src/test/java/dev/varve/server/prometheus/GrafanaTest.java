package dev.varve.server.prometheus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.varve.formats.protobuf.WireWriter;
import dev.varve.server.GrafanaRequest;
import dev.varve.server.TestServer;
import dev.varve.server.http.WebAccess;
import java.io.IOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.IntToDoubleFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.xerial.snappy.Snappy;

/** Answers the requests that Grafana sends to a Prometheus as Grafana needs them. */
@TestInstance(Lifecycle.PER_CLASS)
class GrafanaTest {
  private static final long START = 1_700_000_000_000L;
  private static final String ORIGIN = "http://grafana.example:3000";

  /** Evaluated at the time of the test, where there are no other samples. */
  private static final String RULES =
      """
      groups:
        - name: nodes
          rules:
            - {record: nodes:expected, expr: vector(2)}
            - alert: NodesUp
              expr: vector(2) > 1
              labels: {severity: page}
              annotations: {text: 'There are {{ $value }}.'}
      """;

  private TestServer server;

  @BeforeAll
  void start(@TempDir Path directory) throws IOException {
    Path rules = Files.writeString(directory.resolve("rules.yml"), RULES);
    server =
        TestServer.withRules(directory.resolve("data"), rules)
            .with(new WebAccess(Set.of(), Set.of(), Set.of(ORIGIN)));
    WireWriter message = new WireWriter();
    String[] a = {"instance", "a:9100", "job", "node"};
    String[] b = {"instance", "b:9100", "job", "node"};
    message.message(1, series("up", i -> 1, with(a, "host.name", "ä")));
    message.message(1, series("up", i -> 1, b));
    for (String[] node : List.of(a, b)) {
      double share = node[1].startsWith("a") ? 15 : 30;
      message.message(
          1,
          series("node_cpu_seconds_total", i -> i * share, with(node, "cpu", "0", "mode", "user")));
      message.message(
          1, series("node_cpu_seconds_total", i -> i, with(node, "cpu", "0", "mode", "idle")));
    }
    message.message(1, series("requests_seconds_bucket", i -> i, "le", "0.1"));
    message.message(1, series("requests_seconds_bucket", i -> 2 * i, "le", "+Inf"));
    message.message(3, meaning(1, "node_cpu_seconds_total", "Where time goes.", "seconds"));
    message.message(3, meaning(2, "up", "Whether it answers.", ""));
    HttpResponse<String> answer =
        server.send(
            server
                .request("/api/v1/write")
                .header("Content-Encoding", "snappy")
                .POST(BodyPublishers.ofByteArray(Snappy.compress(message.toBytes()))));
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(204);
    await()
        .atMost(Duration.ofSeconds(30))
        .until(() ->
            server
                .get("/api/v1/rules")
                .body()
                .matches(".*\"alerts\":\\[\\{.*\"health\":\"ok\".*\"type\":\"alerting\"}.*"));
  }

  @AfterAll
  void stop() {
    server.close();
  }

  private static String[] with(String[] labels, String... more) {
    return Stream.concat(Arrays.stream(labels), Arrays.stream(more)).toArray(String[]::new);
  }

  private static WireWriter series(String metric, IntToDoubleFunction value, String... labels) {
    WireWriter series =
        new WireWriter().message(1, new WireWriter().text(1, "__name__").text(2, metric));
    for (int i = 0; i < labels.length; i += 2) {
      series.message(1, new WireWriter().text(1, labels[i]).text(2, labels[i + 1]));
    }
    for (int i = 0; i <= 20; i++) {
      series.message(
          2, new WireWriter().real(1, value.applyAsDouble(i)).varint(2, START + i * 15_000L));
    }
    return series;
  }

  private static WireWriter meaning(int type, String metric, String help, String unit) {
    return new WireWriter().varint(1, type).text(2, metric).text(4, help).text(5, unit);
  }

  static Stream<GrafanaRequest> recorded() throws IOException {
    return GrafanaRequest.of(GrafanaTest.class);
  }

  @ParameterizedTest
  @MethodSource("recorded")
  void answersAsGrafanaNeedsIt(GrafanaRequest recorded) {
    recorded.check(server, ORIGIN, "application/json");
  }

  @Test
  void compressesForWhoTakesIt() {
    String query = "/api/v1/query_range?query=up&start=1700000000&end=1700000300&step=1";
    assertThat(encoding(query, "gzip")).isEqualTo("gzip");
    assertThat(encoding(query, "gzip, zstd")).isEqualTo("zstd");
    assertThat(encoding(query, "br")).isEmpty();
    assertThat(encoding("/api/v1/status/buildinfo", "gzip")).isEmpty();
  }

  private String encoding(String path, String accepted) {
    HttpResponse<String> answer =
        server.send(server.request(path).header("Accept-Encoding", accepted));
    assertThat(answer.headers().firstValue("Vary")).hasValue("Origin, Accept-Encoding");
    return answer.headers().firstValue("Content-Encoding").orElse("");
  }
}
