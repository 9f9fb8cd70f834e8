package dev.varve.server.opentsdb;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.server.TestServer;
import dev.varve.server.ingest.Door;
import dev.varve.server.ingest.LabelLimits;
import dev.varve.server.relabel.RelabelConfig;
import dev.varve.server.relabel.Relabelling;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.StringJoiner;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;

/** Answers as in OpenTSDB 2.4; the messages come from its source. */
@TestInstance(Lifecycle.PER_CLASS)
class PutTest {
  private static final String GENERAL =
      "{\"error\":{\"code\":400,\"message\":\"One or more data points had errors\",\"details\":\"Please see the TSD logs or append \\\"details\\\" to the put request\"}}";

  private TestServer server;

  @BeforeAll
  void start(@TempDir Path directory) throws IOException {
    server = new TestServer(directory, null, "opentsdb", "heroic");
  }

  @AfterAll
  void stop() {
    server.close();
  }

  private static String point(String metric, String time, String value) {
    return "{\"metric\":\"%s\",\"timestamp\":%s,\"value\":%s,\"tags\":{\"host\":\"a\"}}"
        .formatted(metric, time, value);
  }

  private String value(String path, String metric, long time) {
    return server.get(path + "/api/v1/query?time=" + time + "&query=" + metric).body();
  }

  private void answers(String path, String body, int status, String answer) {
    HttpResponse<String> given = server.post(path, body);
    assertThat(given.body()).isEqualTo(answer);
    assertThat(given.statusCode()).isEqualTo(status);
    if (!answer.isEmpty()) {
      assertThat(given.headers().firstValue("Content-Type"))
          .hasValue("application/json; charset=UTF-8");
    }
  }

  @Test
  void takesAPointOrMany() {
    answers("/api/put", point("single", "1356998400", "42"), 204, "");
    assertThat(value("", "single", 1_356_998_400)).contains("\"42\"");
    answers(
        "/opentsdb/api/put?summary",
        "[%s,%s]"
            .formatted(
                point("many", "1356998400123", "1.5"), point("many", "1356998401", "\"-2e3\"")),
        200,
        "{\"success\":2,\"failed\":0}");
    assertThat(value("", "many", 1_356_998_400L + 1)).contains("\"-2000\"");
    assertThat(value("", "many@1356998400.123", 1_356_998_400)).contains("\"1.5\"");
    answers(
        "/api/v1/put?details&sync&sync_timeout=60000",
        point("synced", "\"1356998400\"", "1"),
        200,
        "{\"success\":1,\"failed\":0,\"timeouts\":0,\"errors\":[]}");
    answers("/datasets/heroic/api/put", point("elsewhere", "1356998400", "7"), 204, "");
    assertThat(value("/datasets/heroic", "elsewhere", 1_356_998_400)).contains("\"7\"");
  }

  @Test
  void listsErrorsInTheOrderOfThePoints() {
    String details =
        server
            .post(
                "/api/put?details",
                "[%s,%s,%s,%s]"
                    .formatted(
                        point("first bad", "1356998400", "1"),
                        point("second", "0", "1"),
                        point("third bad", "1356998400", "1"),
                        point("fourth", "1356998400", "\"\"")))
            .body();
    assertThat(details).startsWith("{\"success\":0,\"failed\":4,");
    assertThat(List.of("first bad", "second", "third bad", "fourth").stream().map(details::indexOf))
        .doesNotContain(-1)
        .isSorted();
  }

  @Test
  void takesGzip() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (OutputStream out = new GZIPOutputStream(bytes)) {
      out.write(point("zipped", "1356998400", "3").getBytes(UTF_8));
    }
    HttpResponse<String> answer =
        server.send(
            server
                .request("/api/put")
                .header("Content-Encoding", "gzip")
                .POST(BodyPublishers.ofByteArray(bytes.toByteArray())));
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(204);
    assertThat(value("", "zipped", 1_356_998_400)).contains("\"3\"");
  }

  @Test
  void saysWhatIsWrongWithEachPointAndKeepsTheOthers() {
    String bad =
        "[%s,null,%s,{\"timestamp\":1,\"value\":1,\"tags\":{\"a\":\"b\"}},{\"metric\":\"m\",\"value\":1},"
                .formatted(point("kept", "1356998400", "5"), point("nan", "1356998400", "\"NaN\""))
            + "{\"metric\":\"m\",\"timestamp\":1,\"tags\":{}},{\"metric\":\"m\",\"timestamp\":1,\"value\":\"1\"}]";
    answers("/api/put", bad, 400, GENERAL);
    answers("/api/put?summary", bad, 400, "{\"success\":1,\"failed\":6}");
    answers(
        "/api/put?details",
        bad,
        400,
        "{\"success\":1,\"failed\":6,\"errors\":["
            + "{\"datapoint\":null,\"error\":\"Unexpected null datapoint encountered in set.\"},"
            + "{\"datapoint\":{\"metric\":\"nan\",\"timestamp\":1356998400,\"value\":\"NaN\",\"tags\":{\"host\":\"a\"}},\"error\":\"Unable to parse value to a number\"},"
            + "{\"datapoint\":{\"timestamp\":1,\"value\":\"1\",\"tags\":{\"a\":\"b\"}},\"error\":\"Metric name was empty\"},"
            + "{\"datapoint\":{\"metric\":\"m\",\"timestamp\":0,\"value\":\"1\"},\"error\":\"Invalid timestamp\"},"
            + "{\"datapoint\":{\"metric\":\"m\",\"timestamp\":1,\"tags\":{}},\"error\":\"Empty value\"},"
            + "{\"datapoint\":{\"metric\":\"m\",\"timestamp\":1,\"value\":\"1\"},\"error\":\"Missing tags\"}]}");
    assertThat(value("", "kept", 1_356_998_400)).contains("\"5\"");
  }

  @Test
  void namesWhatTheLayoutRefuses() {
    HttpResponse<String> answer =
        server.post(
            "/api/put?details",
            "[%s,%s]"
                .formatted(
                    point("bad metric!", "1356998400", "5"), point("inf", "1356998400", "1e999")));
    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(answer.body())
        .startsWith("{\"success\":0,\"failed\":2,\"errors\":[")
        .contains(
            "{\"datapoint\":{\"metric\":\"bad metric!\",\"timestamp\":1356998400,\"value\":\"5\"")
        .contains("value is NaN or Infinite: Infinity for metric=inf timestamp=1356998400");
  }

  /** Rejected series have other names than those that were sent. */
  @Test
  void namesPointsThatRulesHaveRewritten(@TempDir Path directory) throws IOException {
    Relabelling rules =
        Relabelling.of(
            List.of(
                new RelabelConfig(List.of("host"), null, null, null, "node", null, null),
                new RelabelConfig(null, null, "host", null, null, null, "labeldrop")));
    Door door = new Door(rules, new LabelLimits(8, 100, 10));
    try (TestServer relabelling =
        new TestServer(directory, null, List.of(), null, door, "opentsdb")) {
      String long11 =
          "{\"metric\":\"long\",\"timestamp\":1356998400,\"value\":\"1\",\"tags\":{\"host\":\"01234567890\"}}";
      HttpResponse<String> answer =
          relabelling.post(
              "/api/put?details",
              "[%s,%s,%s]"
                  .formatted(
                      point("good", "1356998400", "5"),
                      point("bad metric!", "1356998400", "5"),
                      long11));
      assertThat(answer.body())
          .startsWith("{\"success\":1,\"failed\":2,\"errors\":[")
          .contains(
              "{\"datapoint\":{\"metric\":\"bad metric!\",\"timestamp\":1356998400,\"value\":\"5\",\"tags\":{\"host\":\"a\"}},\"error\":")
          .contains("{\"datapoint\":" + long11 + ",\"error\":\"the value of label 'node' has 11");
      assertThat(relabelling.get("/api/v1/query?time=1356998400&query=good").body())
          .contains("\"node\":\"a\"")
          .doesNotContain("host");
    }
  }

  @Test
  void namesThePointAmongThoseOfItsSeries() {
    String exact = point("whole", "1356998400", "1");
    String inexact = point("whole", "1356998401", "9007199254740993");
    assertThat(server.post("/datasets/heroic/api/put?details", "[" + exact + "," + inexact + "]"))
        .extracting(HttpResponse::body)
        .asString()
        .startsWith("{\"success\":1,\"failed\":1,\"errors\":[{\"datapoint\":")
        .contains("\"timestamp\":1356998401,\"value\":\"9007199254740993\"")
        .doesNotContain("1356998400");
  }

  /** Reading this many points takes longer than a millisecond. */
  @Test
  void saysWhenTheTimeoutOfTheClientHasPassed() {
    StringJoiner points = new StringJoiner(",", "[", "]");
    for (int i = 0; i < 5000; i++) {
      points.add(point("late", Integer.toString(1_356_998_400 + i), "1"));
    }
    String body = points.toString();
    assertThat(server.post("/api/put?sync&sync_timeout=1", body).body())
        .contains(
            "The put call has timedout with 0 successful writes, 0 failed writes and 5000 timed out writes.");
    HttpResponse<String> answer = server.post("/api/put?sync&sync_timeout=1&summary", body);
    assertThat(answer.body()).isEqualTo("{\"success\":0,\"failed\":0,\"timeouts\":5000}");
    assertThat(answer.statusCode()).isEqualTo(400);
  }

  @Test
  void refusesWhatIsNoBody() {
    answers(
        "/api/put", "", 400, "{\"error\":{\"code\":400,\"message\":\"Missing request content\"}}");
    answers(
        "/api/put",
        "[]",
        400,
        "{\"error\":{\"code\":400,\"message\":\"No datapoints found in content\"}}");
    answers(
        "/api/put",
        "7",
        400,
        "{\"error\":{\"code\":400,\"message\":\"The JSON must start as an object or an array\"}}");
    assertThat(server.post("/api/put", "[{\"metric\":\"m\",").body())
        .startsWith(
            "{\"error\":{\"code\":400,\"message\":\"Unable to parse the given JSON\",\"details\":\"");
    assertThat(server.post("/api/put", "[1]").statusCode()).isEqualTo(400);
    answers(
        "/api/put?sync_timeout=x",
        "{}",
        500,
        "{\"error\":{\"code\":500,\"message\":\"For input string: \\\"x\\\"\"}}");
    HttpResponse<String> get = server.get("/api/put");
    assertThat(get.statusCode()).isEqualTo(405);
    assertThat(get.body())
        .isEqualTo(
            "{\"error\":{\"code\":405,\"message\":\"Method not allowed\",\"details\":\"The HTTP method [GET] is not permitted for this endpoint\"}}");
  }

  /** Requests and answers recorded from OpenTSDB, for the names that it had. */
  @Test
  void suggestsAsTheOriginalDid() {
    for (String metric : new String[] {"cal.v", "counter.req", "ms.fast"}) {
      answers(
          "/api/put",
          "{\"metric\":\"%s\",\"timestamp\":1356998400,\"value\":1,\"tags\":{\"s\":\"WEB02\",\"dc\":\"lga\"}}"
              .formatted(metric),
          204,
          "");
    }
    assertThat(server.get("/api/suggest?type=metrics&q=c").body())
        .isEqualTo("[\"cal.v\",\"counter.req\"]");
    assertThat(server.get("/api/suggest?type=metrics&q=c&max=1").body()).isEqualTo("[\"cal.v\"]");
    assertThat(server.get("/api/suggest?type=metrics&q=zzz").body()).isEqualTo("[]");
    assertThat(server.get("/api/suggest?type=tagk&q=g&max=1").body()).isEqualTo("[]");
    assertThat(server.get("/api/suggest?type=tagk&q=d").body()).isEqualTo("[\"dc\"]");
    assertThat(server.get("/api/suggest?type=tagv&q=WEB").body()).isEqualTo("[\"WEB02\"]");
    answers("/api/suggest", "{\"type\":\"tagv\",\"q\":\"lg\",\"max\":5}", 200, "[\"lga\"]");
    assertThat(server.get("/api/suggest").body())
        .isEqualTo(
            "{\"error\":{\"code\":400,\"message\":\"Missing parameter <code>type</code>\"}}");
    assertThat(server.get("/api/suggest?type=x").body()).contains("Invalid 'type' parameter:x");
    assertThat(server.get("/api/suggest?type=tagk&max=x").body())
        .contains("Unable to parse 'max' as a number");
    assertThat(server.get("/api/suggest?type=tagv&max=1").body()).isEqualTo("[\"WEB02\"]");
    assertThat(server.get("/metrics").body())
        .containsPattern("varve_queries_total\\{.*language=\"opentsdb\",outcome=\"ok\"} 8.0");
  }

  @Test
  void answersWhatClientsAskBesides() {
    assertThat(server.get("/api/version").body()).contains("\"version\":\"2.4.0\"");
    assertThat(server.get("/api/aggregators").body()).contains("\"sum\"").contains("\"zimsum\"");
    assertThat(server.get("/opentsdb/api/config").body())
        .contains("\"tsd.core.auto_create_metrics\":\"true\"");
  }
}
