package dev.varve.server.kairosdb;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.server.TestServer;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;

/** Gaps over long ranges, which are listed or refused before an answer begins. */
@TestInstance(Lifecycle.PER_CLASS)
class GapsTest {
  private static final long START = 1_700_000_000_000L;

  private TestServer server;

  @BeforeAll
  void start(@TempDir Path directory) throws IOException {
    server = new TestServer(directory, null, "blocks");
    StringBuilder points = new StringBuilder();
    for (int i = 0; i < 5000; i++) {
      points.append(i == 0 ? "" : ",").append("[%d,%d]".formatted(START + 10_000L * i, i));
    }
    String body =
        "{\"name\":\"m\",\"tags\":{\"host\":\"a\"},\"datapoints\":[%s]}".formatted(points);
    assertThat(server.post("/api/v1/datapoints", body).statusCode()).isEqualTo(204);
  }

  @AfterAll
  void stop() {
    server.close();
  }

  private HttpResponse<String> query(String metrics) {
    return server.post(
        "/api/v1/datapoints/query",
        "{\"start_absolute\":%d,\"end_absolute\":%d,\"metrics\":[%s]}"
            .formatted(START, START + 2 * 366 * 86_400_000L, metrics));
  }

  private static String gaps(String metric, String unit, String more) {
    return "{\"name\":\"%s\",\"aggregators\":[{\"name\":\"gaps\",\"sampling\":{\"value\":1,\"unit\":\"%s\"}%s]}"
        .formatted(metric, unit, more);
  }

  private static void assertRefused(HttpResponse<String> answer, int metric) {
    assertThat(answer.body())
        .startsWith("{\"errors\":[\"query.metric[%d].aggregators: gaps over more".formatted(metric))
        .contains("more than 10,000,000 windows of 1000 from ", "make the windows wider");
    assertThat(answer.statusCode()).isEqualTo(400);
  }

  @Test
  void listsMinutesOverYears() {
    HttpResponse<String> answer = query(gaps("m", "minutes", "}"));
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.body().split(",null]", -1)).hasSizeGreaterThan(2 * 366 * 1440 - 5000);
  }

  @Test
  void refusesSecondsOverYearsBeforeAnAnswerBegins() {
    assertRefused(query(gaps("m", "seconds", "}")), 0);
    assertRefused(query(gaps("m", "hours", "}") + "," + gaps("m", "seconds", "}")), 1);
    assertRefused(query(gaps("m", "seconds", "},{\"name\":\"trim\",\"trim\":\"last\"}")), 0);
  }

  @Test
  void trimmedGapsDependOnThePointsAlone() {
    HttpResponse<String> answer = query(gaps("m", "seconds", ",\"trim\":true}"));
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.body().split(",null]", -1)).hasSize(9 * 4999 + 1);
  }

  @Test
  void aMovingAverageOfFewerGapsThanItNeedsIsEmpty() {
    String average = "},{\"name\":\"sma\",\"size\":%d}";
    HttpResponse<String> answer = query(gaps("none", "years", average.formatted(100)));
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    assertThat(answer.body()).contains("\"values\":[]");
    assertThat(query(gaps("none", "years", average.formatted(2))).statusCode()).isEqualTo(500);
  }
}
