package dev.varve.server.kairosdb;

import static java.net.http.HttpRequest.BodyPublishers.noBody;
import static java.net.http.HttpRequest.BodyPublishers.ofString;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.varve.server.TestServer;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Roll-up tasks: their answers, their runs, and that they survive a restart. */
class RollupTest {
  private static final String SUM =
      "{\"name\":\"sum\",\"sampling\":{\"value\":1,\"unit\":\"minutes\"}}";

  @TempDir static @Nullable Path directory;

  private static @Nullable TestServer server;

  private static TestServer server() {
    return Objects.requireNonNull(server);
  }

  @BeforeAll
  static void start() throws IOException {
    server = new TestServer(Objects.requireNonNull(directory), null, "buckets");
  }

  @AfterAll
  static void stop() {
    server().close();
  }

  private static HttpResponse<String> send(String method, String path, @Nullable String body) {
    HttpRequest.BodyPublisher sent = body == null ? noBody() : ofString(body);
    return server().send(server().request("/api/v1" + path).method(method, sent));
  }

  private static String task(String name, String interval, String rollups) {
    return "{\"name\":\"%s\",\"execution_interval\":%s,\"rollups\":[%s]}"
        .formatted(name, interval, rollups);
  }

  private static String rollup(String metric, String aggregators) {
    return "{\"save_as\":\"%s.sum\",\"query\":{\"start_relative\":{\"value\":1,\"unit\":\"hours\"},\"metrics\":[{\"name\":\"%s\",\"aggregators\":[%s],\"group_by\":[{\"name\":\"tag\",\"tags\":[\"host\"]}]}]}}"
        .formatted(metric, metric, aggregators);
  }

  private static String every(long value, String unit) {
    return "{\"value\":%d,\"unit\":\"%s\"}".formatted(value, unit);
  }

  private static String created(String task) {
    HttpResponse<String> answer = send("POST", "/rollups", task);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    Matcher id = Pattern.compile("\\{\"id\":\"([0-9a-f-]{36})\"").matcher(answer.body());
    assertThat(id.find()).isTrue();
    return id.group(1);
  }

  private static void write(String metric, long from, int count) {
    StringBuilder points = new StringBuilder();
    for (int i = 0; i < count; i++) {
      points.append(i == 0 ? "" : ",").append("[%d,%d]".formatted(from + i * 10_000L, i));
    }
    String body =
        "[{\"name\":\"%s\",\"tags\":{\"host\":\"a\",\"dc\":\"x\"},\"datapoints\":[%s]}]"
            .formatted(metric, points);
    assertThat(send("POST", "/datapoints", body).statusCode()).isEqualTo(204);
  }

  private static String values(String metric, long start, String more) {
    String body =
        send(
                "POST",
                "/datapoints/query",
                "{\"start_absolute\":%d,\"metrics\":[{\"name\":\"%s\"%s}]}"
                    .formatted(start, metric, more))
            .body();
    return body.substring(body.indexOf("\"values\""));
  }

  @Test
  void areKept() {
    String task = task("kept", every(1, "hours"), rollup("k", SUM));
    String id = created(task);
    String json = "{\"id\":\"" + id + "\"," + task.substring(1);
    assertThat(send("GET", "/rollups/" + id, null).body()).isEqualTo(json);
    assertThat(send("GET", "/rollups", null).body()).contains(json);
    assertThat(send("GET", "/rollups/status/" + id, null).body())
        .startsWith("{\"statuses\":[],\"executing_host\":\"\",\"next_scheduled\":\"");
    String other = task("other", every(1, "days"), rollup("k", SUM));
    assertThat(send("PUT", "/rollups/" + id, other).body())
        .isEqualTo(
            "{\"id\":\"%s\",\"name\":\"other\",\"attributes\":{\"url\":\"/api/v1/rollups/%s\"}}"
                .formatted(id, id));
    assertThat(send("GET", "/rollups/" + id, null).body())
        .isEqualTo("{\"id\":\"" + id + "\"," + other.substring(1));
    HttpResponse<String> deleted = send("DELETE", "/rollups/" + id, null);
    assertThat(deleted.statusCode()).isEqualTo(204);
    for (String path : new String[] {"/rollups/" + id, "/rollups/status/" + id}) {
      HttpResponse<String> gone = send("GET", path, null);
      assertThat(gone.statusCode()).isEqualTo(404);
      assertThat(gone.body()).contains(" not found for id " + id);
      assertThat(gone.headers().firstValue("Content-Type"))
          .hasValue("application/json;charset=utf-8");
    }
    assertThat(send("DELETE", "/rollups/" + id, null).statusCode()).isEqualTo(404);
    assertThat(send("PUT", "/rollups/" + id, other).statusCode()).isEqualTo(404);
  }

  private static void assertRefused(String task, int status, String errors) {
    HttpResponse<String> answer = send("POST", "/rollups", task);
    assertThat(answer.body()).isEqualTo("{\"errors\":[" + errors + "]}");
    assertThat(answer.statusCode()).isEqualTo(status);
  }

  private static String ofQuery(String query) {
    return task("t", every(1, "hours"), "{\"save_as\":\"s\",\"query\":" + query + "}");
  }

  @Test
  void areRefusedInTheWordsOfKairosDb() {
    assertRefused("{}", 400, "\"name may not be null\",\"executionInterval may not be null\"");
    assertRefused(
        "{\"name\":\"\",\"execution_interval\":{\"value\":1,\"unit\":\"hours\"}}",
        400,
        "\"name may not be empty\"");
    assertRefused("[]", 500, "\"Not a JSON Object: []\"");
    assertRefused(
        task("t", every(1, "hours"), "{\"query\":{}}"),
        400,
        "\"rollup[0].saveAs may not be null\"");
    assertRefused(
        task("t", every(1, "hours"), "{\"save_as\":\"\"}"),
        400,
        "\"rollup[0].saveAs may not be empty\"");
    assertRefused(
        task("t", every(1, "hours"), "{\"save_as\":\"s\"}"), 500, "\"cannot validate null\"");
    assertRefused(ofQuery("{}"), 400, "\"rollup[0]query.metric[] must have a size of at least 1\"");
    assertRefused(
        ofQuery("{\"metrics\":[{\"name\":\"m\"}]}"),
        400,
        "\"rollup[0].query.metric[0].start_time relative or absolute time must be set\"");
    assertRefused(
        ofQuery("{\"start_absolute\":1,\"metrics\":[{\"name\":\"m\"}]}"),
        400,
        "\"rollup[0].query[0].aggregator At least one aggregator must be a range aggregator\"");
    assertRefused(
        ofQuery(
            "{\"start_absolute\":1,\"metrics\":[{\"name\":\"m\",\"aggregators\":[{\"name\":\"bogus\"}]}]}"),
        400,
        "\"rollup[0].query.metric[0].aggregators[0].bogus invalid aggregators name\"");
    assertRefused(
        task("t", every(1, "hours"), rollup("m", SUM) + ",{\"save_as\":\"\"}"),
        400,
        "\"rollup[0].query[0]rollup[1].saveAs may not be empty\"");
  }

  @Test
  void areRefusedIfTheyCouldNotRun() {
    assertRefused(
        task("t", every(0, "hours"), ""),
        400,
        "\"executionInterval.value must be greater than or equal to 1\"");
    assertRefused(
        task("t", every(-1, "weeks"), ""),
        400,
        "\"executionInterval.value must be greater than or equal to 1\"");
    assertRefused(
        task("t", "{\"value\":1}", ""), 400, "\"executionInterval.unit may not be null\"");
    assertRefused(
        ofQuery(
            "{\"start_absolute\":1,\"metrics\":[{\"name\":\"m\",\"aggregators\":[{\"name\":\"sum\",\"sampling\":{\"value\":0,\"unit\":\"hours\"}}]}]}"),
        400,
        "\"rollup[0].query[0].aggregator The sampling must be greater than or equal to 1\"");
    assertThat(send("GET", "/rollups", null).body()).doesNotContain("\"name\":\"t\"");
  }

  @Test
  void runWhenTheyAreDueAndAfterARestart() throws IOException {
    long now = System.currentTimeMillis();
    write("run", now - 300_000, 30);
    String id = created(task("runs", every(2, "seconds"), rollup("run", SUM)));
    server().restart();
    String expected =
        values("run", now - 60_000, ",\"aggregators\":[" + SUM + "],\"exclude_tags\":true");
    await()
        .atMost(Duration.ofSeconds(20))
        .untilAsserted(() ->
            assertThat(send("GET", "/rollups/status/" + id, null).body())
                .containsPattern(
                    "\\{\"statuses\":\\[\\{\"metric_name\":\"run\",\"last_executed\":\"\\d\\d \\w{3} \\d{4} \\d\\d:\\d\\d:\\d\\d [AP]M\",\"data_point_count\":[12],\"execution_length\":\\d+,\"last_execution_time\":\\d{13}\\}\\],\"executing_host\":\"test\""));
    String rolled = values("run.sum", now - 120_000, "");
    assertThat(expected).startsWith("\"values\":[[");
    // Both end with the same whole window.
    assertThat(rolled.substring(rolled.lastIndexOf("],[") + 2))
        .isEqualTo(expected.substring(expected.lastIndexOf("],[") + 2));
    assertThat(
            values(
                "run.sum",
                1,
                ",\"group_by\":[{\"name\":\"tag\",\"tags\":[\"host\",\"dc\",\"saved_from\"]}]"))
        .isEqualTo(values("run.sum", 1, ""));
    assertThat(server().get("/metrics").body()).containsPattern("varve_rollup_points_total [1-9]");
    assertThat(send("DELETE", "/rollups/" + id, null).statusCode()).isEqualTo(204);
  }

  @Test
  void tellWhatFailed() {
    long now = System.currentTimeMillis();
    write("fails", now - 10_000, 2);
    String aggregators = SUM + ",{\"name\":\"save_as\",\"metric_name\":\"\"}";
    String id = created(task("fails", every(1, "seconds"), rollup("fails", aggregators)));
    await()
        .atMost(Duration.ofSeconds(20))
        .untilAsserted(() ->
            assertThat(send("GET", "/rollups/status/" + id, null).body())
                .contains("\"error_message\":\"save_as has no metric_name\""));
    assertThat(send("DELETE", "/rollups/" + id, null).statusCode()).isEqualTo(204);
  }

  @Test
  void areRepeatedForThePast() {
    long start = 1_700_000_040_000L;
    write("past", start, 30);
    String id = created(task("past", every(1, "years"), rollup("past", SUM)));
    HttpResponse<String> answer =
        send(
            "GET",
            "/rollups/backfill/%s?startTime=2023-11-14-22-00-00-000&endTime=2023-11-15-00-00-00-000"
                .formatted(id),
            null);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(204);
    assertThat(values("past.sum", 1, ""))
        .isEqualTo(values("past", start, ",\"aggregators\":[" + SUM + "]"))
        .contains("[[1700000040000,15],[1700000100000,51]");
    String path = "/rollups/backfill/";
    assertThat(send("GET", path + id, null).body())
        .isEqualTo("{\"errors\":[\"startTime must be specified\"]}");
    assertThat(send("GET", path + id + "?startTime=garbage", null).statusCode()).isEqualTo(500);
    assertThat(send("GET", path + "none?startTime=2023-11-14-22-00-00-000", null).statusCode())
        .isEqualTo(404);
  }
}
