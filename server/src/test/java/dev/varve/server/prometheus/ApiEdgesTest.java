package dev.varve.server.prometheus;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.formats.protobuf.WireWriter;
import dev.varve.server.TestServer;
import java.io.IOException;
import java.net.URLEncoder;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;
import org.xerial.snappy.Snappy;

/** Edge cases of parameters, and errors as in web/api/v1/api.go of Prometheus 3.5. */
@TestInstance(Lifecycle.PER_CLASS)
class ApiEdgesTest {
  private static final long START = 1_700_000_000_000L;

  private TestServer server;

  @BeforeAll
  void start(@TempDir Path directory) throws IOException {
    server = new TestServer(directory, null, "buckets");
    WireWriter message = new WireWriter();
    for (int i = 0; i < 50; i++) {
      // Some are a year older, so that ranges distinguish them.
      long time = START - (i < 5 ? 365L * 86_400_000 : 0);
      message.message(
          1,
          new WireWriter()
              .message(1, new WireWriter().text(1, "__name__").text(2, i < 5 ? "old" : "up"))
              .message(1, new WireWriter().text(1, i < 5 ? "was" : "host").text(2, "h" + i))
              .message(2, new WireWriter().real(1, i).varint(2, time)));
    }
    HttpResponse<String> answer =
        server.send(
            server
                .request("/api/v1/write")
                .header("Content-Encoding", "snappy")
                .POST(BodyPublishers.ofByteArray(Snappy.compress(message.toBytes()))));
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(204);
  }

  @AfterAll
  void stop() {
    server.close();
  }

  private HttpResponse<String> get(String path, String... parameters) {
    StringBuilder uri = new StringBuilder(path);
    for (int i = 0; i < parameters.length; i += 2) {
      uri.append(i == 0 ? '?' : '&').append(encoded(parameters[i])).append('=');
      uri.append(encoded(parameters[i + 1]));
    }
    return server.get(uri.toString());
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  private void assertBadData(HttpResponse<String> answer, String error) {
    assertThat(answer.body())
        .isEqualTo(
            "{\"status\":\"error\",\"errorType\":\"bad_data\",\"error\":\"%s\"}"
                .formatted(error.replace("\"", "\\\"")));
    assertThat(answer.statusCode()).isEqualTo(400);
  }

  @Test
  void readsTimesLikePrometheus() {
    for (String time :
        new String[] {
          "1700000000",
          "1700000000.000",
          "1.7e9",
          "2023-11-14T22:13:20Z",
          "2023-11-14T23:13:20+01:00"
        }) {
      assertThat(get("/api/v1/query", "query", "up{host='h7'}", "time", time).body())
          .contains("\"value\":[1700000000,\"7\"]");
    }
    assertBadData(
        get("/api/v1/query", "query", "up", "time", "yesterday"),
        "invalid parameter \"time\": invalid time value for 'time': cannot parse \"yesterday\" to a valid timestamp");
    assertBadData(
        get("/api/v1/labels", "start", "NaN"),
        "invalid parameter \"start\": invalid time value for 'start': cannot parse \"NaN\" to a valid timestamp");
    assertBadData(
        get("/api/v1/query_range", "query", "up", "start", "", "end", "1", "step", "1"),
        "invalid parameter \"start\": cannot parse \"\" to a valid timestamp");
  }

  @Test
  void takesTheTimesThatMeanAlways() {
    // What promtool sends without a range, and what Prometheus itself prints.
    for (String[] range :
        new String[][] {
          {"-9223309901257974", "9223309901257974"},
          {"-292273086-05-16T16:47:06Z", "+292277025-08-18T07:12:54.999999999Z"}
        }) {
      HttpResponse<String> answer =
          get("/api/v1/label/host/values", "start", range[0], "end", range[1], "limit", "3");
      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
      assertThat(answer.body()).contains("\"data\":[\"h");
    }
    assertBadData(
        get(
            "/api/v1/query_range",
            "query",
            "up",
            "start",
            "-9223309901257974",
            "end",
            "9223309901257974",
            "step",
            "1"),
        "exceeded maximum resolution of 11,000 points per timeseries. Try decreasing the query resolution (?step=XX); the query has 18,014,398,509,482 steps");
  }

  @Test
  void allows11000StepsBehindTheFirst() {
    String[] parameters = {"query", "vector(1)", "start", "0", "end", "11000", "step", "1"};
    HttpResponse<String> answer = get("/api/v1/query_range", parameters);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    assertThat(answer.body()).contains("[11000,\"1\"]");
    parameters[5] = "11001";
    assertThat(get("/api/v1/query_range", parameters).statusCode()).isEqualTo(400);
  }

  @Test
  void listsWhatARangeHolds() {
    String now = "1700000000";
    assertThat(get("/api/v1/labels", "start", now, "end", now).body())
        .endsWith("\"data\":[\"__name__\",\"host\"]}");
    assertThat(get("/api/v1/label/__name__/values", "end", "1690000000").body())
        .endsWith("\"data\":[\"old\"]}");
    assertThat(get("/api/v1/label/__name__/values", "start", "2", "end", "1").body())
        .endsWith("\"data\":[]}");
    assertThat(
            get("/api/v1/series", "match[]", "{__name__!=\"\"}", "end", "1690000000", "limit", "9")
                .body())
        .contains("\"was\":\"h0\"")
        .doesNotContain("host")
        .doesNotContain("warnings");
  }

  @Test
  void listsEachSeriesOnceAndNoMoreThanAreWanted() {
    String all =
        get("/api/v1/series", "match[]", "up", "match[]", "up{host=\"h7\"}", "match[]", "old")
            .body();
    assertThat(all.split("__name__", -1)).hasSize(51);
    String some =
        get("/api/v1/series", "match[]", "up{host=\"h7\"}", "match[]", "up", "limit", "7").body();
    assertThat(some.split("__name__", -1)).hasSize(8);
    assertThat(some).endsWith("\"warnings\":[\"results truncated due to limit\"]}");
    assertThat(some.split("\"h7\"", -1)).hasSize(2);
  }

  @Test
  void refusesLimitsAndMatchersThatAreNone() {
    assertThat(get("/api/v1/labels", "limit", "-1").body())
        .contains("invalid parameter \\\"limit\\\"");
    assertThat(get("/api/v1/query", "query", "up", "limit", "x").body())
        .contains("invalid parameter \\\"limit\\\"");
    assertThat(get("/api/v1/labels", "match[]", "up offset 5m").body())
        .contains("invalid parameter \\\"match[]\\\"");
    assertThat(get("/api/v1/series", "match[]", "{a=~\"(\"}").statusCode()).isEqualTo(400);
  }

  @Test
  void parsesWhatExemplarsAreAskedFor() {
    assertThat(get("/api/v1/query_exemplars", "query", "rate(up[5m])", "start", "1").body())
        .isEqualTo("{\"status\":\"success\",\"data\":[]}");
    assertBadData(
        get("/api/v1/query_exemplars", "query", "up{"),
        "1:4: parse error: unexpected end of input inside braces");
    assertBadData(
        get("/api/v1/query_exemplars"),
        "unknown position: parse error: no expression found in input");
    assertThat(get("/api/v1/query_exemplars", "query", "up", "start", "soon").body())
        .contains("invalid parameter \\\"start\\\"");
    assertBadData(
        get("/api/v1/query_exemplars", "query", "up", "start", "2", "end", "1"),
        "end timestamp must not be before start timestamp");
  }

  @Test
  void endsAQueryAfterItsTimeout() {
    String[] parameters = {
      "query",
      "quantile_over_time(0.5, vector(1)[100000s:1s])",
      "start",
      "0",
      "end",
      "10000",
      "step",
      "1",
      "timeout",
      "200ms"
    };
    long begun = System.nanoTime();
    assertTimeout(get("/api/v1/query_range", parameters));
    assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(10));
    assertTimeout(get("/api/v1/query", "query", "1", "timeout", "0"));
    assertBadData(
        get("/api/v1/query", "query", "up", "timeout", "soon"),
        "invalid parameter \"timeout\": cannot parse \"soon\" to a valid duration");
    assertThat(get("/api/v1/query", "query", "1", "timeout", "1m", "stats", "all").statusCode())
        .isEqualTo(200);
  }

  private static void assertTimeout(HttpResponse<String> answer) {
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(503);
    assertThat(answer.body())
        .startsWith(
            "{\"status\":\"error\",\"errorType\":\"timeout\",\"error\":\"query timed out in expression evaluation");
  }

  @Test
  void countsWhatThereIsMostOf() {
    assertThat(get("/api/v1/status/tsdb", "limit", "2").body())
        .isEqualTo(
            "{\"status\":\"success\",\"data\":{\"headStats\":{\"numSeries\":50,\"numLabelPairs\":52,\"chunkCount\":0,"
                + "\"minTime\":%d,\"maxTime\":%d},".formatted(minTime(), maxTime())
                + "\"seriesCountByMetricName\":[{\"name\":\"up\",\"value\":45},{\"name\":\"old\",\"value\":5}],"
                + "\"labelValueCountByLabelName\":[{\"name\":\"host\",\"value\":45},{\"name\":\"was\",\"value\":5}],"
                + "\"memoryInBytesByLabelName\":[{\"name\":\"host\",\"value\":130},{\"name\":\"was\",\"value\":10}],"
                + "\"seriesCountByLabelValuePair\":[{\"name\":\"__name__=up\",\"value\":45},{\"name\":\"__name__=old\",\"value\":5}]}}");
    assertBadData(get("/api/v1/status/tsdb", "limit", "0"), "limit must be a positive number");
    assertBadData(
        get("/api/v1/status/tsdb", "limit", "10001"),
        "limit is 10,001, more than the maximum of 10,000");
  }

  /** The catalog knows times only by the rows that contain them. */
  private long minTime() {
    return number("minTime");
  }

  private long maxTime() {
    long time = number("maxTime");
    assertThat(minTime()).isLessThanOrEqualTo(START - 365L * 86_400_000);
    assertThat(time).isBetween(START, START + 400L * 86_400_000);
    return time;
  }

  private long number(String name) {
    String body = get("/api/v1/status/tsdb").body();
    Matcher matcher = Pattern.compile("\"" + name + "\":(-?[0-9]+)").matcher(body);
    assertThat(matcher.find()).as(body).isTrue();
    return Long.parseLong(matcher.group(1));
  }
}
