package dev.varve.server.security;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.engine.SideDatasets;
import dev.varve.engine.config.DatasetConfig;
import dev.varve.formats.protobuf.WireWriter;
import dev.varve.server.AccessCheck;
import dev.varve.server.TestServer;
import dev.varve.server.http.Right;
import dev.varve.server.opentsdb.rollup.RollupFile;
import dev.varve.server.prometheus.RemoteWriteClient;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every route that writes refuses the samples that a user with matchers may not write. */
class BoundWritesTest {
  private static final String ROLLUPS =
      """
      {"aggregationIds": {"sum": 0},
       "intervals": [
         {"table": "tsdb", "preAggregationTable": "tsdb-preagg", "interval": "1m", "rowSpan": "1h",
          "defaultInterval": true},
         {"table": "tsdb-rollup-10m", "preAggregationTable": "tsdb-preagg-10m", "interval": "10m",
          "rowSpan": "1d"}]}
      """;

  private static final String JSON = "application/json";
  private static final String TEXT = "text/plain";
  private static final String PROTOBUF = "application/x-protobuf";
  private static final long TIME = System.currentTimeMillis() / 600_000 * 600_000 - 600_000;

  @TempDir private static Path directory;
  private static TestServer server;

  /**
   * Two samples at {@link #TIME}, of which one is of team red and one of team blue.
   *
   * @param path with the parameters; null for that of the route
   * @param shape what the answer says of the sample that is refused
   * @param dataset where the other one is then
   */
  record Write(
      String route,
      @Nullable String path,
      String metric,
      String type,
      byte[] body,
      int status,
      String shape,
      String dataset) {
    private static Write of(
        String route,
        @Nullable String path,
        String metric,
        String type,
        String body,
        String shape) {
      int status = shape.contains("\"accepted\":1") || shape.contains("rejectedData") ? 200 : 400;
      return new Write(route, path, metric, type, body.getBytes(UTF_8), status, shape, "buckets");
    }

    private Write into(String other) {
      return new Write(route, path, metric, type, body, status, shape, other);
    }

    @Override
    public String toString() {
      return route;
    }
  }

  @BeforeAll
  static void start() throws IOException {
    Path users =
        Files.writeString(
            directory.resolve("users.yml"),
            """
            users:
            - {username: all, password: pw-all, rights: [read, write]}
            - {username: red, password: pw-red, rights: [read, write], matchers: '{team="red"}'}
            """);
    DatasetConfig main =
        TestServer.dataset("buckets", "memory")
            .with(RollupFile.read(ROLLUPS, "rollups.json"))
            .withHistograms(7);
    List<DatasetConfig> datasets = new ArrayList<>(List.of(main));
    datasets.addAll(SideDatasets.of(main));
    server = TestServer.with(directory.resolve("data"), datasets);
    server.with(new AccessFiles(null, users, false), List.of());
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  /** Returns two of what a text has for one sample, with a separator. */
  private static String both(String separator, String one) {
    return one.formatted("red") + separator + one.formatted("blue");
  }

  static List<Write> writes() {
    List<Write> all = new ArrayList<>(prometheus());
    all.addAll(openTsdb());
    all.addAll(otlp());
    all.add(
        Write.of(
            "POST heroic /write",
            null,
            "heroic",
            JSON,
            "["
                + both(
                    ",",
                    "{\"series\":{\"key\":\"heroic\",\"tags\":{\"team\":\"%%s\"}},\"data\":{\"type\":\"points\",\"data\":[[%d,1]]}}"
                        .formatted(TIME))
                + "]",
            "1 of 2 points were refused"));
    all.add(
        Write.of(
            "POST kairosdb /api/v1/datapoints",
            null,
            "kairos",
            JSON,
            "["
                + both(
                    ",",
                    "{\"name\":\"kairos\",\"timestamp\":%d,\"value\":1,\"tags\":{\"team\":\"%%s\"}}"
                        .formatted(TIME))
                + "]",
            "{\"errors\":["));
    for (String path : List.of("/write?db=d&", "/api/v2/write?bucket=b&")) {
      String metric = path.contains("v2") ? "influx2" : "influx1";
      all.add(
          Write.of(
              "POST influx " + path.replaceAll("\\?.*", ""),
              path + "precision=ms",
              metric,
              TEXT,
              both("\n", metric + ",team=%%s value=1 %d".formatted(TIME)),
              "partial write"));
    }
    all.add(
        Write.of(
            "POST varve /v1/points",
            null,
            "points",
            JSON,
            both(
                "\n",
                "{\"metric\":\"points\",\"tags\":{\"team\":\"%%s\"},\"time\":%d,\"value\":1}"
                    .formatted(TIME)),
            "\"accepted\":1"));
    all.add(
        Write.of(
            "POST varve /v1/fill",
            null,
            "filled",
            TEXT,
            "metric,tags,resource,field,kind,time_ms,value\n" + filled(),
            "\"accepted\":1,\"refused\":1"));
    return all;
  }

  private static String filled() {
    return both("\n", "filled,\"{\"\"team\"\":\"\"%%s\"\"}\",,value,double,%d,1".formatted(TIME));
  }

  private static List<Write> prometheus() {
    List<Write> all = new ArrayList<>();
    all.add(
        new Write(
            "POST prometheus /api/v1/write",
            null,
            "written",
            PROTOBUF,
            RemoteWriteClient.request(
                Map.of(
                    new TreeMap<>(Map.of("__name__", "written", "team", "red")), 1.0,
                    new TreeMap<>(Map.of("__name__", "written", "team", "blue")), 1.0),
                TIME),
            400,
            "1 samples were refused, the others are written",
            "buckets"));
    all.add(
        Write.of(
            "POST prometheus /api/v1/import",
            null,
            "imported",
            JSON,
            both(
                "\n",
                "{\"metric\":{\"__name__\":\"imported\",\"team\":\"%%s\"},\"values\":[1],\"timestamps\":[%d]}"
                    .formatted(TIME)),
            "outside of those that the user may use"));
    all.add(
        Write.of(
            "POST prometheus /api/v1/import/prometheus",
            null,
            "exposed",
            TEXT,
            both("\n", "exposed{team=\"%%s\"} 1 %d".formatted(TIME)) + "\n",
            "outside of those that the user may use"));
    for (String method : List.of("POST", "PUT")) {
      for (String job : List.of("job/j", "job@base64/ag")) {
        String metric = "pushed_" + method + job.length();
        all.add(
            Write.of(
                "%s prometheus /metrics/%s/**".formatted(method, job.replaceAll("/.*", "")),
                "/metrics/" + job,
                metric,
                TEXT,
                both("\n", metric + "{team=\"%s\"} 1") + "\n",
                "outside of those that the user may use"));
      }
    }
    return all;
  }

  private static List<Write> openTsdb() {
    String point = "{\"metric\":\"%s\",\"timestamp\":%d,\"tags\":{\"team\":\"%%s\"},%s}";
    String one = "{\"success\":1,\"failed\":1";
    String counted = "\"buckets\":{\"0,2\":9},\"underflow\":1,\"overflow\":2";
    String rolledUp = "\"value\":1,\"interval\":\"10m\",\"aggregator\":\"sum\"";
    String grouped = "\"value\":1,\"groupByAggregator\":\"sum\"";
    String route = "POST opentsdb /api/";
    return List.of(
        put(route + "put", point.formatted("put", TIME, "\"value\":1"), one),
        put(route + "rollup", point.formatted("rolled", TIME / 1000, rolledUp), one)
            .into("buckets_rollup_10m"),
        put(route + "rollup", point.formatted("grouped", TIME / 1000, grouped), one)
            .into("buckets_preagg"),
        put(route + "histogram", point.formatted("histogram", TIME, counted), one)
            .into("buckets_histogram"));
  }

  private static Write put(String route, String point, String shape) {
    String metric = point.replaceAll("^.\"metric\":\"|\".*", "");
    String path = route.replaceAll(".* ", "") + "?details";
    return Write.of(route, path, metric, JSON, "[" + both(",", point) + "]", shape);
  }

  private static List<Write> otlp() {
    String points =
        both(
            ",",
            "{\"timeUnixNano\":%d000000,\"asDouble\":1,\"attributes\":[{\"key\":\"team\",\"value\":{\"stringValue\":\"%%s\"}}]}"
                .formatted(TIME));
    String request =
        "{\"resourceMetrics\":[{\"scopeMetrics\":[{\"metrics\":[{\"name\":\"json\",\"gauge\":{\"dataPoints\":["
            + points
            + "]}}]}]}]}";
    WireWriter gauge = new WireWriter();
    for (String team : List.of("red", "blue")) {
      WireWriter attribute =
          new WireWriter().text(1, "team").message(2, new WireWriter().text(1, team));
      // A fixed64 has the form of a double.
      double nanos = Double.longBitsToDouble(TIME * 1_000_000);
      gauge.message(1, new WireWriter().real(3, nanos).real(4, 1).message(7, attribute));
    }
    WireWriter metric = new WireWriter().text(1, "protobuf").message(5, gauge);
    WireWriter scopes = new WireWriter().message(2, new WireWriter().message(2, metric));
    return List.of(
        Write.of(
            "POST otlp /v1/metrics", null, "json", JSON, request, "\"rejectedDataPoints\":\"1\""),
        new Write(
            "POST otlp /api/v1/otlp/v1/metrics",
            null,
            "protobuf",
            PROTOBUF,
            new WireWriter().message(1, scopes).toBytes(),
            200,
            "outside of those that the user may use",
            "buckets"));
  }

  @ParameterizedTest
  @MethodSource("writes")
  void refusesTheSampleOutside(Write write) {
    String[] route = write.route().split(" ", -1);
    String path = "/" + route[1] + (write.path() == null ? route[2] : write.path());
    HttpResponse<byte[]> answer = ask("red", route[0], path, write.type(), write.body());
    String text = new String(answer.body(), ISO_8859_1);
    assertThat(text).contains(write.shape()).doesNotContain("internal error");
    assertThat(answer.statusCode()).as(text).isEqualTo(write.status());
    assertThat(stored(write.dataset(), write.metric())).contains("red").doesNotContain("blue");
    assertThat(ask("all", route[0], path, write.type(), write.body()).statusCode())
        .as("the samples are refused for their user alone")
        .isBetween(200, 204);
    assertThat(stored(write.dataset(), write.metric())).contains("red", "blue");
  }

  /**
   * A fill answers with the samples that the dataset has at an instant, but never with those of
   * series that the user may not use.
   */
  @Test
  void aFillTellsNothingOfOtherSeries() {
    byte[] body = ("metric,tags,resource,field,kind,time_ms,value\n" + filled()).getBytes(UTF_8);
    for (String path : List.of("/varve/v1/fill?dry-run=true", "/varve/v1/fill")) {
      assertThat(text(ask("all", "POST", path, TEXT, body)))
          .contains("\"tags\":{\"team\":\"red\"}", "\"tags\":{\"team\":\"blue\"}");
      assertThat(text(ask("red", "POST", path, TEXT, body)))
          .contains("the series lies outside of those that the user may use")
          .doesNotContain("\"tags\":{\"team\":\"blue\"}");
    }
  }

  /** Routes that write notes and no samples, which {@link BoundRightsTest} asks. */
  private static final Set<String> OF_NOTES =
      Set.of(
          "POST opentsdb /api/annotation",
          "PUT opentsdb /api/annotation",
          "POST opentsdb /api/annotation/bulk",
          "PUT opentsdb /api/annotation/bulk",
          "POST opentsdb /api/uid/tsmeta",
          "PUT opentsdb /api/uid/tsmeta");

  /** A new route that writes has to be asked here, or to be one that no selector can limit. */
  @Test
  void everyWritingRouteIsAsked() {
    assertThat(
            AccessCheck.endpoints().stream()
                .filter(endpoint -> endpoint.route().right() == Right.WRITE)
                .filter(endpoint -> !endpoint.route().serverWide() && !endpoint.route().allSeries())
                .filter(endpoint -> !endpoint.route().yielding())
                .map(endpoint ->
                    endpoint.route().method()
                        + " "
                        + endpoint.dialect()
                        + " "
                        + endpoint.route().path()))
        .isNotEmpty()
        .isSubsetOf(Stream.concat(writes().stream().map(Write::route), OF_NOTES.stream()).toList());
  }

  private static String stored(String dataset, String metric) {
    String path = "/datasets/" + dataset + "/varve/v1/export";
    byte[] form = ("selector=" + metric).getBytes(UTF_8);
    return text(ask("all", "POST", path, "application/x-www-form-urlencoded", form));
  }

  private static String text(HttpResponse<byte[]> answer) {
    return new String(answer.body(), ISO_8859_1);
  }

  private static HttpResponse<byte[]> ask(
      String user, String method, String path, String type, byte[] body) {
    String proof = Base64.getEncoder().encodeToString((user + ":pw-" + user).getBytes(UTF_8));
    HttpRequest.Builder request =
        server
            .request(path)
            .header("Authorization", "Basic " + proof)
            .header("Content-Type", type)
            .method(method, HttpRequest.BodyPublishers.ofByteArray(body));
    if (path.endsWith("/api/v1/write")) {
      request.header("Content-Encoding", "snappy");
    }
    return server.bytes(request);
  }
}
