package dev.varve.server.varve;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.server.TestServer;
import java.io.IOException;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Explains PromQL queries over HTTP. */
class ExplainTest {
  private static final String EXPLAIN = "/varve/v1/explain";
  private static final long START = 1_700_000_000_000L;
  private static final int SERIES = 3;
  private static final int SAMPLES = 41;

  private TestServer server;

  @BeforeEach
  void start(@TempDir Path directory) throws IOException {
    server = new TestServer(directory, null, "buckets");
    StringBuilder points = new StringBuilder();
    for (int series = 0; series < SERIES; series++) {
      for (int i = 0; i < SAMPLES; i++) {
        points.append(
            "{\"metric\":\"m\",\"tags\":{\"host\":\"h%d\",\"dc\":\"x\"},\"time\":%d,\"value\":%d.5}\n"
                .formatted(series, START + i * 15_000L, i));
      }
    }
    assertThat(server.post("/varve/v1/points", points.toString()).statusCode()).isEqualTo(200);
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private static String parameters(String query) {
    return "promql=%s&from=%d&to=%d&step=1m"
        .formatted(URLEncoder.encode(query, UTF_8), START + 300_000, START + 600_000);
  }

  /**
   * Windows of one minute, from four to ten minutes after the first sample: 24 samples per series.
   */
  @Test
  void tellsWhatEachPartOfAQueryDidWhereItIsAnalyzed() {
    String query = parameters("sum by (dc) (rate(m[1m])) * 2");
    HttpResponse<String> answer = server.get(EXPLAIN + "?" + query + "&analyze=true");
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.headers().firstValue("Content-Type"))
        .hasValue("application/json; charset=utf-8");
    assertThat(answer.body())
        .containsPattern(
            "\"operator\":\"\\*\",\"detail\":\"number right\",\"rows\":1,\"values\":6,\"microseconds\":\\d")
        .containsPattern(
            "\"operator\":\"sum\",\"detail\":\"by \\(dc\\)\",\"rows\":1,\"values\":6,\"microseconds\":\\d")
        .containsPattern("\"operator\":\"rate\",\"rows\":3,\"values\":18,\"microseconds\":\\d")
        .contains("\"detail\":\"of 1m up to each step\",\"scan\":1")
        .contains("\"number\":1,\"selector\":\"m\",\"from\":1700000240001,\"to\":1700000600000")
        .contains("\"labels\":\"__name__, dc\",\"seriesMatched\":3", "\"layout\":\"buckets\"")
        .contains("\"actual\":{\"series\":3,\"samples\":72,", "\"cellsReturned\":72,")
        .containsPattern("\"readMicroseconds\":\\d+,\"workMicroseconds\":\\d")
        .containsPattern("\"notes\":\\[],\"microseconds\":\\d+}$");
    assertThat(server.get("/metrics").body())
        .containsPattern("varve_queries_total\\{.*language=\"varve\",outcome=\"ok\"} 1.0");
  }

  @Test
  void tellsWhatWouldBeReadWhereItIsNot() {
    HttpResponse<String> answer = server.post(EXPLAIN, parameters("max_over_time(m[1m])"));
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.body())
        .contains("\"operator\":\"max_over_time\",\"inputs\":[")
        .contains("\"seriesMatched\":3", "\"alternatives\":[{\"name\":\"")
        .doesNotContain("actual", "icroseconds\":");
  }

  @Test
  void tellsWhatIsWrongWithAQuery() {
    HttpResponse<String> unknown = server.get(EXPLAIN + "?analyze=true&" + parameters("nonce(m)"));
    assertThat(unknown.statusCode()).isEqualTo(400);
    assertThat(unknown.body()).contains("unknown function with name \\\"nonce\\\"");

    HttpResponse<String> twice =
        server.get(EXPLAIN + "?analyze=true&" + parameters("m + on (dc) m"));
    assertThat(twice.statusCode()).isEqualTo(422);
    assertThat(twice.body()).contains("found duplicate series for the match group");

    HttpResponse<String> foreign = server.get(EXPLAIN + "?promql=m&limit=3");
    assertThat(foreign.statusCode()).isEqualTo(400);
    assertThat(foreign.body()).contains("'limit' cannot be used with PromQL");
  }
}
