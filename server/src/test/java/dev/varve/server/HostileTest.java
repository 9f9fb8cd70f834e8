package dev.varve.server;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.server.ServerConfig.Listener;
import dev.varve.server.http.HttpLimits;
import dev.varve.server.queries.QueryOptions;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.BindException;
import java.net.Socket;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Input from broken or malicious senders. */
class HostileTest {
  private static final String POINTS = "/api/v1/datapoints";
  private static final String QUERY = "/api/v1/datapoints/query";
  private static final String LINES = "/varve/v1/points";

  @TempDir static Path directory;
  private static TestServer server;

  @BeforeAll
  static void start() throws IOException {
    server = new TestServer(directory, null, "buckets");
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static HttpResponse<String> gzipped(String path, String head, String part, int count)
      throws IOException {
    ByteArrayOutputStream zipped = new ByteArrayOutputStream();
    byte[] bytes = part.getBytes(UTF_8);
    try (GZIPOutputStream gzip = new GZIPOutputStream(zipped)) {
      gzip.write(head.getBytes(UTF_8));
      for (int i = 0; i < count; i++) {
        gzip.write(bytes);
      }
    }
    return server.send(
        server
            .request(path)
            .header("Content-Encoding", "gzip")
            .POST(HttpRequest.BodyPublishers.ofByteArray(zipped.toByteArray())));
  }

  private static void assertAnswer(HttpResponse<String> answer, int status, String... words) {
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
    assertThat(answer.body()).doesNotContain("Exception", "\tat ", "internal error");
    for (String word : words) {
      assertThat(answer.body()).contains(word);
    }
    assertThat(answer.body().length()).isLessThan(5000);
  }

  @ParameterizedTest
  @CsvSource({POINTS, QUERY, LINES})
  void refusesNestingWithoutEnd(String path) {
    for (String open : List.of("[", "{\"a\":", "{\"name\":\"x\",\"tags\":")) {
      assertAnswer(server.post(path, open.repeat(50_000)), path.equals(LINES) ? 200 : 400);
    }
    assertAnswer(
        server.post(
            path,
            "{\"name\":\"x\",\"tags\":{\"a\":\"b\"},\"timestamp\":1,\"value\":"
                + "[".repeat(50_000)),
        path.equals(LINES) ? 200 : 400);
  }

  /** The first bytes look like an unusual byte order of UTF-32. */
  @ParameterizedTest
  @ValueSource(strings = {POINTS, QUERY, "/api/put", "/v1/metrics"})
  void takesJsonForUtf8AndGuessesNothing(String path) {
    byte[] body = {0, '"', 0, 0, 1, 't', 'y'};
    assertAnswer(
        server.send(
            server
                .request(path)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofByteArray(body))),
        400);
  }

  @Test
  void refusesWhatIsTooLargeToBeHeld() throws IOException {
    String blanks = " ".repeat(1 << 20);
    assertAnswer(gzipped(POINTS, "[", blanks, 300), 413, "decompressed body", "268435456 bytes");
    assertAnswer(gzipped(QUERY, "{", blanks, 2), 413, "1048576 bytes");
    assertAnswer(gzipped(LINES, "{", "a".repeat(1 << 20), 40), 413, "line 1", "1048576 characters");
    assertAnswer(
        gzipped(POINTS, "{\"name\":\"", "a".repeat(1 << 20), 40), 400, "Invalid json", "length");
    assertAnswer(
        gzipped(
            POINTS, "{\"name\":\"m\",\"tags\":{\"a\":\"b\"},\"datapoints\":[", "[1,2],", 1_100_000),
        413,
        "metric[0](name=m)",
        "1048576 datapoints");
    assertAnswer(
        gzipped(
            "/varve/v1/explain/points",
            "",
            "{\"metric\":\"m\",\"tags\":{\"a\":\"b\"},\"time\":1,\"value\":1}\n",
            20_000),
        400,
        "10000");
  }

  @Test
  void readsNoNumberOfAMillionDigits() {
    String digits = "9".repeat(900_000);
    assertAnswer(
        server.post(
            POINTS,
            "{\"name\":\"x\",\"tags\":{\"a\":\"b\"},\"timestamp\":\"" + digits + "\",\"value\":1}"),
        400,
        "no number of milliseconds");
    HttpResponse<String> query =
        server.post(QUERY, "{\"start_absolute\":\"" + digits + "\",\"metrics\":[]}");
    assertThat(query.statusCode()).isEqualTo(400);
    assertThat(query.body().length()).isLessThan(25_000);
    assertAnswer(
        server.post(
            POINTS,
            "{\"name\":\"x\",\"tags\":{\"a\":\"b\"},\"timestamp\":1,\"value\":" + digits + "}"),
        400,
        "Invalid json");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "POST;/api/v1/metricnames;405",
        "GET;/api/v1/datapoints;405",
        "DELETE;/api/v1/datapoints;405",
        "GET;/nowhere;404",
        "GET;/datasets/nowhere/api/v1/metricnames;404",
        "GET;/varve/v1/query;400",
        "GET;/varve/v1/query?selector=m%7B;400",
        "GET;/varve/v1/query?selector=m&from=x;400",
        "GET;/varve/v1/query?selector=m&every=1d&zone=Mars;400",
        "GET;/varve/v1/query?selector=m&asof=2020-01-01;400",
        "GET;/varve/v1/query?selector=m&from=999999999y;400",
        "GET;/varve/v1/query?selector=m&limit=-1;400",
        "GET;/varve/v1/query?selector=%7Ba%3D~%22(%22%7D;400",
        "GET;/varve/v1/query?selector=m%7Ba%3D~%22((a%7B1000%7D)%7B1000%7D)%7B1000%7D%22%7D;400",
        "GET;/api/v1/datapoints/query;400",
        "GET;/api/v1/datapoints/query?query=%7B;400",
        "POST;/varve/v1/points?integers=some;400",
      })
  void saysWhatIsWrongWithARequest(String method, String path, int status) {
    assertAnswer(
        server.send(
            server.request(path).method(method, HttpRequest.BodyPublishers.ofString("[1,2"))),
        status);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "GET /api/v1/version HTTP/1.1|Host: localhost|no colon here||;400",
        "GET /varve/v1/query?selector=%zz HTTP/1.1|Host: localhost||;400",
        "GET /%zz HTTP/1.1|Host: localhost||;400",
        "GET /api/../../etc/passwd HTTP/1.1|Host: localhost||;400",
        "GET /api/v1/version HTTP/9.9|Host: localhost||;505",
        "POST /api/v1/datapoints HTTP/1.1|Host: localhost|Content-Length: 1x||;400",
        "POST /api/v1/datapoints HTTP/1.1|Host: localhost|Content-Length: 99999999999999||;413",
        "POST /api/v1/datapoints HTTP/1.1|Host: localhost|Transfer-Encoding: chunked||zz|;400",
      })
  void answersWhatIsHardlyHttp(String request, int status) throws IOException {
    try (Socket socket = server.connect()) {
      socket.setSoTimeout(10_000);
      OutputStream out = socket.getOutputStream();
      out.write(request.replace("|", "\r\n").getBytes(UTF_8));
      BufferedReader answer =
          new BufferedReader(new InputStreamReader(socket.getInputStream(), UTF_8));
      assertThat(answer.readLine()).startsWith("HTTP/1.1 " + status);
      assertThat(answer.readLine()).isNotNull();
    }
  }

  @Test
  void keepsAConnectionOverGoodAndBadRequests() throws IOException {
    try (Socket socket = server.connect()) {
      socket.setSoTimeout(10_000);
      StringBuilder requests = new StringBuilder();
      for (int i = 0; i < 3; i++) {
        requests
            .append("GET /nowhere HTTP/1.1\r\nHost: localhost\r\n\r\n")
            .append(
                "POST /api/v1/datapoints HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}")
            .append("HEAD /api/v1/version HTTP/1.1\r\nHost: localhost\r\n\r\n");
      }
      requests.append("GET /-/healthy HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
      socket.getOutputStream().write(requests.toString().getBytes(UTF_8));
      String answers = new String(socket.getInputStream().readAllBytes(), UTF_8);
      assertThat(answers.split("HTTP/1.1 404", -1)).hasSize(4);
      assertThat(answers.split("HTTP/1.1 400", -1)).hasSize(4);
      assertThat(answers.split("HTTP/1.1 200", -1)).hasSize(5);
      // HEAD has the headers of GET and no body.
      assertThat(answers).doesNotContain("KairosDB 1.3.0");
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '~',
      value = {
        "'start_absolute':-9223372036854775808; {'name':'avg','sampling':{'value':1,'unit':'days'}}",
        "'start_relative':{'value':1000000000,'unit':'years'}; {'name':'sum','sampling':{'value':1,'unit':'years'}}",
        "'start_absolute':0; {'name':'sum','sampling':{'value':2147483647,'unit':'years'}}",
        "'start_absolute':0; {'name':'max','time_zone':'Europe/Berlin','sampling':{'value':2147483647,'unit':'months'}}",
        "'start_absolute':0; {'name':'last','align_end_time':true,'sampling':{'value':900000000,'unit':'years'}}",
        "'start_absolute':0; {'name':'rate','sampling':{'value':2147483647,'unit':'years'}}",
      })
  void answersAboutTimesThatNoCalendarHolds(String range, String aggregator) {
    String name = "calendar" + (range + aggregator).hashCode();
    assertThat(
            server
                .post(
                    POINTS,
                    "{\"name\":\"%s\",\"tags\":{\"a\":\"b\"},\"datapoints\":[[1000,2.5],[2000,3.5]]}"
                        .formatted(name))
                .statusCode())
        .isEqualTo(204);
    String query =
        "{%s,'metrics':[{'name':'%s','group_by':[{'name':'time','range_size':{'value':2147483647,'unit':'years'},'group_count':3}],'aggregators':[%s]}]}"
            .formatted(range, name, aggregator)
            .replace('\'', '"');
    assertAnswer(server.post(QUERY, query), 200, "\"sample_size\":2", "\"values\":[[");
  }

  @Test
  void refusesLinesThatAreNotUtf8AndKeepsTheOthers() {
    String line = "{\"metric\":\"latin%s\",\"tags\":{\"a\":\"b\"},\"time\":1,\"value\":1}\n";
    byte[] body = (line.formatted("\u00e9") + line.formatted("")).getBytes(ISO_8859_1);
    assertAnswer(
        server.send(server.request(LINES).POST(HttpRequest.BodyPublishers.ofByteArray(body))),
        200,
        "\"accepted\":1,\"refused\":1",
        "line 1: the line is not UTF-8");
    assertAnswer(server.post(LINES, line.formatted("\uFFFD\u00e9")), 200, "\"accepted\":1");
  }

  @Test
  void refusesAPatternThatWouldTakeAllMemory() {
    assertAnswer(
        server.post(
            QUERY,
            "{\"start_absolute\":1,\"metrics\":[{\"name\":\"m\",\"tags\":{\"a\":\"regex:((a{1000}){1000}){1000}\"}}]}"),
        400,
        "expand to more than 10000 steps");
  }

  @Test
  void saysThatAPortIsTaken() {
    int taken = server.port();
    ServerConfig config =
        new ServerConfig(
            List.of(new Listener("127.0.0.1", taken, List.of("kairosdb"), null)),
            HttpLimits.DEFAULTS,
            QueryOptions.DEFAULTS,
            null,
            null);
    assertThatThrownBy(() ->
            Server.start(
                config,
                () -> {
                  throw new AssertionError("not opened");
                }))
        .isInstanceOf(IOException.class)
        .hasRootCauseInstanceOf(BindException.class)
        .hasMessageContaining("127.0.0.1:" + taken);
  }
}
