package dev.varve.server;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.github.luben.zstd.Zstd;
import dev.varve.server.dialect.DialectContext;
import dev.varve.server.queries.QueryOptions;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The promises of every dialect: its prefix, compressed and chunked bodies, limits, partial
 * refusal, the choice of the dataset, reads of what it wrote, and answers to damaged bodies,
 * failing stores and clients that go away. A new dialect adds a fixture.
 */
class DialectContractTest {
  private static final String OTHER = "heroic";

  /** Longer than a value may be, so that its sample is refused by a rule. */
  private static final String TOO_LONG = "x".repeat(17_000);

  @TempDir private static Path directory;
  private static TestServer server;

  /**
   * The requests with which a client of a dialect writes and reads.
   *
   * @param path of a write on a port with all dialects, without the prefix if it needs none there
   * @param sample one sample as text, of {@code %1$s} as metric and {@code %2$s} as value of the
   *     label {@code host}
   * @param start text before the samples
   * @param between text between two samples
   * @param end text after the samples
   * @param query a query in the dialect; null if it only writes
   */
  record Fixture(
      String dialect,
      String path,
      String contentType,
      String start,
      String sample,
      String between,
      String end,
      @Nullable Query query) {
    /** Returns the path below the dialect's name. */
    private String belowName() {
      return belowName(path);
    }

    private String belowName(String any) {
      String name = "/" + dialect;
      return any.startsWith(name + "/") ? any : name + any;
    }

    private String body(String... metricsAndHosts) {
      StringBuilder samples = new StringBuilder();
      for (int i = 0; i < metricsAndHosts.length; i += 2) {
        samples.append(samples.isEmpty() ? "" : between);
        samples.append(sample.formatted(metricsAndHosts[i], metricsAndHosts[i + 1]));
      }
      return start + samples + end;
    }

    @Override
    public String toString() {
      return dialect;
    }
  }

  /**
   * A query for the samples that a fixture writes.
   *
   * @param path on a port with all dialects
   * @param body of a metric {@code %1$s}
   * @param sample as it stands in an answer
   * @param damaged bodies that are not queries
   */
  record Query(String path, String contentType, String body, String sample, List<String> damaged) {
    private Query(String path, String body, String sample) {
      this(path, "application/json", body, sample, List.of("{", "{\"start\":"));
    }
  }

  private static Stream<Fixture> readers() {
    return fixtures().filter(of -> of.query() != null);
  }

  private static Stream<Fixture> fixtures() {
    return Stream.of(
        new Fixture(
            "kairosdb",
            "/api/v1/datapoints",
            "application/json",
            "[",
            "{\"name\":\"%1$s\",\"timestamp\":1700000000000,\"value\":1,\"tags\":{\"host\":\"%2$s\"}}",
            ",",
            "]",
            new Query(
                "/api/v1/datapoints/query",
                "{\"start_absolute\":1699999990000,\"end_absolute\":1700000010000,\"metrics\":[{\"name\":\"%1$s\"}]}",
                "[1700000000000,1]")),
        new Fixture(
            "opentsdb",
            "/api/put",
            "application/json",
            "[",
            "{\"metric\":\"%1$s\",\"timestamp\":1700000000,\"value\":1,\"tags\":{\"host\":\"%2$s\"}}",
            ",",
            "]",
            new Query(
                "/api/query",
                "{\"start\":1699999990,\"end\":1700000010,\"queries\":[{\"aggregator\":\"sum\",\"metric\":\"%1$s\"}]}",
                "\"1700000000\":1")),
        new Fixture(
            "prometheus",
            "/api/v1/import/prometheus",
            "text/plain",
            "",
            "%1$s{host=\"%2$s\"} 1 1700000000000",
            "\n",
            "\n",
            new Query(
                "/api/v1/query",
                "application/x-www-form-urlencoded",
                "time=1700000000&query=%1$s",
                "\"1\"]",
                List.of("", "time=x&query=up", "query=sum("))),
        new Fixture(
            "influx",
            "/write",
            "text/plain",
            "",
            "%1$s,host=%2$s value=1 1700000000000000000",
            "\n",
            "\n",
            null),
        new Fixture(
            "otlp",
            "/v1/metrics",
            "application/json",
            "{\"resourceMetrics\":[{\"scopeMetrics\":[{\"metrics\":[",
            "{\"name\":\"%1$s\",\"gauge\":{\"dataPoints\":[{\"timeUnixNano\":\"1700000000000000000\",\"asDouble\":1,\"attributes\":[{\"key\":\"host\",\"value\":{\"stringValue\":\"%2$s\"}}]}]}}",
            ",",
            "]}]}]}",
            null),
        new Fixture(
            "heroic",
            "/heroic/write",
            "application/json",
            "[",
            "{\"series\":{\"key\":\"%1$s\",\"tags\":{\"host\":\"%2$s\"}},\"data\":{\"type\":\"points\",\"data\":[[1700000000000,1]]}}",
            ",",
            "]",
            new Query(
                "/heroic/query/metrics",
                "{\"range\":{\"type\":\"absolute\",\"start\":1699999990000,\"end\":1700000010000},\"filter\":[\"key\",\"%1$s\"]}",
                "[1700000000000,1.0]")));
  }

  @BeforeAll
  static void start() throws IOException {
    server = new TestServer(directory.resolve("plain"), null, "buckets", OTHER);
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @Test
  void everyDialectHasAFixture() {
    assertThat(fixtures().map(Fixture::dialect)).containsExactlyElementsOf(Dialects.names());
  }

  private static HttpResponse<String> write(
      TestServer to, Fixture of, String path, byte[] body, Map<String, String> headers) {
    var request =
        to.request(path)
            .header("Content-Type", of.contentType())
            .POST(BodyPublishers.ofByteArray(body));
    headers.forEach(request::header);
    return to.send(request);
  }

  private static HttpResponse<String> write(Fixture of, String path, String body) {
    return write(server, of, path, body.getBytes(UTF_8), Map.of());
  }

  /** Asserts that a sample of a metric is found in a dataset; empty for the default one. */
  private static void assertStored(String dataset, String metric) {
    String prefix = dataset.isEmpty() ? "" : "/datasets/" + dataset;
    HttpResponse<String> found =
        server.get(prefix + "/api/v1/query?time=1700000000&query=" + metric);
    assertThat(found.body()).as("%s in '%s'", metric, dataset).contains("\"1\"]");
  }

  private static double figure(TestServer of, String pattern) {
    Matcher lines =
        Pattern.compile("(?m)^" + pattern + " (\\S+)$").matcher(of.get("/metrics").body());
    return lines.results().mapToDouble(line -> Double.parseDouble(line.group(1))).sum();
  }

  private static void assertNoTrace(HttpResponse<String> answer) {
    assertThat(answer.body()).doesNotContain("Exception", "dev.varve", "\tat ");
  }

  @ParameterizedTest
  @MethodSource("fixtures")
  void answersAtItsPathsAndBelowItsName(Fixture of) {
    String metric = "plain_" + of;
    HttpResponse<String> written = write(of, of.path(), of.body(metric, "a"));
    assertThat(written.statusCode()).isBetween(200, 204);
    assertThat(written.headers().firstValue(DialectContext.DURABILITY)).hasValue("memory");
    assertStored("", metric);
    String prefixed = "prefixed_" + of;
    assertThat(write(of, of.belowName(), of.body(prefixed, "a")).statusCode()).isBetween(200, 204);
    assertStored("", prefixed);
  }

  @ParameterizedTest
  @MethodSource("fixtures")
  void takesCompressedBodies(Fixture of) throws IOException {
    ByteArrayOutputStream gzip = new ByteArrayOutputStream();
    try (OutputStream out = new GZIPOutputStream(gzip)) {
      out.write(of.body("gzip_" + of, "a").getBytes(UTF_8));
    }
    byte[] zstd = Zstd.compress(of.body("zstd_" + of, "a").getBytes(UTF_8));
    for (var coded : Map.of("gzip", gzip.toByteArray(), "zstd", zstd).entrySet()) {
      HttpResponse<String> answer =
          write(
              server, of, of.path(), coded.getValue(), Map.of("Content-Encoding", coded.getKey()));
      assertThat(answer.statusCode())
          .as("%s: %s", coded.getKey(), answer.body())
          .isBetween(200, 204);
      assertStored("", coded.getKey() + "_" + of);
    }
    byte[] plain = of.body("unknown_" + of, "a").getBytes(UTF_8);
    HttpResponse<String> unknown =
        write(server, of, of.path(), plain, Map.of("Content-Encoding", "rot13"));
    assertThat(unknown.statusCode()).isEqualTo(415);
    assertNoTrace(unknown);
    HttpResponse<String> broken =
        write(server, of, of.path(), plain, Map.of("Content-Encoding", "gzip"));
    assertThat(broken.statusCode()).isEqualTo(400);
    assertNoTrace(broken);
  }

  @ParameterizedTest
  @MethodSource("fixtures")
  void refusesABodyThatIsAnnouncedAsTooLong(Fixture of) throws IOException {
    try (Socket socket = server.connect()) {
      socket.setSoTimeout(10_000);
      socket
          .getOutputStream()
          .write(
              "POST %s HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: %s\r\nContent-Length: 999999999\r\n\r\n"
                  .formatted(of.path(), of.contentType())
                  .getBytes(ISO_8859_1));
      byte[] start = socket.getInputStream().readNBytes("HTTP/1.1 413".length());
      assertThat(new String(start, ISO_8859_1)).isEqualTo("HTTP/1.1 413");
    }
  }

  @ParameterizedTest
  @MethodSource("fixtures")
  void writesTheRestAndCountsWhatIsRefused(Fixture of) {
    String refused =
        "varve_samples_refused_total\\{[^}]*dialect=\"%s\"[^}]*rule=\"labels.value\"[^}]*}"
            .formatted(of);
    double before = figure(server, refused);
    String metric = "partly_" + of;
    HttpResponse<String> answer =
        write(of, of.path(), of.body(metric + "_bad", TOO_LONG, metric, "a"));
    assertThat(answer.statusCode()).isIn(200, 400);
    assertNoTrace(answer);
    assertStored("", metric);
    assertThat(figure(server, refused)).isEqualTo(before + 1);
  }

  @ParameterizedTest
  @MethodSource("fixtures")
  void refusesDamagedBodies(Fixture of) {
    String body = of.body("damaged_" + of, "a");
    for (String damaged :
        List.of(body.substring(0, body.length() / 2), "\u0000\u0001\u0002", "{]", "-")) {
      HttpResponse<String> answer = write(of, of.path(), damaged);
      assertThat(answer.statusCode()).as("%s: %s", damaged, answer.body()).isEqualTo(400);
      assertNoTrace(answer);
    }
  }

  @ParameterizedTest
  @MethodSource("fixtures")
  void writesIntoTheDatasetThatIsNamed(Fixture of) {
    String metric = "by_header_" + of;
    byte[] body = of.body(metric, "a").getBytes(UTF_8);
    Map<String, String> header = Map.of("X-Varve-Dataset", OTHER);
    assertThat(write(server, of, of.path(), body, header).statusCode()).isBetween(200, 204);
    assertStored(OTHER, metric);
    for (String within : List.of(of.path(), of.belowName())) {
      String byPath = "by_path_%d_%s".formatted(within.length(), of);
      String path = "/datasets/" + OTHER + within;
      assertThat(write(of, path, of.body(byPath, "a")).statusCode()).isBetween(200, 204);
      assertStored(OTHER, byPath);
    }
    HttpResponse<String> unknown =
        write(server, of, of.path(), body, Map.of("X-Varve-Dataset", "nowhere"));
    assertThat(unknown.statusCode()).isEqualTo(404);
    assertThat(unknown.body()).contains("nowhere");
  }

  @ParameterizedTest
  @MethodSource("fixtures")
  void answersThatTheStoreFailsSoThatSendersRepeat(Fixture of) throws IOException {
    Path data = directory.resolve("breaking-" + of);
    try (TestServer breaking = TestServer.start(data, BreakingStore.KIND, QueryOptions.DEFAULTS)) {
      byte[] body = of.body(BreakingStore.WORD + "_" + of, "a").getBytes(UTF_8);
      HttpResponse<String> answer = write(breaking, of, of.path(), body, Map.of());
      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(503);
      assertThat(answer.headers().firstValue("Retry-After")).isPresent();
      assertNoTrace(answer);
    }
  }

  @ParameterizedTest
  @MethodSource("fixtures")
  void holdsNothingForAClientThatHasGone(Fixture of) throws IOException {
    String body =
        of.body(
            Stream.generate(() -> List.of("gone_" + of, "a"))
                .limit(1000)
                .flatMap(List::stream)
                .toArray(String[]::new));
    try (Socket socket = server.connect()) {
      OutputStream out = socket.getOutputStream();
      out.write(
          "POST %s HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n"
              .formatted(of.path(), of.contentType(), body.length())
              .getBytes(ISO_8859_1));
      out.write(body.substring(0, body.length() / 2).getBytes(UTF_8));
      out.flush();
      await()
          .atMost(Duration.ofSeconds(10))
          .until(() -> figure(server, "varve_write_budget_bytes") > 0);
    }
    await()
        .atMost(Duration.ofSeconds(20))
        .until(() -> figure(server, "varve_write_budget_bytes") == 0);
  }

  private static HttpResponse<String> read(TestServer from, Fixture of, String path, String body) {
    Query query = Objects.requireNonNull(of.query());
    return from.send(
        from.request(path)
            .header("Content-Type", query.contentType())
            // Heroic answers nobody who does not say who asks.
            .header("X-Client-Id", "contract")
            .POST(BodyPublishers.ofString(body)));
  }

  @ParameterizedTest
  @MethodSource("readers")
  void readsWhatItWroteInTheDatasetThatIsNamed(Fixture of) {
    Query query = Objects.requireNonNull(of.query());
    for (String dataset : List.of("", "/datasets/" + OTHER)) {
      String metric = "read_%d_%s".formatted(dataset.length(), of);
      write(of, dataset + of.path(), of.body(metric, "a"));
      for (String path : List.of(query.path(), of.belowName(query.path()))) {
        String body = query.body().formatted(metric);
        HttpResponse<String> found = read(server, of, dataset + path, body);
        assertThat(found.statusCode()).as(found.body()).isEqualTo(200);
        assertThat(found.body()).contains(query.sample());
        String elsewhere = dataset.isEmpty() ? "/datasets/" + OTHER : "";
        assertThat(read(server, of, elsewhere + path, body).body()).doesNotContain(query.sample());
      }
    }
    HttpResponse<String> unknown =
        read(server, of, "/datasets/nowhere" + query.path(), query.body().formatted("m"));
    assertThat(unknown.statusCode()).isEqualTo(404);
    assertThat(unknown.body()).contains("nowhere");
  }

  @ParameterizedTest
  @MethodSource("readers")
  void refusesDamagedQueries(Fixture of) {
    Query query = Objects.requireNonNull(of.query());
    for (String damaged : query.damaged()) {
      HttpResponse<String> answer = read(server, of, query.path(), damaged);
      assertThat(answer.statusCode()).as("%s: %s", damaged, answer.body()).isEqualTo(400);
      assertNoTrace(answer);
    }
  }

  @ParameterizedTest
  @MethodSource("readers")
  void doesNotCallAFailedReadEmpty(Fixture of) throws IOException {
    Query query = Objects.requireNonNull(of.query());
    Path data = directory.resolve("breaking-reads-" + of);
    try (TestServer breaking = TestServer.start(data, BreakingStore.KIND, QueryOptions.DEFAULTS)) {
      String metric = BreakingStore.READ_WORD + "_" + of;
      byte[] body = of.body(metric, "a").getBytes(UTF_8);
      assertThat(write(breaking, of, of.path(), body, Map.of()).statusCode()).isBetween(200, 204);
      HttpResponse<String> answer =
          read(breaking, of, query.path(), query.body().formatted(metric));
      assertThat(answer.statusCode()).as(answer.body()).isGreaterThanOrEqualTo(500);
      assertNoTrace(answer);
    }
  }

  @ParameterizedTest
  @MethodSource("fixtures")
  void takesChunkedBodies(Fixture of) {
    String metric = "chunked_" + of;
    byte[] body = of.body(metric, "a").getBytes(UTF_8);
    HttpResponse<String> answer =
        server.send(
            server
                .request(of.path())
                .header("Content-Type", of.contentType())
                .POST(BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(body))));
    assertThat(answer.statusCode()).as(answer.body()).isBetween(200, 204);
    assertStored("", metric);
  }
}
