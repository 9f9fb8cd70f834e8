package dev.varve.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.varve.formats.protobuf.WireWriter;
import dev.varve.server.http.RawHttp;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;
import org.xerial.snappy.Snappy;

/** Everything that any dialect refuses is counted under the rule that it violated. */
@TestInstance(Lifecycle.PER_CLASS)
class RefusalsTest {
  private static final String V2 = "application/x-protobuf;proto=io.prometheus.write.v2.Request";

  private TestServer server;

  @BeforeAll
  void start(@TempDir Path directory) throws IOException {
    server =
        new TestServer(
            directory,
            null,
            List.of(
                new ServerConfig.Feed.Graphite(false, List.of()),
                new ServerConfig.Feed.Graphite(true, List.of()),
                new ServerConfig.Feed.Influx("ns")),
            "buckets",
            "heroic");
  }

  @AfterAll
  void stop() {
    server.close();
  }

  private long refused(String dataset, String dialect, String rule) {
    String series =
        "varve_samples_refused_total{dataset=\"%s\",dialect=\"%s\",rule=\"%s\"} "
            .formatted(dataset, dialect, rule);
    return server
        .get("/metrics")
        .body()
        .lines()
        .filter(line -> line.startsWith(series))
        .mapToLong(line -> (long) Double.parseDouble(line.substring(series.length())))
        .sum();
  }

  private static WireWriter label(String name, String value) {
    return new WireWriter().text(1, name).text(2, value);
  }

  private int remoteWrite(String type, WireWriter message) throws IOException {
    return server
        .send(
            server
                .request("/api/v1/write")
                .header("Content-Encoding", "snappy")
                .header("Content-Type", type)
                .POST(BodyPublishers.ofByteArray(Snappy.compress(message.toBytes()))))
        .statusCode();
  }

  @Test
  void remoteWrite() throws IOException {
    WireWriter histogram = new WireWriter().varint(15, 1_700_000_000_000L);
    WireWriter first =
        new WireWriter()
            .message(1, label("__name__", "h"))
            .message(4, histogram)
            .message(4, histogram);
    WireWriter nameless =
        new WireWriter()
            .message(1, label("a", "b"))
            .message(2, new WireWriter().real(1, 1).varint(2, 1_700_000_000_000L));
    WireWriter twice =
        new WireWriter()
            .message(1, label("a", "b"))
            .message(1, label("a", "b"))
            .message(2, new WireWriter().real(1, 1).varint(2, 1_700_000_000_000L));
    assertThat(
            remoteWrite(
                "application/x-protobuf",
                new WireWriter().message(1, first).message(1, nameless).message(1, twice)))
        .isEqualTo(400);
    WireWriter second = new WireWriter().varint(1, 1).varint(1, 2).message(3, histogram);
    assertThat(
            remoteWrite(
                V2,
                new WireWriter().text(4, "").text(4, "__name__").text(4, "h").message(5, second)))
        .isEqualTo(400);
    assertThat(refused("buckets", "prometheus", "histogram.native")).isEqualTo(3);
    assertThat(refused("buckets", "prometheus", "series.name")).isEqualTo(1);
    assertThat(refused("buckets", "prometheus", "syntax")).isGreaterThanOrEqualTo(1);
  }

  @Test
  void textFormat() {
    long before = refused("buckets", "prometheus", "syntax");
    assertThat(server.post("/api/v1/import/prometheus", "x{ 1\ny 1\nz z\n").statusCode())
        .isEqualTo(400);
    assertThat(refused("buckets", "prometheus", "syntax")).isEqualTo(before + 2);
  }

  @Test
  void otlp() {
    String point = "{\"timeUnixNano\":\"1700000000000000000\",\"count\":\"1\"}";
    String metrics =
        """
        {"name":"e","exponentialHistogram":{"aggregationTemporality":2,"dataPoints":[%s,%s]}},
        {"name":"s","sum":{"dataPoints":[{"timeUnixNano":"1700000000000000000","asDouble":1}]}},
        {"name":"v","gauge":{"dataPoints":[{"timeUnixNano":"1700000000000000000"}]}},
        {"name":"t","gauge":{"dataPoints":[{"asDouble":1}]}}
        """
            .formatted(point, point);
    String body =
        "{\"resourceMetrics\":[{\"scopeMetrics\":[{\"metrics\":[%s]}]}]}".formatted(metrics);
    assertThat(
            server
                .send(
                    server
                        .request("/v1/metrics")
                        .header("Content-Type", "application/json")
                        .POST(BodyPublishers.ofString(body)))
                .body())
        .contains("\"rejectedDataPoints\":\"5\"");
    assertThat(refused("buckets", "otlp", "histogram.native")).isEqualTo(2);
    assertThat(refused("buckets", "otlp", "temporality")).isEqualTo(1);
    assertThat(refused("buckets", "otlp", "value.missing")).isEqualTo(1);
    assertThat(refused("buckets", "otlp", "time.missing")).isEqualTo(1);
  }

  @Test
  void openTsdb() throws IOException {
    long before = refused("buckets", "opentsdb", "syntax");
    try (Socket socket = server.connect()) {
      String lines = "put m 1700000000 x a=b\n".repeat(1000) + "nagios is here\nput m\nexit\n";
      socket.getOutputStream().write(lines.getBytes(UTF_8));
      socket.getInputStream().readAllBytes();
    }
    assertThat(refused("buckets", "opentsdb", "syntax")).isEqualTo(before + 1002);
    String points =
        "[{\"metric\":\"m\",\"timestamp\":1,\"value\":\"x\",\"tags\":{\"a\":\"b\"}},{}]";
    assertThat(server.post("/api/put", points).statusCode()).isEqualTo(400);
    assertThat(server.post("/api/put", "[{]").statusCode()).isEqualTo(400);
    assertThat(refused("buckets", "opentsdb", "syntax")).isEqualTo(before + 1005);
  }

  @Test
  void kairosDb() {
    String points =
        """
        [{"name":"m","timestamp":1,"value":1,"tags":{"a":"b"}},
         {"name":"m","timestamp":1,"value":1},
         {"name":"m","datapoints":[[1],["x",1]],"tags":{"a":"b"}}]
        """;
    assertThat(server.post("/api/v1/datapoints", points).statusCode()).isEqualTo(400);
    assertThat(refused("buckets", "kairosdb", "syntax")).isGreaterThanOrEqualTo(3);
  }

  @Test
  void influx() throws IOException {
    long before = refused("buckets", "influx", "syntax");
    assertThat(server.post("/write", "m v=1\nm v=\nm\n").statusCode()).isEqualTo(400);
    assertThat(refused("buckets", "influx", "syntax")).isEqualTo(before + 2);
    try (Socket socket = server.connectTo(2)) {
      socket.getOutputStream().write("m v=\nm v=1\n".getBytes(UTF_8));
    }
    await()
        .atMost(Duration.ofSeconds(20))
        .until(() -> refused("buckets", "influx", "syntax") == before + 3);
  }

  @Test
  void graphite() throws IOException {
    try (Socket socket = server.connectTo(0)) {
      socket.getOutputStream().write("a 1 1700000000\na x y\n\nb\n".getBytes(UTF_8));
    }
    try (Socket socket = server.connectTo(1)) {
      byte[] pickle = "(lp0\n(I1\nI2\ntp1\na.".getBytes(UTF_8);
      socket.getOutputStream().write(ByteBuffer.allocate(4).putInt(pickle.length).array());
      socket.getOutputStream().write(pickle);
    }
    await()
        .atMost(Duration.ofSeconds(20))
        .until(() ->
            refused("buckets", "graphite", "syntax") == 2
                && refused("buckets", "graphite-pickle", "syntax") == 1);
  }

  @Test
  void ownPoints() {
    assertThat(server.post("/varve/v1/points", "x\n{}\n").body()).contains("\"refused\":2");
    assertThat(refused("buckets", "varve", "syntax")).isEqualTo(2);
    assertThat(server.post("/varve/v1/explain/points", "x\n").statusCode()).isEqualTo(400);
    assertThat(refused("buckets", "varve", "syntax")).isEqualTo(2);
  }

  @Test
  void labelsAndLayoutsByTheNumberOfSamples() {
    String labels =
        IntStream.range(0, 200).mapToObj(i -> ",l" + i + "=x").collect(Collectors.joining());
    assertThat(server.post("/write", "wide" + labels + " a=1,b=2,c=3\n").statusCode())
        .isEqualTo(400);
    assertThat(refused("buckets", "influx", "labels.count")).isEqualTo(3);
    String texts =
        IntStream.range(0, 2500)
            .mapToObj(i -> "text v=\"x\" " + (1_700_000_000_000_000_000L + i * 1_000_000L))
            .collect(Collectors.joining("\n"));
    assertThat(server.post("/datasets/heroic/write", texts).statusCode()).isEqualTo(400);
    assertThat(refused("heroic", "influx", "heroic.kind")).isEqualTo(2500);
    assertThat(refused("heroic", "influx", "unnamed")).isZero();
  }

  /** A web page can send lines to any port, after its browser's request line and headers. */
  @Test
  void aFeedTakesNoHttp() throws IOException {
    try (Socket socket = server.connectTo(0)) {
      socket
          .getOutputStream()
          .write("POST / HTTP/1.1\r\nHost: x\r\n\r\npage.wrote 1 1700000000\r\n".getBytes(UTF_8));
      socket.setSoTimeout(20_000);
      assertThat(closed(socket)).isTrue();
    }
    assertThat(RawHttp.send(server.port(), "GET", "/api/v1/label/__name__/values", "").body())
        .doesNotContain("page");
  }

  private static boolean closed(Socket socket) throws IOException {
    try {
      return socket.getInputStream().read() < 0;
    } catch (SocketException e) {
      // A reset, since unread data was left.
      return true;
    }
  }

  @Test
  void fieldsBeyondThoseOfASeriesAreCountedByTheirRule() {
    String fields =
        IntStream.range(0, 12_000).mapToObj(i -> "f" + i + "=1").collect(Collectors.joining(","));
    server.post("/write?db=buckets", "wide,host=a " + fields + " 1700000000000000000");
    assertThat(refused("buckets", "influx", "fields.series")).isEqualTo(10_000);
  }
}
