package dev.varve.server.prometheus;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.server.ServerConfig.Listener;
import dev.varve.server.TestServer;
import java.io.IOException;
import java.net.URLEncoder;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DeletesTest {
  private static final String ADMIN = "/api/v1/admin/tsdb/";
  private TestServer server;

  @BeforeEach
  void start(@TempDir Path directory) throws IOException {
    server = new TestServer(directory, null, "buckets");
    StringBuilder text = new StringBuilder();
    for (String host : List.of("a", "b")) {
      for (int i = 0; i < 10; i++) {
        text.append("up{host=\"%s\"} %d %d%n".formatted(host, i, 1_700_000_000_000L + 1000L * i));
      }
    }
    assertThat(server.post("/api/v1/import/prometheus", text.toString()).statusCode())
        .isEqualTo(204);
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private HttpResponse<String> delete(String form) {
    return server.send(
        server
            .request(ADMIN + "delete_series")
            .header("Content-Type", "application/x-www-form-urlencoded")
            .POST(BodyPublishers.ofString(form)));
  }

  private static String matching(String selector) {
    return "match%5B%5D=" + URLEncoder.encode(selector, StandardCharsets.UTF_8);
  }

  private String values(String host) {
    String query = URLEncoder.encode("up{host=\"" + host + "\"}[20s]", StandardCharsets.UTF_8);
    String body = server.get("/api/v1/query?time=1700000010&query=" + query).body();
    return body.replaceAll("(?s).*\"values\":|}].*|.*\"result\":\\[].*", "");
  }

  @Test
  void deletesInclusiveRangesAndKeepsTheRest() {
    HttpResponse<String> answer =
        delete(matching("up{host=\"a\"}") + "&start=1700000002&end=1700000008.999");
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(204);
    assertThat(values("a")).isEqualTo("[[1700000000,\"0\"],[1700000001,\"1\"],[1700000009,\"9\"]]");
    assertThat(values("b")).contains("[1700000005,\"5\"]");

    server.post("/api/v1/import/prometheus", "up{host=\"a\"} 42 1700000003000\n");
    assertThat(server.post(ADMIN + "clean_tombstones", "").statusCode()).isEqualTo(204);
    assertThat(values("a"))
        .isEqualTo(
            "[[1700000000,\"0\"],[1700000001,\"1\"],[1700000003,\"42\"],[1700000009,\"9\"]]");
  }

  @Test
  void takesParametersFromUrlAndSeveralSelectorsByPut() {
    String path = ADMIN + "delete_series?" + matching("up{host=\"a\"}") + "&";
    HttpResponse<String> answer =
        server.send(server.request(path + matching("{host=\"b\"}")).PUT(BodyPublishers.noBody()));
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(204);
    assertThat(values("a") + values("b")).isEmpty();
  }

  @Test
  void saysWhatIsWrong() {
    assertThat(delete("").body()).contains("no match[] parameter provided");
    assertThat(delete(matching("up{")).statusCode()).isEqualTo(400);
    assertThat(delete(matching("up") + "&start=9&end=1").body())
        .contains("end timestamp must not be before start timestamp");
    assertThat(delete(matching("up") + "&start=soon").statusCode()).isEqualTo(400);
    assertThat(values("a")).contains("[1700000005,\"5\"]");
  }

  @Test
  void refusesBeyondLoopbackUnlessAllowed() throws IOException {
    server.with(List.of(new Listener("0.0.0.0", 0, List.of("prometheus", "kairosdb"), null)));
    HttpResponse<String> refused = delete(matching("up"));
    assertThat(refused.statusCode()).isEqualTo(403);
    assertThat(refused.body()).contains("deletes: allow");
    assertThat(server.post(ADMIN + "clean_tombstones", "").statusCode()).isEqualTo(403);
    assertThat(server.post("/varve/v1/delete", "selector=up").statusCode()).isEqualTo(403);
    String points = "{\"start_absolute\":1,\"metrics\":[{\"name\":\"up\"}]}";
    assertThat(server.post("/api/v1/datapoints/delete", points).statusCode()).isEqualTo(403);
    assertThat(server.send(server.request("/api/v1/metric/up").DELETE()).statusCode())
        .isEqualTo(403);
    assertThat(values("a")).contains("[1700000005,\"5\"]");

    server.withDeletes();
    assertThat(delete(matching("up")).statusCode()).isEqualTo(204);
    assertThat(values("a")).isEmpty();
  }

  @Test
  void countsAndFollowsInOwnApi() {
    HttpResponse<String> dry =
        form("/varve/v1/delete", "selector=up&to=1700000004000&dry-run=true");
    assertThat(dry.body().strip()).isEqualTo("{\"series\":2,\"samples\":8}");
    assertThat(values("b")).contains("[1700000003,\"3\"]");

    HttpResponse<String> done = form("/varve/v1/delete", "selector=up&to=1700000004000");
    assertThat(done.body().lines().toList().getLast())
        .contains("\"state\":\"done\"", "\"samples\":8,\"cells\":8,\"rewritten\":0,\"damaged\":0");
    assertThat(values("b")).startsWith("[[1700000004,\"4\"]");
    assertThat(server.get("/varve/v1/deletes").body())
        .matches(
            "\\{\"deletes\":\\[],\"remnants\":\\[\\{\"kind\":\"home\",\"name\":\"[a-z]+\",\"earliest\":\"20[^}]+}]}");
    assertThat(form("/varve/v1/deletes/7/cancel", "").statusCode()).isEqualTo(404);
    assertThat(form("/varve/v1/delete", "selector=up&from=5&to=5").body()).contains("no time lies");
    assertThat(form("/varve/v1/delete", "selector=up&dry-run=yes").statusCode()).isEqualTo(400);
  }

  private HttpResponse<String> form(String path, String form) {
    return server.send(
        server
            .request(path)
            .header("Content-Type", "application/x-www-form-urlencoded")
            .POST(BodyPublishers.ofString(form)));
  }
}
