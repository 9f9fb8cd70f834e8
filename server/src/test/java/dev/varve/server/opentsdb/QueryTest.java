package dev.varve.server.opentsdb;

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
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Worked examples of {@code /api/query}. T is the start of an hour. */
@TestInstance(Lifecycle.PER_CLASS)
class QueryTest {
  private static final long T = 1_500_001_200;

  private TestServer server;

  @BeforeAll
  void start(@TempDir Path directory) throws IOException {
    server = new TestServer(directory, null, "buckets", "opentsdb");
    // Two series of integers whose points alternate: a at 0, 20, 40 and b at 10, 30.
    put("steps", 0, "2", "host=a", "dc=x");
    put("steps", 20, "4", "host=a", "dc=x");
    put("steps", 40, "9", "host=a", "dc=x");
    put("steps", 10, "100", "host=b", "dc=x");
    put("steps", 30, "131", "host=b", "dc=x");
    // The second point is a decimal.
    put("mixed", 0, "1", "host=a");
    put("mixed", 60, "2.5", "host=a");
    put("mixed", 120, "3", "host=a");
    put("mixed", 180, "4", "host=a");
    put("count", 0, "10", "host=a");
    put("count", 10, "30", "host=a");
    put("count", 20, "5", "host=a");
    put("count", 30, "25", "host=a");
    put("minutes", 250, "40", "host=a");
    put("minutes", 670, "90", "host=a");
    put("minutes", 1090, "95", "host=a");
    put("weeks", 1_710_000_000 - T, "-3", "host=a");
    put("weeks", 1_710_700_000 - T, "4", "host=a");
    put("weeks", 1_712_500_000 - T, "88", "host=a");
    put("weeks", 1_710_000_000 - T, "9", "host=b");
    put("weeks", 1_710_700_000 - T, "3", "host=b");
    put("weeks", 1_712_500_000 - T, "5", "host=b");
    put("names", 0, "1", "host=Web1");
    put("names", 0, "2", "host=web2", "rack=r");
    put("names", 0, "4", "host=db1");
  }

  @AfterAll
  void stop() {
    server.close();
  }

  private void put(String metric, long after, String value, String... tags) {
    StringBuilder json = new StringBuilder();
    for (String tag : tags) {
      json.append(json.isEmpty() ? "" : ",")
          .append('"')
          .append(tag.replace("=", "\":\""))
          .append('"');
    }
    String point =
        "{\"metric\":\"%s\",\"timestamp\":%d,\"value\":%s,\"tags\":{%s}}"
            .formatted(metric, T + after, value, json);
    for (String dataset : List.of("", "/datasets/opentsdb")) {
      assertThat(server.post(dataset + "/api/put", point).statusCode()).isEqualTo(204);
    }
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  private HttpResponse<String> ask(String dataset, String m, String more) {
    return server.get(
        "%s/api/query?start=%d&end=%d&m=%s%s".formatted(dataset, T, T + 3599, encoded(m), more));
  }

  /** Returns the points of the only result, with times relative to T. */
  private String points(String m) {
    String ofBuckets = points("", m);
    assertThat(points("/datasets/opentsdb", m))
        .as("the same in another layout")
        .isEqualTo(ofBuckets);
    return ofBuckets;
  }

  private String points(String dataset, String m) {
    HttpResponse<String> answer = ask(dataset, m, "&arrays");
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    String body = answer.body();
    assertThat(body).containsOnlyOnce("\"dps\":");
    String dps = body.substring(body.indexOf("\"dps\":[") + 7, body.lastIndexOf(']') - 2);
    StringBuilder shown = new StringBuilder();
    for (String pair : dps.split("],?", 0)) {
      if (!pair.isEmpty()) {
        String[] words = pair.substring(1).split(",", 0);
        shown
            .append(shown.isEmpty() ? "" : " ")
            .append(Long.parseLong(words[0]) - T)
            .append(':')
            .append(words[1]);
      }
    }
    return shown.toString();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        // At 10, a is between 2 and 4; at 20, b is between 100 and 131, rounded towards zero.
        "sum:steps     | 0:2 10:103 20:119 30:137 40:9",
        "min:steps     | 0:2 10:3 20:4 30:6 40:9",
        "max:steps     | 0:2 10:100 20:115 30:131 40:9",
        "avg:steps     | 0:2 10:51 20:59 30:68 40:9",
        "diff:steps    | 0:0 10:97 20:111 30:125 40:0",
        "mult:steps    | 0:2 10:300 20:460 30:786 40:9",
        "median:steps  | 0:2 10:100 20:115 30:131 40:9",
        "count:steps   | 0:1 10:2 20:2 30:2 40:1",
        "zimsum:steps  | 0:2 10:100 20:4 30:131 40:9",
        "mimmin:steps  | 0:2 10:100 20:4 30:131 40:9",
        "mimmax:steps  | 0:2 10:100 20:4 30:131 40:9",
        "first:steps   | 0:2 10:0 20:4 30:0 40:9",
        "last:steps    | 0:2 10:100 20:0 30:131 40:9",
        "pfsum:steps   | 0:2 10:102 20:104 30:135 40:9",
        "squareSum:steps | 0:4 10:10000 20:16 30:17161 40:81",
        "dev:steps     | 0:0 10:48 20:55 30:62 40:0",
        "p50:steps     | 0:2 10:51 20:59 30:68 40:9",
        "ep50r3:steps  | 0:2 10:3 20:4 30:6 40:9",
        "ep75r7:steps  | 0:2 10:75 20:87 30:99 40:9",
      })
  void interpolatesAsTheAggregatorSays(String m, String expected) {
    assertThat(points(m)).isEqualTo(expected);
  }

  @Test
  void isAnIntegerWhereNeitherPointNorNextIsDecimal() {
    assertThat(points("sum:mixed")).isEqualTo("0:1.0 60:2.5 120:3 180:4");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "sum:1m-count:steps{host=a}   | 0:3.0",
        "sum:20s-sum:steps{host=a}    | 0:2.0 20:4.0 40:9.0",
        // b has no bucket at 40, so it ends at 20.
        "sum:20s-sum:steps            | 0:102.0 20:135.0 40:9.0",
        "sum:0all-max:steps           | 0:140.0",
        "none:2m-avg:mixed            | 0:1.75 120:3.5",
        "sum:1mc-first:mixed          | 0:1.0 60:2.5 120:3.0 180:4.0",
      })
  void downsamples(String m, String expected) {
    assertThat(points(m)).isEqualTo(expected);
  }

  @Test
  void fillsEmptyBuckets() {
    String zero = points("sum:15m-sum-zero:mixed");
    assertThat(zero).isEqualTo("0:10.5 900:0.0 1800:0.0 2700:0.0");
    assertThat(points("sum:15m-sum-nan:mixed"))
        .isEqualTo("0:10.5 900:\"NaN\" 1800:\"NaN\" 2700:\"NaN\"");
    assertThat(points("sum:15m-sum-null:mixed")).isEqualTo("0:10.5 900:null 1800:null 2700:null");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "sum:rate:count                  | 10:2.0 20:-2.5 30:2.0",
        "sum:rate{counter,35}:count      | 10:2.0 20:1.0 30:2.0",
        "sum:rate{counter,1035,50}:count | 10:2.0 20:0.0 30:2.0",
        "sum:rate{dropcounter}:count     | 10:2.0 30:2.0",
      })
  void computesRates(String m, String expected) {
    assertThat(points(m)).isEqualTo(expected);
  }

  /**
   * The buckets that are filled begin before the hour that is read, at T - 180 and on 25 February.
   * The first rate is that of the next bucket, which begins with the query or later. The classes of
   * OpenTSDB 2.4.0 gave the expected values.
   */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "1500001440 | 1500002699 | sum:7m-sum-zero:rate:minutes       | 1500001860:0.11904761904761904 1500002280:0.011904761904761904",
        "1500001440 | 1500002699 | p99:7m-sum-nan:rate:minutes        | 1500001860:0.11904761904761904 1500002280:0.011904761904761904",
        "1710000000 | 1714233737 | p99:3wc-first-zero:rate{counter,,5}:weeks | 1712448000:4.6296296296296294E-5",
      })
  void showsNoRateOfTheFirstFilledBucket(long from, long to, String m, String expected) {
    for (String dataset : List.of("", "/datasets/opentsdb")) {
      String answer =
          server
              .get("%s/api/query?start=%d&end=%d&m=%s".formatted(dataset, from, to, encoded(m)))
              .body();
      assertThat(answer)
          .contains("\"dps\":{\"" + expected.replace(":", "\":").replace(" ", ",\"") + "}");
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '\0',
      value = {
        "sum:names{}{host=web*}                  ; 0:3",
        "sum:names{}{host=wildcard(web*)}        ; 0:2",
        "sum:names{}{host=iwildcard(*1)}         ; 0:5",
        "sum:names{}{host=literal_or(Web1|db1)}  ; 0:5",
        "sum:names{}{host=iliteral_or(WEB1|DB1)} ; 0:5",
        "sum:names{}{host=not_literal_or(Web1)}  ; 0:6",
        "sum:names{}{host=not_iliteral_or(WEB1)} ; 0:6",
        "sum:names{}{host=regexp(eb[0-9])}       ; 0:3",
        "sum:names{}{host=regexp(^db)}           ; 0:4",
        "sum:names{}{rack=*}                     ; 0:2",
        "sum:explicit_tags:names{}{host=*}       ; 0:5",
      })
  void filters(String m, String expected) {
    assertThat(points(m)).isEqualTo(expected);
  }

  @Test
  void groupsByTheFirstBraces() {
    String answer = ask("", "sum:steps{host=*}", "").body();
    assertThat(answer)
        .isEqualTo(
            "[{\"metric\":\"steps\",\"tags\":{\"host\":\"a\",\"dc\":\"x\"},\"aggregateTags\":[],\"dps\":{\"%d\":2,\"%d\":4,\"%d\":9}},{\"metric\":\"steps\",\"tags\":{\"host\":\"b\",\"dc\":\"x\"},\"aggregateTags\":[],\"dps\":{\"%d\":100,\"%d\":131}}]"
                .formatted(T, T + 20, T + 40, T + 10, T + 30));
    assertThat(ask("", "sum:steps", "").body())
        .contains("\"tags\":{\"dc\":\"x\"},\"aggregateTags\":[\"host\"]");
  }

  @Test
  void takesPostedQueries() {
    String body =
        "{\"start\":%d,\"end\":\"%dms\",\"msResolution\":true,\"showQuery\":true,\"queries\":[{\"aggregator\":\"max\",\"metric\":\"steps\",\"tags\":{\"host\":\"b\"},\"rate\":true,\"rateOptions\":{\"counter\":true}}]}"
            .formatted(T, 1000 * T + 30_000);
    HttpResponse<String> answer = server.post("/api/query", body);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    assertThat(answer.body())
        .contains(
            "\"dps\":{\"%d\":1.55}".formatted(1000 * T + 30_000),
            "\"filters\":[{\"tagk\":\"host\",\"filter\":\"b\",\"group_by\":true,\"type\":\"literal_or\"}]",
            "\"counterMax\":9223372036854775807");
  }

  @Test
  void readsWholeHoursForInterpolation() {
    // The point of b at 10 is outside the range, and yet b has a value at 20.
    HttpResponse<String> answer =
        server.get("/api/query?start=%d&end=%d&m=sum:steps&arrays".formatted(T + 15, T + 20));
    assertThat(answer.body()).contains("\"dps\":[[%d,119]]".formatted(T + 20));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\0',
      value = {
        "sum:nowhere              | 400 | No such name for 'metrics': 'nowhere'",
        "sum:steps{nokey=*}       | 400 | No such name for 'tagk': 'nokey'",
        "sum:steps{host=nobody}   | 400 | No such name for 'tagv': 'nobody'",
        "bogus:steps              | 400 | No such aggregation function: bogus",
        "steps                    | 400 | Invalid parameter m=steps (not enough :-separated parts)",
        "sum:1x-avg:steps         | 400 | Invalid duration (suffix): 1x",
        "sum:1m-none:steps        | 400 | cannot use the NONE aggregator for downsampling",
        "sum:steps{host=a         | 500 | Missing '}' at the end of: steps{host=a",
        "sum:percentiles[99]:steps | 400 | Histogram storage has not been enabled",
      })
  void explainsErrors(String m, int status, String message) {
    HttpResponse<String> answer = ask("", m, "");
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
    assertThat(answer.body())
        .startsWith("{\"error\":{\"code\":%d,\"message\":\"%s".formatted(status, message));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '\0',
      value = {
        "query ; ; Missing message content",
        "query ; {\"start\":1,\"queries\":[{\"aggregator\":\"sum\",\"metric\":\"steps\",\"tags\":{\"host\":null}}]} ; Filter cannot be null or empty",
        "query/last ; {\"queries\":[{\"metric\":\"steps\",\"tags\":{\"host\":null}}]} ; 'host' of 'tags' is null, not a text",
      })
  void refusesBodiesWithoutWhatTheyNeed(String path, @Nullable String body, String message) {
    HttpResponse<String> answer = server.post("/api/" + path, body == null ? "" : body);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(400);
    assertThat(answer.body()).contains(message);
  }

  @Test
  void deletesWhatItShows() {
    put("gone", 0, "1", "host=a");
    put("gone", 60, "2", "host=a");
    put("gone", 120, "3", "host=a");
    put("gone", 60, "4", "host=b");
    assertThat(delete("gone", "host=a", "explicit_tags,").statusCode()).isEqualTo(400);
    assertThat(points("sum:gone{host=a}")).isEqualTo("0:1 60:2 120:3");
    HttpResponse<String> deleted = delete("gone", "host=a", "");
    assertThat(deleted.statusCode()).as(deleted.body()).isEqualTo(200);
    assertThat(deleted.body()).contains("\"%d\":2".formatted(T + 60));
    assertThat(points("", "sum:gone{host=a}")).isEqualTo("0:1 120:3");
    assertThat(points("", "sum:gone{host=b}")).isEqualTo("60:4");
    assertThat(points("/datasets/opentsdb", "sum:gone{host=a}")).isEqualTo("0:1 60:2 120:3");
    String body =
        "{\"start\":%d,\"end\":%d,\"delete\":true,\"queries\":[{\"aggregator\":\"sum\",\"metric\":\"gone\"}]}"
            .formatted(T, T + 60);
    assertThat(server.post("/api/query", body).statusCode()).isEqualTo(200);
    assertThat(points("", "sum:gone")).isEqualTo("120:3");
  }

  private HttpResponse<String> delete(String metric, String tags, String option) {
    String m = encoded("sum:%s%s{%s}".formatted(option, metric, tags));
    return server.send(
        server
            .request("/api/query?start=%d&end=%d&m=%s".formatted(T + 30, T + 90, m))
            .method("DELETE", BodyPublishers.noBody()));
  }

  @Test
  void refusesWhatItDoesNotDo() {
    assertThat(ask("", "sum:steps", "&jsonp=f").body()).contains("JSONP");
  }

  @Test
  void leavesTheVersionedPathToPrometheus() {
    assertThat(server.get("/api/v1/query?query=steps&time=" + T).body()).contains("\"success\"");
    assertThat(server.get("/opentsdb/api/v1/query?start=" + T + "&m=sum:steps").body())
        .startsWith("[{\"metric\":\"steps\"");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "2017/07/14-03:00:00 ; 2017/07/14 03:00:20 ; ",
        "2017/07/14-05:00    ; 2017/07/14-05:01    ; Europe/Berlin",
        "2017/07/14          ; 2017/07/15          ; UTC",
        "1500001200          ; 1500001220000       ; ",
        "1500001200.000      ; 1500001220000ms     ; ",
      })
  void readsTimes(String start, String end, String zone) {
    String answer =
        server
            .post(
                "/api/query",
                "{\"start\":\"%s\",\"end\":\"%s\",\"timezone\":%s,\"queries\":[{\"aggregator\":\"sum\",\"metric\":\"steps\"}]}"
                    .formatted(start, end, zone == null ? "null" : "\"" + zone + "\""))
            .body();
    assertThat(answer).contains("\"dps\":{\"%d\":2,\"%d\":103,".formatted(T, T + 10));
  }

  @Test
  void aCalendarFollowsItsZone() {
    // A day in Kathmandu begins at 18:15 UTC.
    String answer =
        server
            .post(
                "/api/query",
                "{\"start\":%d,\"end\":%d,\"timezone\":\"Asia/Kathmandu\",\"queries\":[{\"aggregator\":\"sum\",\"metric\":\"mixed\",\"downsample\":\"1dc-sum\"}]}"
                    .formatted(T - 86_400, T + 3600))
            .body();
    long midnight = (T / 86_400 - 1) * 86_400 + 65_700;
    assertThat(answer).contains("\"dps\":{\"%d\":10.5}".formatted(midnight));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "start=99999999y-ago&m=sum:1ms-sum-nan:mixed",
        "start=1&end=9223372036854775807&m=sum:99999999999ms-avg:mixed",
        "start=9223372036854775806ms&end=9223372036854775807ms&m=sum:mixed",
        "start=1&m=sum:292000000y-avg:mixed",
        "start=1&m=sum:99999999999msc-avg:mixed",
        "start=1&m=sum:2147483647yc-avg:mixed",
        "start=1&m=:::",
        "start=1&m=sum:rate{:mixed",
        "start=-ago&m=sum:mixed",
      })
  void survivesStrangeQueries(String query) {
    String path = "/api/query?" + query.replace("{", "%7B");
    HttpResponse<String> answer = server.get(path);
    assertThat(answer.body()).doesNotContain("internal error", "Exception");
    assertThat(answer.statusCode()).isIn(200, 400, 422, 500);
  }

  @Test
  void ownsTheVersionedPathOnAListenerWithoutPrometheus(@TempDir Path directory)
      throws IOException {
    try (TestServer alone = new TestServer(directory, null, "buckets")) {
      alone.with(List.of(new Listener("127.0.0.1", 0, List.of("opentsdb"), null)));
      assertThat(alone.get("/api/v1/query?start=1h-ago&m=sum:nothing").body())
          .contains("No such name for 'metrics': 'nothing'");
      assertThat(alone.get("/api/v1/version").body()).startsWith("{\"version\":\"2.4.0\"");
    }
  }

  @Test
  void seesWhatOtherApisWrote() {
    assertThat(server.post("/write?precision=s", "disk,host=a used=3i,free=4.5 " + T).statusCode())
        .isEqualTo(204);
    String prometheus =
        "up{job=\"x\"} 1 %d\nup{job=\"x\"} NaN %d\n".formatted(1000 * T, 1000 * T + 7);
    assertThat(server.post("/api/v1/import/prometheus", prometheus).statusCode()).isEqualTo(204);
    assertThat(ask("", "sum:up{job=*}", "&ms").body())
        .contains("\"dps\":{\"%d\":1.0,\"%d\":\"NaN\"}".formatted(1000 * T, 1000 * T + 7));
    String metrics = server.get("/api/suggest?type=metrics&q=disk").body();
    String metric = metrics.substring(2, metrics.indexOf('"', 2));
    assertThat(ask("", "none:" + metric, "").body()).contains("\"host\":\"a\"", ":3", ":4.5");
  }
}
