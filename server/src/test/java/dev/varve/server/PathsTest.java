package dev.varve.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.varve.server.http.RawHttp;
import dev.varve.server.http.RawHttp.Answer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;

/** Paths as written in the bytes of requests. */
@TestInstance(Lifecycle.PER_CLASS)
class PathsTest {
  private TestServer server;

  @BeforeAll
  void start(@TempDir Path directory) throws IOException {
    server = new TestServer(directory, null, "buckets", "opentsdb");
  }

  @AfterAll
  void stop() {
    server.close();
  }

  private Answer send(String method, String target, String body) throws IOException {
    return RawHttp.send(server.port(), method, target, body);
  }

  @Test
  void noOtherSpellingOfAnOperatorsPathReachesItsHandler() throws IOException {
    assertThat(send("POST", "/-/reload", "").status()).isEqualTo(200);
    for (String path :
        List.of(
            "/%2d/reload",
            "/-/reload;x=1",
            "/-;x=1/reload",
            "/-/%72eload",
            "//-/reload",
            "/-//reload",
            "/./-/reload",
            "/public/../-/reload",
            "/datasets/main/-/reload",
            "/datasets/x/-/reload",
            "/prometheus/-/reload",
            "/datasets/main/prometheus/-/reload",
            "/public/..;/-/reload",
            "/public/%2e%2e/-/reload",
            "/-%2freload",
            "/-%5creload",
            "/-/reload%00",
            "/-/reload#/public",
            "/%2E/-/reload",
            "http://localhost:%d/%%2d/reload".formatted(server.port()),
            "/-/reload%",
            "/-/reload%ff",
            "/-/reload%u002f")) {
      assertThat(send("POST", path, "").status()).as(path).isIn(400, 404);
    }
  }

  /** Only the path as sent decides whether a request may use a thread reserved for operations. */
  @Test
  void aPathThatOnlyResolvesToAnOperatorsPathTakesNoThreadOfOperations() throws IOException {
    String head =
        "POST /metrics/job/../../-/reload HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n";
    List<Socket> slow = new ArrayList<>();
    try {
      for (int i = 0; i < 20; i++) {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port());
        slow.add(socket);
        socket.getOutputStream().write(head.getBytes(UTF_8));
      }
      assertTimeoutPreemptively(
          Duration.ofSeconds(5),
          () -> {
            for (int i = 0; i < 20; i++) {
              assertThat(send("GET", "/-/healthy", "").status()).isEqualTo(200);
            }
          });
    } finally {
      for (Socket socket : slow) {
        socket.close();
      }
    }
  }

  @Test
  void connectIsAnsweredLikeAnyPathThatIsNotThere() throws IOException {
    assertThat(send("CONNECT", "localhost:80", "").status()).isIn(400, 404, 405);
    assertThat(send("OPTIONS", "*", "").status()).isIn(200, 400, 404, 405);
  }

  @Test
  void decodesAllEscapesOfValuesOnce() throws IOException {
    Map<String, String> jobs =
        Map.ofEntries(
            Map.entry("a%20b", "a b"),
            Map.entry("a%2db", "a-b"),
            Map.entry("a%3Fb", "a?b"),
            Map.entry("a%23b", "a#b"),
            Map.entry("a%22b", "a\\\"b"),
            Map.entry("a%3Bb", "a;b"),
            Map.entry("a;c=d", "a;c=d"),
            Map.entry("a%7Cb", "a|b"),
            Map.entry("a%25b", "a%b"),
            Map.entry("a%2541b", "a%41b"),
            Map.entry("a%5Cb", "a\\\\b"),
            Map.entry("a%2Fb", "a/b"),
            Map.entry("a+b", "a+b"),
            Map.entry("%C3%A9", "é"),
            Map.entry("%2e%2e", ".."));
    for (Map.Entry<String, String> job : jobs.entrySet()) {
      assertThat(send("PUT", "/metrics/job/" + job.getKey(), "pushed 1\n").status())
          .as(job.getKey())
          .isEqualTo(200);
    }
    String found =
        server.get("/api/v1/label/job/values?match[]=pushed".replace("[]", "%5B%5D")).body();
    jobs.values().forEach(job -> assertThat(found).contains('"' + job + '"'));
    assertThat(send("PUT", "/metrics/job@base64/L3Zhcg", "pushed 1\n").status()).isEqualTo(200);
    assertThat(server.get("/api/v1/label/job/values").body()).contains("\"/var\"");
  }

  @Test
  void refusesEscapesThatAreNoTextAndCountsThem() throws IOException {
    long before = badPuts();
    for (String job : List.of("%ff", "%", "%4", "%zz", "a%C3")) {
      assertThat(send("PUT", "/metrics/job/" + job, "pushed 1\n").status()).as(job).isEqualTo(400);
    }
    assertThat(badPuts()).isEqualTo(before + 5);
  }

  private long badPuts() throws IOException {
    Matcher lines =
        Pattern.compile("(?m)^varve_http_requests_total\\{[^}]*status=\"400\"[^}]*} (\\S+)$")
            .matcher(server.get("/metrics").body());
    return lines.results().mapToLong(line -> (long) Double.parseDouble(line.group(1))).sum();
  }

  @Test
  void namesOfLabelsAndDatasetsAreDecoded() throws IOException {
    String point =
        "{\"metric\":\"m\",\"tags\":{\"lab el\":\"x y\"},\"time\":1700000000000,\"value\":1.0}";
    Answer put = send("POST", "/varve/v1/points", point);
    assertThat(put.body()).contains("\"accepted\":1");
    assertThat(send("GET", "/api/v1/label/lab%20el/values", "").body()).contains("[\"x y\"]");
    assertThat(send("GET", "/datasets/open%74sdb/varve/v1/dataset", "").body())
        .contains("\"name\":\"opentsdb\"");
    assertThat(send("GET", "/datasets/a%2Fb/varve/v1/dataset", "").body()).contains("'a/b'");
    assertThat(send("GET", "/datasets/%ff/varve/v1/dataset", "").status()).isEqualTo(400);
    assertThat(send("GET", "/datasets//varve/v1/dataset", "").status()).isEqualTo(404);
  }

  @Test
  void countsWhatIsNoRequestAtAll() throws IOException {
    long before = refused();
    assertThat(RawHttp.send(server.port(), "GET /metrics HTTP/1.1\r\n\r\n").status())
        .isEqualTo(400);
    assertThat(
            RawHttp.send(
                    server.port(),
                    "GET /metrics#x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
                .status())
        .isEqualTo(400);
    assertThat(refused()).isEqualTo(before + 2);
  }

  @Test
  void missingPathsOfOpenTsdbAnswerWithItsError() throws IOException {
    for (String path :
        List.of(
            "/api/nothing",
            "/api/serializers",
            "/api/v1/serializers",
            "/datasets/buckets/api/nothing",
            "/opentsdb/nothing")) {
      for (String method : List.of("GET", "POST")) {
        Answer answer = send(method, path, "");
        assertThat(answer.status()).as(path).isEqualTo(404);
        assertThat(answer.header("Content-Type")).isEqualTo("application/json; charset=UTF-8");
        assertThat(answer.body())
            .startsWith("{\"error\":{\"code\":404,\"message\":\"Endpoint not found\",\"details\":")
            .contains(path.substring(path.lastIndexOf('/')));
      }
    }
    for (String path : List.of("/api", "/nothing", "/api/v1/nothing", "/api/v2/query", "/q")) {
      assertThat(send("GET", path, "").header("Content-Type")).as(path).startsWith("text/plain");
    }
    assertThat(send("GET", "/prometheus/nothing", "").body())
        .contains("\"errorType\":\"not_found\"");
    assertThat(send("GET", "/api/put", "").body()).contains("Method not allowed");
    assertThat(send("PUT", "/api/suggest", "").body()).startsWith("{\"error\":{\"code\":405");
    assertThat(send("GET", "/datasets/none/api/suggest?type=metrics", "").body())
        .contains("there is no dataset 'none'")
        .doesNotContain("Endpoint");
  }

  private long refused() {
    return server
        .get("/metrics")
        .body()
        .lines()
        .filter(line ->
            line.startsWith("varve_http_requests_total{dialect=\"\",path=\"\",status=\"400\"}"))
        .mapToLong(line -> (long) Double.parseDouble(line.substring(line.indexOf(' ') + 1)))
        .sum();
  }
}
