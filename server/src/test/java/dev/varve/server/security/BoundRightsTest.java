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
import dev.varve.server.opentsdb.query.Tsuid;
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
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests which series a user with matchers can read and change, by every route. */
class BoundRightsTest {
  /** Routes whose answers tell nothing about series, or only of the queries that run. */
  private static final Set<String> TELL_NOTHING =
      Set.of(
          "POST heroic /parser/parse-filter",
          "GET kairosdb /api/v1/admin/runningqueries",
          "GET opentsdb /api/annotation/bulk",
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
        - {username: reader, password: pw-reader, rights: [read]}
        - {username: eraser, password: pw-eraser, rights: [read, delete]}
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
    for (String dataset : List.of("", OTHER)) {
      String path = dataset + "/prometheus/api/v1/import/prometheus";
      assertThat(status(ask("all", "POST", path, lines))).isEqualTo(204);
    }
    startAlerts();
    note("", Probe.TSUID, "of a hidden series");
    String meta = "/opentsdb/api/uid/tsmeta?create=true&m=";
    String series = "shared%7Bteam=blue,host=hidden_host,hidden_tag=x%7D";
    assertThat(status(ask("all", "POST", meta + series, "{\"units\":\"ms\"}"))).isEqualTo(200);
    probes = Probe.all(time);
  }

  private static void startAlerts() throws IOException {
    Path rules = directory.resolve("rules.yml");
    Files.writeString(
        rules,
        """
        groups:
        - name: all
          rules:
          - alert: Low
            expr: shared > 0
            annotations:
              summary: '{{ query "hidden_metric" | first | value }} of a hidden_metric'
        """);
    server.withRules("buckets", rules);
    String alerts = "";
    for (int i = 0; i < 200 && !alerts.contains("hidden_host"); i++) {
      LockSupport.parkNanos(50_000_000);
      alerts = text(ask("all", "GET", OTHER + "/prometheus/api/v1/alerts", ""));
    }
    assertThat(alerts).contains("hidden_host");
  }

  private static void note(String dataset, String tsuid, String description) {
    String note =
        "{\"tsuid\":\"%s\",\"startTime\":%d,\"description\":\"%s\"}"
            .formatted(tsuid, time / 1000, description);
    assertThat(status(ask("all", "POST", dataset + "/opentsdb/api/annotation", note)))
        .isEqualTo(200);
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

  /** Names of snapshots, paths and tables are for those who may delete or administer all series. */
  @ParameterizedTest
  @CsvSource({"all,true", "eraser,true", "red,false", "reader,false"})
  void onlyUsersWhoMayDeleteAllSeriesSeeRemnants(String user, boolean shown) {
    HttpResponse<byte[]> answer = ask(user, "GET", OTHER + "/varve/v1/deletes", "");
    assertThat(status(answer)).isEqualTo(200);
    assertThat(text(answer).contains("\"remnants\":[")).as(text(answer)).isEqualTo(shown);
    assertThat(text(answer)).contains("\"deletes\":[").doesNotContain("problem");
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

  /** An alert is shown as far as its series in queries says what it is. */
  @Test
  void alertsAreThoseWhoseSeriesMatch() {
    String path = OTHER + "/prometheus/api/v1/alerts";
    assertThat(text(ask("all", "GET", path, ""))).contains("of a hidden_metric", "\"value\":\"1e");
    assertThat(text(ask("red", "GET", path, "")))
        .contains("\"alertname\":\"Low\",\"host\":\"plain\",\"team\":\"red\"")
        .contains("\"annotations\":{},\"state\":\"firing\"", "\"value\":\"\"")
        .doesNotContain("blue");
  }

  @Test
  void aHeatMapShowsRowsOfTheirSeriesAlone() {
    String path = OTHER + "/varve/v1/heatmap?what=";
    String whole = text(ask("all", "GET", path + "writes", ""));
    List<String> rows =
        Pattern.compile("\"from\":\"([0-9a-f]+)\"")
            .matcher(whole)
            .results()
            .map(row -> row.group(1))
            .toList();
    assertThat(whole).contains("hidden_host").doesNotContain("\"within\"");
    String own = text(ask("red", "GET", path + "writes", ""));
    assertThat(own)
        .contains("\"within\":\"{team=\\\"red\\\"}\"", "\"team\":\"red\"")
        .contains("\"findings\":[]");
    // A key has numbers of series and names, or tells what is between the rows of a user.
    assertThat(rows).isNotEmpty().noneMatch(own::contains);
    for (String row : rows) {
      for (String part : List.of("&from-row=" + row, "&to-row=" + row)) {
        HttpResponse<byte[]> answer = ask("red", "GET", path + "latency" + part, "");
        assertThat(text(answer)).contains("the map has no row").doesNotContain("hidden", "blue");
        assertThat(status(answer)).isBetween(400, 499);
      }
    }
    // Keys of index tables tell of all series.
    assertThat(
            text(
                ask("red", "GET", "/datasets/opentsdb/varve/v1/heatmap?table=" + indexTable(), "")))
        .contains("\"rows\":[]");
  }

  private static String indexTable() {
    String tables = text(ask("all", "GET", "/datasets/opentsdb/varve/v1/heatmap", ""));
    Matcher index =
        Pattern.compile("\"name\":\"([^\"]+)\",\"layout\":\"[^\"]+\",\"data\":false")
            .matcher(tables);
    assertThat(index.find()).isTrue();
    return index.group(1);
  }

  private static String query(String user, String dataset) {
    String range = "start=%d&end=%d".formatted(time - 1000, time + 1000);
    String path = "/opentsdb/api/query?show_tsuids=true&global_annotations=true&";
    return text(ask(user, "GET", dataset + path + range + "&m=none:noted%7Bteam=*%7D", ""));
  }

  private static String tsuid(String user, String dataset, String team) {
    Matcher found =
        Pattern.compile("\"team\":\"" + team + "\"}.*?\"tsuids\":\\[\"([0-9A-F]+)\"")
            .matcher(query(user, dataset));
    assertThat(found.find()).isTrue();
    return found.group(1);
  }

  /** With UIDs that are made up, and with those of a table. */
  @ParameterizedTest
  @ValueSource(strings = {OTHER, "/datasets/opentsdb"})
  void annotationsAreThoseOfTheirSeries(String dataset) {
    String lines = "noted{team=\"red\"} 1 %1$d\nnoted{team=\"blue\"} 2 %1$d\n".formatted(time);
    assertThat(status(ask("all", "POST", dataset + "/prometheus/api/v1/import/prometheus", lines)))
        .isEqualTo(204);
    note(dataset, tsuid("all", dataset, "red"), "note of red");
    note(dataset, tsuid("all", dataset, "blue"), "note of blue");
    note(dataset, "", "note of everyone");
    assertThat(query("all", dataset)).contains("note of red", "note of blue", "note of everyone");
    assertThat(query("red", dataset))
        .contains("note of red")
        .doesNotContain("note of blue", "note of everyone");

    String path = dataset + "/opentsdb/api/annotation";
    String own = tsuid("red", dataset, "red");
    String at = "?start_time=" + time / 1000 + "&tsuid=";
    assertThat(text(ask("red", "GET", path + at + own, "")))
        .contains("note of red", "\"tsuid\":\"" + own + "\"");
    List<String> others =
        List.of(
            Tsuid.of("noted", Map.of("team", "blue")),
            Tsuid.of("noted", Map.of("team", "none")),
            "FFFFFF000001000001",
            "000001000001000001");
    for (String other : others) {
      for (String method : List.of("GET", "POST", "PUT", "DELETE")) {
        HttpResponse<byte[]> answer = ask("red", method, path + at + other + "&notes=mine", "");
        assertThat(status(answer)).isEqualTo(404);
        assertThat(text(answer)).contains("No series that you may use has the TSUID " + other);
      }
    }
    String mine = "[{\"tsuid\":\"%s\",\"startTime\":%d,\"notes\":\"mine\"}]";
    assertThat(text(ask("red", "POST", path + "/bulk", mine.formatted(own, time / 1000))))
        .contains("note of red", "mine");
    String global = mine.formatted("", time / 1000);
    assertThat(status(ask("red", "POST", path + "/bulk", global))).isEqualTo(403);
    assertThat(status(ask("red", "GET", path + "s" + at, ""))).isEqualTo(403);
    String deleting = "/bulk?start_time=%d&end_time=%d".formatted(time / 1000 - 9, time / 1000 + 9);
    assertThat(status(ask("red", "DELETE", path + deleting + "&global=true", ""))).isEqualTo(403);
    assertThat(status(ask("red", "DELETE", path + deleting + "&tsuids=" + others.getFirst(), "")))
        .isEqualTo(404);
    assertThat(query("all", dataset)).contains("note of blue", "note of everyone", "mine");
    assertThat(text(ask("red", "DELETE", path + deleting + "&tsuids=" + own, "")))
        .contains("\"totalDeleted\":1");
    assertThat(query("all", dataset))
        .contains("note of blue", "note of everyone")
        .doesNotContain("mine");
  }

  @ParameterizedTest
  @ValueSource(strings = {OTHER, "/datasets/opentsdb"})
  void notesAreThoseOfTheirSeriesAndNames(String dataset) {
    String lines = "meta{team=\"red\"} 1 %1$d\nmeta{team=\"blue\"} 2 %1$d\n".formatted(time);
    assertThat(status(ask("all", "POST", dataset + "/prometheus/api/v1/import/prometheus", lines)))
        .isEqualTo(204);
    String path = dataset + "/opentsdb/api/uid/";
    for (String team : List.of("red", "blue")) {
      String of = "tsmeta?create=true&m=meta%7Bteam=" + team + "%7D";
      assertThat(status(ask("all", "POST", path + of, "{\"units\":\"" + team + "s\"}")))
          .isEqualTo(200);
    }
    assertThat(text(ask("red", "GET", path + "tsmeta?m=meta", "")))
        .contains("\"units\":\"reds\"")
        .doesNotContain("blue");
    String own = Tsuid.of("meta", Map.of("team", "red"));
    assertThat(text(ask("red", "POST", path + "tsmeta?tsuid=" + own + "&units=s", "")))
        .contains("\"units\":\"s\"", "\"tsuid\":\"" + own + "\"");
    assertThat(text(ask("all", "GET", path + "tsmeta?m=meta", "")))
        .contains("\"units\":\"s\"", "\"units\":\"blues\"");
    String other = Tsuid.of("meta", Map.of("team", "blue"));
    for (String method : List.of("GET", "POST", "PUT", "DELETE")) {
      assertThat(status(ask("red", method, path + "tsmeta?units=x&tsuid=" + other, "")))
          .isEqualTo(404);
    }
    String name = "uidmeta?type=metric&uid=" + Tsuid.uid(Tsuid.Kind.METRIC, "meta");
    assertThat(text(ask("red", "GET", path + name, ""))).contains("\"name\":\"meta\"");
    // The notes of a name are those of all series that have it.
    assertThat(status(ask("red", "POST", path + name + "&notes=x", ""))).isEqualTo(403);
    assertThat(status(ask("red", "DELETE", path + name, ""))).isEqualTo(403);
    assertThat(status(ask("red", "DELETE", path + "tsmeta?tsuid=" + own, ""))).isEqualTo(204);
    assertThat(text(ask("all", "GET", path + "tsmeta?m=meta", "")))
        .contains("blues")
        .doesNotContain("\"units\":\"s\"");
  }

  @Test
  void routesThatNoSelectorCanLimitAreRefusedByName() {
    for (String path : List.of("/snapshot/list", "/metrics", "/prometheus/api/v1/rules")) {
      HttpResponse<byte[]> answer = ask("red", "GET", path, "");
      assertThat(status(answer)).isEqualTo(403);
      assertThat(text(answer)).contains("user 'red' may use those of {team=");
      assertThat(status(ask("all", "GET", path, ""))).isEqualTo(200);
    }
  }
}
