package dev.varve.server.otlp;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.luben.zstd.Zstd;
import dev.varve.formats.protobuf.WireReader;
import dev.varve.server.TestServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;

@TestInstance(Lifecycle.PER_CLASS)
class OtlpTest {
  private static final Path PAGE = Path.of("../docs/api/otlp.md");
  private static final long START = 1_700_000_000L;

  private TestServer server;

  @BeforeAll
  void start(@TempDir Path directory) throws IOException {
    server = new TestServer(directory, null, "buckets", "opentsdb");
  }

  @AfterAll
  void stop() {
    server.close();
  }

  private HttpResponse<String> json(String path, String body) {
    return server.send(
        server
            .request(path)
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(body)));
  }

  private HttpResponse<String> metric(String service, String metric) {
    return json(
        "/v1/metrics",
        """
        {"resourceMetrics":[{"resource":{"attributes":[
            {"key":"service.name","value":{"stringValue":"%s"}},
            {"key":"service.instance.id","value":{"stringValue":"i"}}]},
          "scopeMetrics":[{"scope":{"name":"lib"},"metrics":[%s]}]}]}
        """
            .formatted(service, metric));
  }

  private static String nanos(double seconds) {
    return "\"" + (START * 1_000_000_000 + (long) (seconds * 1e9)) + "\"";
  }

  private String query(String query, double seconds) {
    String body =
        server
            .get(
                "/api/v1/query?time="
                    + (START + seconds)
                    + "&query="
                    + URLEncoder.encode(query, StandardCharsets.UTF_8))
            .body();
    int from = body.indexOf("\"result\":");
    return from < 0 ? body : body.substring(from);
  }

  private HttpResponse<byte[]> send(HttpRequest.Builder request) throws Exception {
    try (HttpClient client = HttpClient.newHttpClient()) {
      return client.send(request.build(), BodyHandlers.ofByteArray());
    }
  }

  @Test
  void takesTheExampleOfTheDocumentation() throws Exception {
    String page = Files.readString(PAGE);
    Matcher hex = Pattern.compile("(?m)^(?:[0-9a-f]{2})+(?= |$)").matcher(page);
    StringBuilder bytes = new StringBuilder();
    while (hex.find()) {
      bytes.append(hex.group());
    }
    HttpResponse<byte[]> answer =
        send(
            server
                .request("/otlp/v1/metrics")
                .header("Content-Type", "application/x-protobuf")
                .POST(BodyPublishers.ofByteArray(HexFormat.of().parseHex(bytes))));
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.body()).isEmpty();
    assertThat(answer.headers().firstValue("Content-Type")).hasValue("application/x-protobuf");
    assertThat(query("{job=\"shop\"}", 10))
        .contains("{\"__name__\":\"http_requests_total\",\"http_method\":\"GET\",\"job\":\"shop\"}")
        .contains("\"7\"");
  }

  @Test
  void takesGzipAndZstd() throws Exception {
    String body =
        """
        {"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"name":"packed","gauge":{"dataPoints":[
          {"timeUnixNano":%s,"asInt":"4"}]}}]}]}]}
        """
            .formatted(nanos(0));
    ByteArrayOutputStream gzip = new ByteArrayOutputStream();
    try (GZIPOutputStream out = new GZIPOutputStream(gzip)) {
      out.write(body.getBytes(StandardCharsets.UTF_8));
    }
    byte[] zstd = Zstd.compress(body.getBytes(StandardCharsets.UTF_8));
    for (Object[] one : new Object[][] {{"gzip", gzip.toByteArray()}, {"zstd", zstd}}) {
      HttpResponse<String> answer =
          server.send(
              server
                  .request("/api/v1/otlp/v1/metrics")
                  .header("Content-Type", "application/json; charset=utf-8")
                  .header("Content-Encoding", (String) one[0])
                  .POST(BodyPublishers.ofByteArray((byte[]) one[1])));
      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
      assertThat(answer.body()).isEqualTo("{}");
    }
    assertThat(query("packed", 0)).contains("\"4\"");
  }

  @Test
  void labelsAreAttributesAndTheTarget() {
    json(
        "/v1/metrics",
        """
        {"resourceMetrics":[{"resource":{"attributes":[
            {"key":"service.name","value":{"stringValue":"labels"}},
            {"key":"service.namespace","value":{"stringValue":"ns"}},
            {"key":"service.instance.id","value":{"intValue":"7"}},
            {"key":"host.name","value":{"stringValue":"h1"}}]},
          "scopeMetrics":[{"metrics":[{"name":"labels.seen","gauge":{"dataPoints":[
            {"timeUnixNano":%s,"asDouble":1,"attributes":[
              {"key":"a.b","value":{"stringValue":"second"}},
              {"key":"a-b","value":{"stringValue":"first"}},
              {"key":"job","value":{"stringValue":"overwritten"}},
              {"key":"ratio","value":{"doubleValue":1e21}},
              {"key":"list","value":{"arrayValue":{"values":[{"stringValue":"x"},{"boolValue":true},{"doubleValue":0.5},{}]}}},
              {"key":"map","value":{"kvlistValue":{"values":[{"key":"z","value":{"intValue":1}},{"key":"b","value":{"intValue":2}}]}}},
              {"key":"empty","value":{}},
              {"key":"1st","value":{"boolValue":true}}]}]}}]}]}]}
        """
            .formatted(nanos(0)));
    assertThat(query("labels_seen", 0))
        .contains(
            "{\"__name__\":\"labels_seen\",\"a_b\":\"first;second\",\"instance\":\"7\",\"job\":\"ns/labels\",\"key_1st\":\"true\","
                + "\"list\":\"[\\\"x\\\",true,0.5,null]\",\"map\":\"{\\\"b\\\":2,\\\"z\\\":1}\",\"ratio\":\"1e+21\"}");
    assertThat(query("target_info", 0))
        .contains(
            "{\"__name__\":\"target_info\",\"host_name\":\"h1\",\"instance\":\"7\",\"job\":\"ns/labels\"}");
  }

  @Test
  void histogramsBecomeBuckets() {
    metric(
        "histo",
        """
        {"name":"lat","unit":"s","description":"Latency.","histogram":{"aggregationTemporality":2,"dataPoints":[
          {"timeUnixNano":%s,"count":"6","sum":3.5,"bucketCounts":["1","2","3"],"explicitBounds":[0.005,10]}]}}
        """
            .formatted(nanos(0)));
    assertThat(
            query("sort_by_label(lat_seconds_bucket, \"le\")", 0) + query("lat_seconds_bucket", 0))
        .contains("\"le\":\"0.005\"},\"value\":[1700000000,\"1\"]")
        .contains("\"le\":\"10\"},\"value\":[1700000000,\"3\"]")
        .contains("\"le\":\"+Inf\"},\"value\":[1700000000,\"6\"]");
    assertThat(query("lat_seconds_sum / lat_seconds_count", 0)).contains("0.58333");
    assertThat(server.get("/api/v1/metadata?metric=lat_seconds").body())
        .contains(
            "{\"lat_seconds\":[{\"type\":\"histogram\",\"unit\":\"s\",\"help\":\"Latency.\"}]}");
  }

  @Test
  void summariesBecomeQuantiles() {
    metric(
        "summed",
        """
        {"name":"dur","summary":{"dataPoints":[
          {"timeUnixNano":%s,"count":"4","sum":9,"quantileValues":[{"quantile":0.5,"value":2},{"quantile":1}]}]}}
        """
            .formatted(nanos(0)));
    assertThat(query("dur", 0))
        .contains("\"quantile\":\"0.5\"},\"value\":[1700000000,\"2\"]")
        .contains("\"quantile\":\"1\"},\"value\":[1700000000,\"0\"]");
    assertThat(query("dur_count", 0)).contains("\"4\"");
    assertThat(query("dur_sum", 0)).contains("\"9\"");
  }

  @Test
  void differencesAreAddedUp() {
    String point =
        """
        {"name":"delta","sum":{"aggregationTemporality":1,"isMonotonic":true,"dataPoints":[
          {"startTimeUnixNano":%s,"timeUnixNano":%s,"asInt":"%d"}]}}
        """;
    metric("delta", point.formatted(nanos(0), nanos(10), 5));
    metric("delta", point.formatted(nanos(10), nanos(20), 7));
    metric("delta", point.formatted(nanos(10), nanos(20), 7));
    metric("delta", point.formatted(nanos(100), nanos(110), 20));
    HttpResponse<String> late = metric("delta", point.formatted(nanos(20), nanos(30), 1));
    assertThat(query("delta_total[1h]", 200))
        .contains(
            "[[1700000000,\"0\"],[1700000010,\"5\"],[1700000020,\"12\"],[1700000100,\"0\"],[1700000110,\"20\"]]");
    assertThat(late.statusCode()).isEqualTo(200);
    assertThat(late.body())
        .contains("\"rejectedDataPoints\":\"1\"")
        .contains("metric 'delta' has a delta that is older");
  }

  /** A point overtaken by a later one is refused and counted as such; all others are added. */
  @Test
  void differencesThatComeAtOnceAreAddedUp() throws Exception {
    int each = 60;
    AtomicInteger time = new AtomicInteger();
    Callable<Integer> sending =
        () -> {
          int refused = 0;
          for (int i = 0; i < each; i++) {
            HttpResponse<String> answer =
                metric(
                    "racing",
                    """
                    {"name":"racing","sum":{"aggregationTemporality":1,"isMonotonic":true,"dataPoints":[
                      {"timeUnixNano":%s,"asInt":"1"}]}}
                    """
                        .formatted(nanos(time.incrementAndGet())));
            refused += answer.body().contains("older") ? 1 : 0;
          }
          return refused;
        };
    int refused = 0;
    try (ExecutorService threads = Executors.newFixedThreadPool(2)) {
      for (Future<Integer> done : threads.invokeAll(List.of(sending, sending))) {
        refused += done.get();
      }
    }
    assertThat(query("max_over_time(racing_total[1h])", 2 * each + 1))
        .contains("\"" + (2 * each - refused) + "\"");
  }

  @Test
  void pointsThatComeOnceMoreAreNotRefused() {
    String points =
        """
        {"name":"again","sum":{"aggregationTemporality":1,"isMonotonic":true,"dataPoints":[
          {"startTimeUnixNano":%s,"timeUnixNano":%s,"asInt":"5"},
          {"startTimeUnixNano":%s,"timeUnixNano":%s,"asInt":"7"}]}}
        """
            .formatted(nanos(0), nanos(10), nanos(10), nanos(20));
    metric("again", points);
    assertThat(metric("again", points).body()).isEqualTo("{}");
    assertThat(query("again_total[1h]", 200))
        .contains("[[1700000000,\"0\"],[1700000010,\"5\"],[1700000020,\"12\"]]");
  }

  @Test
  void differencesOfHistogramsAreAddedUp() {
    String point =
        """
        {"name":"dh","histogram":{"aggregationTemporality":1,"dataPoints":[
          {"startTimeUnixNano":%s,"timeUnixNano":%s,"count":"3","sum":1.5,"bucketCounts":["1","2"],"explicitBounds":[1]}]}}
        """;
    metric("dh", point.formatted(nanos(0), nanos(10)));
    metric("dh", point.formatted(nanos(10), nanos(20)));
    assertThat(query("dh_bucket{le=\"1\"}[1h]", 100))
        .contains("[1700000010,\"1\"],[1700000020,\"2\"]");
    assertThat(query("dh_count", 100)).contains("\"6\"");
    assertThat(query("dh_sum", 100)).contains("\"3\"");
    assertThat(query("increase(dh_count[1m])", 20))
        .as("with the zero at the start")
        .contains("\"value\"");
  }

  @Test
  void aSeriesWithoutAValueHasEnded() {
    metric(
        "stale",
        """
        {"name":"gone","gauge":{"dataPoints":[
          {"timeUnixNano":%s,"asDouble":1},{"timeUnixNano":%s,"flags":1}]}}
        """
            .formatted(nanos(0), nanos(10)));
    assertThat(query("gone", 9)).contains("\"1\"");
    assertThat(query("gone", 11)).contains("\"result\":[]");
  }

  @Test
  void refusedPointsAreCountedAndNamedAndTheRestIsKept() throws Exception {
    HttpResponse<String> answer =
        metric(
            "bad",
            """
            {"name":"kept","gauge":{"dataPoints":[{"timeUnixNano":%1$s,"asDouble":1},{"timeUnixNano":%1$s}]}},
            {"name":"exp","exponentialHistogram":{"dataPoints":[{},{}]}},
            {"name":"open","sum":{"dataPoints":[{"timeUnixNano":%1$s,"asDouble":1}]}},
            {"name":"...","gauge":{"dataPoints":[{"timeUnixNano":%1$s,"asDouble":1}]}},
            {"name":"timeless","gauge":{"dataPoints":[{"asDouble":1}]}},
            {"name":"odd","histogram":{"aggregationTemporality":2,"dataPoints":[
              {"timeUnixNano":%1$s,"bucketCounts":[1],"explicitBounds":[1]},
              {"timeUnixNano":%1$s,"bucketCounts":[1,1,1],"explicitBounds":[2,1]}]}},
            {"name":"nothing"}
            """
                .formatted(nanos(0)));
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.body())
        .contains("\"rejectedDataPoints\":\"8\"")
        .contains("metric 'kept' has a point without a value")
        .contains("metric 'exp' is an exponential histogram, which is not supported")
        .contains("metric 'open' does not say whether its sums are delta or cumulative")
        .contains("metric '...' has a name without any allowed character")
        .contains("metric 'timeless' has a point without a time")
        .contains("1 bucket counts for 1 bounds, not 2")
        .contains("bounds are not ascending")
        .contains("metric 'nothing' has no points");
    assertThat(query("kept", 0)).contains("\"1\"");
  }

  @Test
  void refusalsOfTheLayoutCountToo() {
    // OpenTSDB does not store NaN.
    HttpResponse<String> answer =
        json(
            "/datasets/opentsdb/v1/metrics",
            """
            {"resourceMetrics":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"t"}}]},
              "scopeMetrics":[{"metrics":[{"name":"nan","gauge":{"dataPoints":[
                {"timeUnixNano":%s,"asDouble":"NaN"},{"timeUnixNano":%s,"asDouble":1}]}}]}]}]}
            """
                .formatted(nanos(0), nanos(1)));
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.body()).contains("\"rejectedDataPoints\":\"1\"").contains("nan");
  }

  @Test
  void errorsComeInTheFormOfTheRequest() throws Exception {
    HttpResponse<String> text = json("/v1/metrics", "{\"resourceMetrics\":7}");
    assertThat(text.statusCode()).isEqualTo(400);
    assertThat(text.headers().firstValue("Content-Type")).hasValue("application/json");
    assertThat(text.body())
        .startsWith("{\"code\":3,\"message\":\"the body is not an OTLP request: 'resourceMetrics'");

    HttpResponse<byte[]> bytes =
        send(
            server
                .request("/v1/metrics")
                .header("Content-Type", "application/x-protobuf")
                .POST(BodyPublishers.ofByteArray(new byte[] {10, 5, 1})));
    assertThat(bytes.statusCode()).isEqualTo(400);
    assertThat(bytes.headers().firstValue("Content-Type")).hasValue("application/x-protobuf");
    WireReader status = new WireReader(bytes.body());
    status.next();
    assertThat(status.varint()).isEqualTo(3);
    status.next();
    assertThat(status.text()).contains("field 1 is cut off");

    assertThat(
            server
                .send(
                    server
                        .request("/v1/metrics")
                        .header("Content-Type", "text/plain")
                        .POST(BodyPublishers.ofString("x")))
                .statusCode())
        .isEqualTo(415);
    assertThat(json("/datasets/none/v1/metrics", "{}").body()).startsWith("{\"code\":5,");
  }
}
