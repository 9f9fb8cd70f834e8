package dev.varve.server.prometheus;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.server.TestServer;
import java.io.IOException;
import java.net.URLEncoder;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;

/**
 * Queries of Grafana and other clients of Prometheus, over samples written through KairosDB's API.
 */
@TestInstance(Lifecycle.PER_CLASS)
class QueryApiTest {
  private static final long START = 1_700_000_000_000L;

  private TestServer server;

  @BeforeAll
  void start(@TempDir Path directory) throws IOException {
    server = new TestServer(directory, null, "buckets");
    StringBuilder points = new StringBuilder("[");
    for (String host : List.of("a", "b")) {
      points.append(points.length() == 1 ? "" : ",");
      points.append(
          "{\"name\":\"cpu_seconds_total\",\"tags\":{\"host\":\"%s\",\"dc.name\":\"ö\"},\"datapoints\":["
              .formatted(host));
      for (int i = 0; i <= 20; i++) {
        points.append(i == 0 ? "" : ",");
        points.append("[%d,%d]".formatted(START + i * 15_000L, i * (host.equals("a") ? 15 : 30)));
      }
      points.append("]}");
    }
    HttpResponse<String> answer =
        server.send(
            server
                .request("/api/v1/datapoints")
                .POST(BodyPublishers.ofString(points.append("]").toString())));
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(204);
  }

  @AfterAll
  void stop() {
    server.close();
  }

  private HttpResponse<String> get(String path, String... parameters) {
    return server.get(path + "?" + form(parameters));
  }

  private HttpResponse<String> post(String path, String... parameters) {
    return server.send(
        server
            .request(path)
            .header("Content-Type", "application/x-www-form-urlencoded")
            .POST(BodyPublishers.ofString(form(parameters))));
  }

  private static String form(String... parameters) {
    StringBuilder form = new StringBuilder();
    for (int i = 0; i < parameters.length; i += 2) {
      form.append(i == 0 ? "" : "&").append(encoded(parameters[i])).append('=');
      form.append(encoded(parameters[i + 1]));
    }
    return form.toString();
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  private static String success(String data) {
    return "{\"status\":\"success\",\"data\":" + data.replace('\'', '"') + "}";
  }

  @Test
  void answersTheHealthCheckOfGrafana() {
    HttpResponse<String> answer = post("/api/v1/query", "query", "1+1", "time", "4");
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.body()).isEqualTo(success("{'resultType':'scalar','result':[4,'2']}"));
    assertThat(get("/api/v1/status/buildinfo").body())
        .startsWith(success("{'version':'3.5.0','revision':'varve ").replace("}", ""))
        .doesNotContain("features");
  }

  @Test
  void answersInstantQueries() {
    assertThat(
            post(
                    "/prometheus/api/v1/query",
                    "query",
                    "round(sum by (host) (rate(cpu_seconds_total[1m])), 0.1)",
                    "time",
                    "1700000300.5")
                .body())
        .isEqualTo(
            success(
                "{'resultType':'vector','result':["
                    + "{'metric':{'host':'a'},'value':[1700000300.500,'1']},"
                    + "{'metric':{'host':'b'},'value':[1700000300.500,'2']}]}"));
    assertThat(
            get("/api/v1/query", "query", "cpu_seconds_total{host='b'}[20s]", "time", "1700000030")
                .body())
        .isEqualTo(
            success(
                "{'resultType':'matrix','result':[{'metric':{'__name__':'cpu_seconds_total',"
                    + "'dc.name':'ö','host':'b'},'values':[[1700000015,'30'],[1700000030,'60']]}]}"));
    assertThat(get("/api/v1/query", "query", "'text'", "time", "2023-11-14T22:13:20Z").body())
        .isEqualTo(success("{'resultType':'string','result':[1700000000,'text']}"));
  }

  @Test
  void answersRanges() {
    String query = "max(cpu_seconds_total{\"dc.name\"=\"ö\"}) / 4";
    String[] parameters = {
      "query", query, "start", "1700000000", "end", "1700000030", "step", "15"
    };
    String expected =
        success(
            "{'resultType':'matrix','result':[{'metric':{},'values':"
                + "[[1700000000,'0'],[1700000015,'7.5'],[1700000030,'15']]}]}");
    assertThat(post("/api/v1/query_range", parameters).body()).isEqualTo(expected);
    assertThat(get("/api/v1/query_range", parameters).body()).isEqualTo(expected);
    parameters[7] = "15s";
    assertThat(get("/api/v1/query_range", parameters).body()).isEqualTo(expected);
  }

  @Test
  void tellsWhatIsWrong() {
    String[] tooFine = {"query", "up", "start", "0", "end", "11001", "step", "1"};
    assertThat(get("/api/v1/query_range", tooFine).body())
        .contains("\"errorType\":\"bad_data\"")
        .contains("exceeded maximum resolution of 11,000 points per timeseries")
        .contains("(?step=XX); the query has 11,002 steps");
    assertThat(get("/api/v1/query_range", "query", "up", "end", "1", "step", "1").body())
        .contains("invalid parameter \\\"start\\\": cannot parse \\\"\\\" to a valid timestamp");
    assertThat(
            get("/api/v1/query_range", "query", "up", "start", "2", "end", "1", "step", "1").body())
        .contains("end timestamp must not be before start time");
    assertThat(
            get("/api/v1/query_range", "query", "up", "start", "1", "end", "2", "step", "0").body())
        .contains("zero or negative query resolution step widths are not accepted");
    String[] endless = {
      "query",
      "vector(1)",
      "start",
      "-290000000-01-01T00:00:00Z",
      "end",
      "+290000000-01-01T00:00:00Z",
      "step",
      "1"
    };
    assertThat(get("/api/v1/query_range", endless).body())
        .contains("exceeded maximum resolution of 11,000 points per timeseries");
    HttpResponse<String> range =
        get("/api/v1/query_range", "query", "up[5m]", "start", "0", "end", "9", "step", "1");
    assertThat(range.statusCode()).isEqualTo(400);
    assertThat(range.body())
        .contains(
            "invalid parameter \\\"query\\\": invalid expression type \\\"range vector\\\" for range query, must be Scalar or instant Vector");
    assertThat(get("/api/v1/query", "query", "up{").body())
        .contains("invalid parameter \\\"query\\\": 1:4: parse error: ");
    HttpResponse<String> unmatched =
        get(
            "/api/v1/query",
            "query",
            "cpu_seconds_total * on() cpu_seconds_total",
            "time",
            "1700000000");
    assertThat(unmatched.statusCode()).isEqualTo(422);
    assertThat(unmatched.body())
        .contains("\"errorType\":\"execution\"")
        .contains("many-to-many matching not allowed");
  }

  @Test
  void passesOnWhatAQueryHasToTell() {
    assertThat(
            get("/api/v1/query", "query", "quantile(2, cpu_seconds_total)", "time", "1700000000")
                .body())
        .endsWith(
            ",\"warnings\":[\"PromQL warning: quantile value should be between 0 and 1, got 2 (1:10)\"]}");
    assertThat(
            get("/api/v1/query", "query", "cpu_seconds_total", "time", "1700000000", "limit", "1")
                .body())
        .contains("\"host\":\"a\"")
        .doesNotContain("\"host\":\"b\"")
        .endsWith(",\"warnings\":[\"results truncated due to limit\"]}");
  }

  @Test
  void listsWhatThereIs() {
    String match = "{__name__!=\"\",host=~\"a|c\"}";
    assertThat(post("/api/v1/series", "match[]", match).body())
        .isEqualTo(success("[{'__name__':'cpu_seconds_total','dc.name':'ö','host':'a'}]"));
    assertThat(post("/api/v1/labels", "match[]", match, "match[]", "up").body())
        .isEqualTo(success("['__name__','dc.name','host']"));
    assertThat(get("/api/v1/label/host/values", "match[]", "cpu_seconds_total").body())
        .isEqualTo(success("['a','b']"));
    assertThat(get("/prometheus/api/v1/label/U__dc_2e_name/values").body())
        .isEqualTo(success("['ö']"));
    assertThat(get("/api/v1/label/host/values", "limit", "1").body())
        .isEqualTo(
            "{\"status\":\"success\",\"data\":[\"a\"],\"warnings\":[\"results truncated due to limit\"]}");
    assertThat(get("/api/v1/series").body()).contains("no match[] parameter provided");
    assertThat(get("/api/v1/series", "match[]", "rate(x[5m])").body())
        .contains("invalid parameter \\\"match[]\\\"");
    assertThat(post("/api/v1/query_exemplars", "query", "up").body()).isEqualTo(success("[]"));
    assertThat(get("/api/v1/metadata").body()).isEqualTo(success("{}"));
    assertThat(get("/api/v1/rules").body()).isEqualTo(success("{'groups':[]}"));
    assertThat(get("/api/v1/alerts").body()).isEqualTo(success("{'alerts':[]}"));
  }
}
