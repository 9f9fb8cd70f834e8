package dev.varve.server.prometheus;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.server.TestServer;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;

/** Prometheus' API lists only series that a query can return. */
@TestInstance(Lifecycle.PER_CLASS)
class TextSeriesTest {
  private static final String TIME = " 1700000000000000000\n";

  private TestServer server;

  @BeforeAll
  void start(@TempDir Path directory) throws IOException {
    server = new TestServer(directory, null, "buckets");
    String lines =
        "texts,color=red message=\"x\""
            + TIME
            + "both,host=a value=1,message=\"x\""
            + TIME
            + "turned,host=b value=\"x\""
            + TIME
            + "turned,host=b value=2 1700000001000000000\n"
            + "whole,host=c value=3i"
            + TIME;
    assertThat(server.post("/write", lines).statusCode()).isEqualTo(204);
  }

  @AfterAll
  void stop() {
    server.close();
  }

  private String get(String path, String match) {
    return server
        .get(path + "?match%5B%5D=" + URLEncoder.encode(match, StandardCharsets.UTF_8))
        .body();
  }

  @Test
  void listsNoSeriesOfTextsAlone() {
    assertThat(get("/api/v1/series", "texts")).contains("\"data\":[]");
    assertThat(get("/api/v1/series", "{__name__=~\".+\"}"))
        .contains("\"both\"", "\"turned\"", "\"whole\"")
        .doesNotContain("texts", "message", "red");
  }

  @Test
  void listsNeitherTheirLabelsNorTheirValues() {
    assertThat(server.get("/api/v1/labels").body()).contains("\"host\"").doesNotContain("color");
    assertThat(server.get("/api/v1/label/__name__/values").body())
        .contains("[\"both\",\"turned\",\"whole\"]");
    assertThat(server.get("/api/v1/label/color/values").body()).contains("\"data\":[]");
    assertThat(get("/api/v1/label/__field__/values", "both")).doesNotContain("message");
  }

  /** KairosDB's queries return texts, so its API lists them. */
  @Test
  void otherDialectsListThem() {
    assertThat(server.get("/api/v1/metricnames").body()).contains("\"texts\"");
    String query = "{\"start_absolute\":0,\"metrics\":[{\"name\":\"texts\"}]}";
    assertThat(server.post("/api/v1/datapoints/query/tags", query).body())
        .contains("\"color\":[\"red\"]");
  }
}
