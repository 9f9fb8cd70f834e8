package dev.varve.server.security;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.server.AccessCheck;
import dev.varve.server.Dialects;
import dev.varve.server.ServerConfig.Feed;
import dev.varve.server.ServerConfig.Listener;
import dev.varve.server.TestServer;
import dev.varve.server.http.Right;
import java.io.IOException;
import java.net.Socket;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What a user with matchers learns and changes, by every reading and writing route. */
class BoundRightsTest {
  /** Routes whose answers tell nothing about series, or only of the queries that run. */
  private static final Set<String> TELL_NOTHING =
      Set.of(
          "POST heroic /parser/parse-filter",
          "GET kairosdb /api/v1/admin/runningqueries",
          "GET opentsdb /api/stats/query",
          "POST opentsdb /api/stats/query",
          "GET prometheus /api/v1/format_query",
          "POST prometheus /api/v1/format_query",
          "GET prometheus /api/v1/parse_query",
          "POST prometheus /api/v1/parse_query",
          "GET prometheus /api/v1/query_exemplars",
          "POST prometheus /api/v1/query_exemplars",
          "GET queries /api/v1/status/queries",
          "GET varve /v1/deletes");

  /** The dataset of samples that no probe asks for. */
  private static final String OTHER = "/datasets/buckets";

  @TempDir private static Path directory;
  private static TestServer server;
  private static long time;
  private static List<Probe> probes = List.of();

  @BeforeAll
  static void start() throws IOException {
    Path users = directory.resolve("users.yml");
    Files.writeString(
        users,
        """
        users:
        - {username: all, password: pw-all, rights: [read, write, delete, admin]}
        - {username: agent, password: pw-agent, rights: [write]}
        - {username: elsewhere, password: pw-elsewhere, rights: [read, write, delete], datasets: [opentsdb]}
        - username: red
          password: pw-red
          rights: [read, write, delete, admin]
          matchers: '{team="red"}'
        """);
    server = new TestServer(directory.resolve("data"), null, "blocks", "buckets", "opentsdb");
    server.with(
        new AccessFiles(null, users, false),
        List.of(
            new Listener("127.0.0.1", 0, Dialects.names(), null),
            new Listener("127.0.0.1", 0, List.of(), "buckets", new Feed.Telnet(), "red"),
            new Listener("127.0.0.1", 0, List.of(), "buckets", new Feed.Telnet(), "agent")));
    time = System.currentTimeMillis() / 1000 * 1000 - 20_000;
    String lines =
        """
        # TYPE shared gauge
        # TYPE hidden_metric gauge
        shared{team="red",host="plain"} 1 %1$d
        shared{team="blue",host="hidden_host",hidden_tag="x"} 2 %1$d
        hidden_metric{team="blue"} 3 %1$d
        """
            .formatted(time);
    assertThat(status(ask("all", "POST", "/api/v1/import/prometheus", lines))).isEqualTo(204);
    probes = Probe.all(time);
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static HttpResponse<byte[]> ask(String user, String method, String path, String body) {
    return ask(user, method, path, body.getBytes(UTF_8));
  }

  private static HttpResponse<byte[]> ask(String user, String method, String path, byte[] body) {
    String proof = user + ":pw-" + user;
    HttpRequest.Builder request =
        server
            .request(path)
            .header(
                "Authorization",
                "Basic " + Base64.getEncoder().encodeToString(proof.getBytes(UTF_8)))
            .header("x-client-id", "test")
            .header("Content-Type", contentType(path))
            .method(method, HttpRequest.BodyPublishers.ofByteArray(body));
    return server.bytes(request);
  }

  private static String contentType(String path) {
    return path.contains("/varve") || path.contains("/prometheus")
        ? "application/x-www-form-urlencoded"
        : "application/json";
  }

  private static int status(HttpResponse<?> answer) {
    return answer.statusCode();
  }

  private static String text(HttpResponse<byte[]> answer) {
    return new String(answer.body(), ISO_8859_1);
  }

  private static Stream<Probe> probes() {
    return probes.stream();
  }

  @ParameterizedTest
  @MethodSource("probes")
  void tellsNothingOfOtherSeries(Probe probe) {
    HttpResponse<byte[]> whole = ask("all", probe.method(), probe.path(), probe.body());
    assertThat(text(whole)).as("%s by a user of all series", probe).containsPattern(probe.secret());
    HttpResponse<byte[]> part = ask("red", probe.method(), probe.path(), probe.body());
    assertThat(text(part)).doesNotContainPattern(probe.secret());
    assertThat(status(part)).isNotIn(401, 403, 500);
    HttpResponse<byte[]> none = ask("elsewhere", probe.method(), probe.path(), probe.body());
    assertThat(status(none)).as("%s in another dataset: %s", probe, text(none)).isEqualTo(403);
  }

  /** A new route that reads has to be asked here, or to be one that no selector can limit. */
  @Test
  void everyReadingRouteIsAsked() {
    Set<String> asked = new HashSet<>(TELL_NOTHING);
    probes.forEach(probe -> asked.add(probe.route()));
    assertThat(
            AccessCheck.endpoints().stream()
                .filter(endpoint -> endpoint.route().right() == Right.READ)
                .filter(endpoint -> !endpoint.route().serverWide() && !endpoint.route().allSeries())
                .filter(endpoint -> !endpoint.route().yielding())
                .map(endpoint ->
                    endpoint.route().method()
                        + " "
                        + endpoint.dialect()
                        + " "
                        + endpoint.route().path()))
        .isSubsetOf(asked);
  }

  /** Each dialect refuses samples outside in its own form, and keeps those within. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\0',
      value = {
        "/kairosdb/api/v1/datapoints |"
            + " [{\"name\":\"W\",\"timestamp\":T,\"value\":1,\"tags\":{\"team\":\"red\"}},{\"name\":\"W\",\"timestamp\":T,\"value\":1,\"tags\":{\"team\":\"blue\"}}]"
            + " | 400 | {\"errors\":[",
        "/opentsdb/api/put?details |"
            + " [{\"metric\":\"W\",\"timestamp\":T,\"value\":1,\"tags\":{\"team\":\"red\"}},{\"metric\":\"W\",\"timestamp\":T,\"value\":1,\"tags\":{\"team\":\"blue\"}}]"
            + " | 400 | {\"success\":1,\"failed\":1",
        "/heroic/write |"
            + " [{\"series\":{\"key\":\"W\",\"tags\":{\"team\":\"red\"}},\"data\":{\"type\":\"points\",\"data\":[[T,1]]}},{\"series\":{\"key\":\"W\",\"tags\":{\"team\":\"blue\"}},\"data\":{\"type\":\"points\",\"data\":[[T,1]]}}]"
            + " | 400 | 1 of 2 points were refused",
        "/influx/write?precision=ms | W,team=red value=1 T\\nW,team=blue value=1 T | 400 | partial"
            + " write",
        "/varve/v1/points |"
            + " {\"metric\":\"W\",\"tags\":{\"team\":\"red\"},\"time\":T,\"value\":1}\\n{\"metric\":\"W\",\"tags\":{\"team\":\"blue\"},\"time\":T,\"value\":1}"
            + " | 200 | \"accepted\":1",
        "/prometheus/api/v1/import/prometheus | W{team=\"red\"} 1 T\\nW{team=\"blue\"} 1 T | 400 |"
            + " outside of those that the user may use",
      })
  void refusesSamplesOutside(String path, String body, int status, String shape) {
    String metric = "w" + Integer.toHexString(path.hashCode());
    String sent = body.replace("W", metric).replace("T", Long.toString(time)).replace("\\n", "\n");
    HttpResponse<byte[]> answer = ask("red", "POST", OTHER + path, sent);
    assertThat(text(answer)).contains(shape).doesNotContain("internal error");
    assertThat(status(answer)).as(text(answer)).isEqualTo(status);
    for (String dataset : List.of("", OTHER)) {
      assertThat(status(ask("elsewhere", "POST", dataset + path, sent))).isEqualTo(403);
    }
    String stored =
        text(ask("all", "GET", OTHER + "/prometheus/api/v1/series?match[]=" + metric, ""));
    assertThat(stored).contains("red").doesNotContain("blue");
  }

  @Test
  void linesAreThoseOfTheirSender() throws IOException {
    String answer =
        lines(
            0, "put fed %1$d 1 team=red\nput fed %1$d 1 team=blue\nstats\nexit\n".formatted(time));
    assertThat(answer)
        .contains("put: illegal argument: fed{team=\"blue\"}: the series lies outside")
        .doesNotContain("illegal argument: fed{team=\"red\"}")
        .contains("tsd.varve.series");
    String stored = text(ask("all", "GET", OTHER + "/prometheus/api/v1/series?match[]=fed", ""));
    assertThat(stored).contains("red").doesNotContain("blue");
    assertThat(lines(1, "stats\nexit\n"))
        .contains("user 'agent' has no right to read")
        .doesNotContain("tsd.");
  }

  private static String lines(int feed, String lines) throws IOException {
    try (Socket socket = server.connectTo(feed)) {
      socket.setSoTimeout(10_000);
      socket.getOutputStream().write(lines.getBytes(UTF_8));
      return new String(socket.getInputStream().readAllBytes(), UTF_8);
    }
  }

  @Test
  void deletesWithin() {
    String lines = "gone{team=\"red\"} 1 %1$d\ngone{team=\"blue\"} 2 %1$d\n".formatted(time);
    assertThat(status(ask("all", "POST", OTHER + "/prometheus/api/v1/import/prometheus", lines)))
        .isEqualTo(204);
    String deleting = OTHER + "/prometheus/api/v1/admin/tsdb/delete_series?match[]=gone";
    assertThat(status(ask("red", "POST", deleting, ""))).isEqualTo(204);
    assertThat(
            text(
                ask(
                    "all",
                    "GET",
                    OTHER + "/prometheus/api/v1/query?query=gone&time=" + time / 1000,
                    "")))
        .contains("blue")
        .doesNotContain("red");
    assertThat(status(ask("red", "DELETE", OTHER + "/kairosdb/api/v1/metric/gone", "")))
        .isLessThan(300);
    assertThat(
            text(
                ask(
                    "all",
                    "GET",
                    OTHER + "/prometheus/api/v1/query?query=gone&time=" + time / 1000,
                    "")))
        .contains("blue");
  }

  /** A point's cells hold the identifiers that its names have in whatever series. */
  @Test
  void cellsOfAPointTellNoIdentifiersOfOtherSeries() {
    String dataset = "/datasets/opentsdb";
    String lines = "cells{team=\"blue\",host=\"secret99\"} 1 %d\n".formatted(time);
    assertThat(status(ask("all", "POST", dataset + "/prometheus/api/v1/import/prometheus", lines)))
        .isEqualTo(204);
    String path = dataset + "/varve/v1/explain/points";
    List<String> answers = new ArrayList<>();
    for (String host : List.of("secret99", "never_seen")) {
      String asked =
          "{\"metric\":\"cells\",\"tags\":{\"host\":\"%s\",\"team\":\"red\"},\"time\":%d,\"value\":1}"
              .formatted(host, time);
      assertThat(status(ask("all", "POST", path, asked))).isEqualTo(200);
      HttpResponse<byte[]> answer = ask("red", "POST", path, asked);
      answers.add(status(answer) + text(answer));
    }
    assertThat(answers.getFirst())
        .isEqualTo(answers.getLast())
        .startsWith("403{\"error\":\"")
        .contains("user 'red' may use those of {team=");
  }

  @Test
  void whatNoSelectorCanLimitIsRefusedByName() {
    for (String path : List.of("/snapshot/list", "/metrics", "/prometheus/api/v1/rules")) {
      HttpResponse<byte[]> answer = ask("red", "GET", path, "");
      assertThat(status(answer)).isEqualTo(403);
      assertThat(text(answer)).contains("user 'red' may use those of {team=");
      assertThat(status(ask("all", "GET", path, ""))).isEqualTo(200);
    }
  }
}
