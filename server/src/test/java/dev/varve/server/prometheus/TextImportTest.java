package dev.varve.server.prometheus;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.server.TestServer;
import java.io.IOException;
import java.net.URLEncoder;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;

@TestInstance(Lifecycle.PER_CLASS)
class TextImportTest {
  private TestServer server;

  @BeforeAll
  void start(@TempDir Path directory) throws IOException {
    server = new TestServer(directory, null, "buckets", "opentsdb");
  }

  @AfterAll
  void stop() {
    server.close();
  }

  private HttpResponse<String> send(String method, String path, String type, String body) {
    return server.send(
        server
            .request(path)
            .header("Content-Type", type)
            .method(method, BodyPublishers.ofString(body)));
  }

  private String query(String query, String time) {
    return server
        .get(
            "/api/v1/query?query="
                + URLEncoder.encode(query, StandardCharsets.UTF_8)
                + (time.isEmpty() ? "" : "&time=" + time))
        .body();
  }

  @Test
  void takesTextWithLabelsAndATimeFromTheAddress() {
    HttpResponse<String> answer =
        server.post(
            "/api/v1/import/prometheus?extra_label=dc%3Dx&extra_label=rack%3D7&timestamp=1700000000000",
            "# TYPE taken gauge\n# HELP taken Taken.\ntaken{dc=\"own\"} 1\ntaken{a=\"b\"} 2 1700000001000\n");
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(204);
    assertThat(query("taken", "1700000001"))
        .contains(
            "{\"__name__\":\"taken\",\"dc\":\"x\",\"rack\":\"7\"},\"value\":[1700000001,\"1\"]")
        .contains("{\"__name__\":\"taken\",\"a\":\"b\",\"dc\":\"x\",\"rack\":\"7\"}");
    assertThat(server.get("/api/v1/metadata?metric=taken").body())
        .isEqualTo(
            "{\"status\":\"success\",\"data\":{\"taken\":[{\"type\":\"gauge\",\"unit\":\"\",\"help\":\"Taken.\"}]}}");
    assertThat(server.get("/api/v1/metadata?limit=0").body()).contains("\"data\":{}");
    assertThat(server.get("/api/v1/metadata?limit=x").statusCode()).isEqualTo(400);
  }

  @Test
  void takesOpenMetrics() {
    HttpResponse<String> answer =
        send(
            "POST",
            "/api/v1/import/prometheus",
            "application/openmetrics-text; version=1.0.0; charset=utf-8",
            "opened 5 1700000000.5 # {trace_id=\"x\"} 1\n# EOF\n");
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(204);
    assertThat(query("opened[1m]", "1700000001")).contains("[1700000000.500,\"5\"]");
  }

  @Test
  void keepsGoodLinesAndNamesTheOthers() {
    HttpResponse<String> answer =
        server.post(
            "/datasets/opentsdb/api/v1/import/prometheus",
            "good{a=\"1\"} 1 1700000000000\nbad{a=1} 1\ngood{a=\"2\"} 1 1700000000000 x\nnan{a=\"1\"} NaN 1700000000000\ngood{a=\"3\"} 1 1700000000000\n");
    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(answer.body())
        .contains("\"error\":\"2 lines and 1 samples were refused, 2 samples are written\"")
        .contains("{\"line\":2,\"reason\":\"the value of label 'a' is not quoted")
        .contains("{\"line\":3,\"reason\":\"unexpected 'x' after the time\"}")
        .contains("{\"series\":\"nan{a=\\\"1\\\"}\",\"reason\":");
  }

  @Test
  void aBodyOfOpenMetricsWithoutItsEndIsRefusedAndKept() {
    HttpResponse<String> answer =
        send(
            "POST",
            "/api/v1/import/prometheus",
            "application/openmetrics-text",
            "cut_off 5 1700000000\n");
    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(answer.body()).contains("{\"line\":2,\"reason\":\"the body has no '# EOF'");
    assertThat(query("cut_off", "1700000000")).contains("\"5\"");
  }

  @Test
  void takesWhatIsPushed() {
    for (String method : new String[] {"PUT", "POST"}) {
      HttpResponse<String> answer =
          send(
              method,
              "/metrics/job/batch/instance/" + method + "/path@base64/L3Zhcg",
              "text/plain",
              "pushed{job=\"own\"} 1\n");
      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
      assertThat(query("pushed{instance=\"" + method + "\"}", ""))
          .contains("\"job\":\"batch\",\"path\":\"/var\"}");
    }
    assertThat(send("PUT", "/metrics/job/a/b", "text/plain", "").statusCode()).isEqualTo(400);
    assertThat(send("PUT", "/metrics/job/a/job/b", "text/plain", "").body())
        .contains("given twice");
    assertThat(server.get("/metrics").statusCode()).isEqualTo(200);
  }
}
