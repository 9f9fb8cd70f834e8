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

/**
 * Explains queries of dialects over HTTP. Three series have a sample every 15 seconds, 41 each,
 * from ten minutes before the end of an hour on.
 */
class ExplainDialectsTest {
  private static final long START = 1_700_001_600_000L;
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

  private HttpResponse<String> asked(String dialect, String query, boolean analyze) {
    return server.post(
        "/varve/v1/explain",
        dialect + "=" + URLEncoder.encode(query, UTF_8) + (analyze ? "&analyze=true" : ""));
  }

  private String explained(String dialect, String query, boolean analyze) {
    HttpResponse<String> answer = asked(dialect, query, analyze);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return answer.body();
  }

  @Test
  void tellsWhatAQueryOfOpenTsdbDid() {
    String posted =
        explained(
            "opentsdb",
            "{\"start\":%d,\"end\":%d,\"queries\":[{\"aggregator\":\"sum\",\"metric\":\"m\",\"rate\":true,\"downsample\":\"1m-avg-nan\",\"tags\":{\"dc\":\"*\"}}]}"
                .formatted(START, START + 600_000),
            true);
    assertThat(posted)
        .contains(
            "{\"plan\":{\"operator\":\"opentsdb\",\"inputs\":[{\"operator\":\"aggregate\",\"detail\":\"sum by dc, rates held between points\",\"rows\":1,")
        .containsPattern("\"operator\":\"rate\",\"detail\":\"per second\",\"rows\":3,\"values\":1")
        .containsPattern(
            "\"operator\":\"fill\",\"detail\":\"empty buckets with nan\",\"rows\":3,\"values\":1")
        .containsPattern(
            "\"operator\":\"downsample\",\"detail\":\"avg of 1m\",\"rows\":3,\"values\":33,\"microseconds\":\\d")
        .contains("\"operator\":\"select\",\"detail\":\"{__name__=\\\"m\\\", has dc}\",\"scan\":1")
        .contains("\"seriesMatched\":3", "\"layout\":\"buckets\"", "\"ranges\":[{\"table\"")
        .contains("\"actual\":{\"series\":3,\"samples\":123,");

    String url =
        explained(
            "opentsdb",
            "/api/query?start=%d&end=%d&m=max:m{host=h0|h1}"
                .formatted(START / 1000, START / 1000 + 600),
            true);
    assertThat(url)
        .contains(
            "\"operator\":\"aggregate\",\"detail\":\"max by host, linear between points\",\"rows\":2,\"values\":82,")
        .contains("\"seriesMatched\":2", "\"actual\":{\"series\":2,\"samples\":82,");
    assertThat(server.get("/metrics").body())
        .containsPattern("varve_queries_total\\{.*language=\"varve\",outcome=\"ok\"} 2.0");
  }

  @Test
  void tellsWhatExpressionsOfOpenTsdbRead() {
    String functions =
        explained(
            "opentsdb",
            "start=%d&end=%d&exp=scale(sum:m,2)".formatted(START, START + 600_000),
            false);
    assertThat(functions)
        .contains("\"operator\":\"opentsdb expressions\",\"detail\":\"scale(sum:m,2)\"")
        .contains("\"detail\":\"sum of all series, linear between points\"", "\"seriesMatched\":3")
        .doesNotContain("icroseconds\":", "\"actual\"");

    String formulas =
        explained(
            "opentsdb",
            """
            {"time":{"start":"%d","end":"%d","aggregator":"sum"},
             "metrics":[{"id":"a","metric":"m"}],
             "expressions":[{"id":"e","expr":"a*2"}]}\
            """
                .formatted(START, START + 600_000),
            true);
    assertThat(formulas)
        .contains("\"operator\":\"opentsdb expressions\",\"detail\":\"a*2\"", "\"samples\":123,")
        .contains("\"notes\":[\"the queries were run, the formulas were not\"]");
  }

  @Test
  void tellsWhatTheNewestPointsOfOpenTsdbTook() {
    String url = explained("opentsdb", "/api/query/last?timeseries=m{host=h1}&timeseries=m", true);
    assertThat(url)
        .contains(
            "{\"plan\":{\"operator\":\"opentsdb last\",\"inputs\":[{\"operator\":\"newest point\",\"detail\":\"of each series, read from the newest end\",\"rows\":1,\"values\":1,")
        .contains(
            "\"rows\":3,\"values\":3,", "\"detail\":\"{__name__=\\\"m\\\", host=\\\"h1\\\"}\"")
        .contains("\"seriesMatched\":1", "\"seriesMatched\":3", "\"ranges\":[{\"table\"")
        .contains("\"actual\":{\"series\":1,\"samples\":2,");

    String posted =
        explained(
            "opentsdb",
            "{\"queries\":[{\"metric\":\"m\",\"tags\":{\"host\":\"h1\"}}],\"backScan\":24}",
            false);
    assertThat(posted)
        .contains("no other tags than host", "\"seriesMatched\":0")
        .doesNotContain("icroseconds\":", "\"actual\"");
    assertThat(asked("opentsdb", "timeseries=none", true).body())
        .contains("No such name for 'metrics': 'none'");
  }

  @Test
  void tellsWhatAQueryOfHeroicDid() {
    String json =
        explained(
            "heroic",
            """
            {"range":{"type":"absolute","start":%d,"end":%d},"filter":["key","m"],
             "aggregators":[
               {"type":"group","of":["host"],"each":[{"type":"average","size":"1m"}]},
               {"type":"topk","k":1}]}\
            """
                .formatted(START - 15_000, START + 585_000),
            true);
    assertThat(json)
        .contains(
            "{\"plan\":{\"operator\":\"heroic\",\"inputs\":[{\"operator\":\"topk 1\",\"rows\":1,")
        .containsPattern(
            "\"operator\":\"group\",\"detail\":\"of host\",\"rows\":3,\"values\":\\d\\d,")
        .containsPattern(
            "\"operator\":\"average\",\"detail\":\"of 1m\",\"rows\":3,\"values\":\\d\\d,")
        .contains("\"operator\":\"select\",\"detail\":\"{__name__=\\\"m\\\"}\",\"scan\":1")
        .contains("\"seriesMatched\":3", "\"actual\":{\"series\":3,\"samples\":111,");

    String text = explained("heroic", "average from points(1d) where $key = m", false);
    assertThat(text)
        .contains("\"operator\":\"average\"", "\"seriesMatched\":0", "\"notes\":[]")
        .doesNotContain("icroseconds\":");

    String batch =
        explained(
            "heroic",
            """
            {"range":{"type":"absolute","start":%d,"end":%d},
             "queries":{"a":{"filter":["key","m"]},"b":{"filter":["key","m"]}}}\
            """
                .formatted(START, START + 600_000),
            false);
    assertThat(batch)
        .as("equal reads are one")
        .contains(
            "\"operator\":\"query\",\"detail\":\"a\"", "\"operator\":\"query\",\"detail\":\"b\"")
        .containsOnlyOnce("\"number\":")
        .contains("\"number\":1,");
  }

  @Test
  void tellsWhatEachOperatorOfAQueryOfKairosDbDid() {
    String query =
        explained(
            "kairosdb",
            """
            {"start_absolute":%d,"end_absolute":%d,"metrics":[{"name":"m",
             "group_by":[{"name":"tag","tags":["host"]}],
             "aggregators":[{"name":"sum","sampling":{"value":1,"unit":"minutes"}},
                            {"name":"save_as","metric_name":"never"}]}]}\
            """
                .formatted(START, START + 599_999),
            true);
    assertThat(query)
        .containsPattern("\"operator\":\"copy\",\"detail\":\"[^\"]*\",\"rows\":3,\"values\":30,")
        .containsPattern(
            "\"operator\":\"downsample\",\"detail\":\"[^\"]*\",\"rows\":3,\"values\":30,")
        .containsPattern("\"operator\":\"merge\",\"detail\":\"by host\",\"rows\":3,\"values\":120,")
        .contains("\"actual\":{\"series\":3,\"samples\":120,");
    assertThat(server.get("/api/v1/label/__name__/values").body()).doesNotContain("never");
  }

  @Test
  void tellsWhatEachOperatorOfVarvesOwnLanguageDid() {
    HttpResponse<String> answer =
        server.post(
            "/varve/v1/explain",
            "selector=m&from=%d&to=%d&every=1m&by=dc&across=max&analyze=true"
                .formatted(START, START + 599_999));
    assertThat(answer.body())
        .contains(
            "{\"plan\":{\"operator\":\"query\",\"inputs\":[{\"operator\":\"aggregate series\"")
        .containsPattern(
            "\"operator\":\"aggregate series\",\"detail\":\"max by dc\",\"rows\":1,\"values\":10,")
        .containsPattern(
            "\"operator\":\"downsample\",\"detail\":\"[^\"]*\",\"rows\":3,\"values\":30,")
        .containsPattern("\"scan\":1,\"rows\":3,\"values\":120,");
  }

  @Test
  void refusesAWrongQueryInTheWordsOfItsDialect() {
    HttpResponse<String> unknown = asked("opentsdb", "start=1h-ago&m=sum:none", false);
    assertThat(unknown.statusCode()).isEqualTo(400);
    assertThat(unknown.body())
        .isEqualToIgnoringNewLines("{\"error\":\"No such name for 'metrics': 'none'\"}");
    assertThat(asked("opentsdb", "{", true).statusCode()).isEqualTo(400);
    HttpResponse<String> heroic = asked("heroic", "average from nowhere(1h)", true);
    assertThat(heroic.statusCode()).isEqualTo(400);
    assertThat(heroic.body()).contains("unsupported source: 'nowhere'");
    assertThat(asked("kairosdb", "{}", false).statusCode()).isEqualTo(400);
  }
}
