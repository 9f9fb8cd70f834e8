package dev.varve.server.prometheus;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.server.TestServer;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Export and import as users of VictoriaMetrics expect them. */
class VictoriaMetricsTest {
  private static final String LINES =
      """
      {"metric":{"__name__":"m","host":"a"},"values":[1,2.5,null],"timestamps":[1000,2000,3000]}
      {"metric":{"__name__":"m","host":"b"},"values":["Infinity"],"timestamps":[1500]}
      """;

  @TempDir private Path directory;

  @Test
  void whatIsImportedIsExported() throws Exception {
    try (TestServer server = new TestServer(directory, null, "blocks")) {
      HttpResponse<String> written = server.post("/api/v1/import", LINES);
      assertThat(written.statusCode()).as(written.body()).isEqualTo(204);
      assertThat(export(server, "match[]=m")).isEqualTo(LINES);
      assertThat(export(server, "match[]=m&max_rows_per_line=2").lines())
          .hasSize(3)
          .first()
          .asString()
          .endsWith("\"values\":[1,2.5],\"timestamps\":[1000,2000]}");
      assertThat(export(server, "match[]=m&start=1.2&end=2"))
          .isEqualTo(
              """
              {"metric":{"__name__":"m","host":"a"},"values":[2.5],"timestamps":[2000]}
              {"metric":{"__name__":"m","host":"b"},"values":["Infinity"],"timestamps":[1500]}
              """);
      assertThat(export(server, "match[]=" + encoded("{host=\"b\"}") + "&match[]=m").lines())
          .hasSize(2)
          .first()
          .asString()
          .contains("\"host\":\"b\"");
      assertThat(export(server, "match[]=m&format=openmetrics"))
          .isEqualTo(
              """
              m{host="a"} 1 1
              m{host="a"} 2.5 2
              m{host="b"} +Inf 1.5
              # EOF
              """);
      assertThat(server.get("/api/v1/export/csv?match[]=m").body())
          .startsWith("metric,tags,resource,field,kind,time_ms,value\nm,")
          .contains(",double,3000,stale\n");
      assertThat(server.get("/api/v1/export?match[]=none").body()).isEmpty();
    }
  }

  @Test
  void wrongRequestsSayWhatIsWrong() throws Exception {
    try (TestServer server = new TestServer(directory, null, "blocks")) {
      assertRefused(server.get("/api/v1/export"), "match[] is missing");
      assertRefused(server.get("/api/v1/export?match[]=m&format=xml"), "none of json, csv");
      assertRefused(server.get("/api/v1/export?match[]=m&max_rows_per_line=0"), "1 or more");
      assertRefused(server.get("/api/v1/export?match[]=m&start=2&end=1"), "end timestamp");
      assertRefused(
          server.post("/api/v1/import", LINES + "{\"metric\":{}}\n"), "has no \\\"__name__\\\"");
      assertThat(export(server, "match[]=m")).isEqualTo(LINES);
      assertThat(server.post("/api/v1/import?extra_label=dc=x", LINES).statusCode()).isEqualTo(204);
      assertThat(export(server, "match[]=" + encoded("m{dc=\"x\"}")).lines()).hasSize(2);
    }
  }

  private static void assertRefused(HttpResponse<String> answer, String reason) {
    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(answer.body()).contains("\"status\":\"error\"", reason);
  }

  private static String export(TestServer server, String parameters) throws Exception {
    HttpResponse<String> answer = server.get("/api/v1/export?" + parameters);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return answer.body();
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }
}
