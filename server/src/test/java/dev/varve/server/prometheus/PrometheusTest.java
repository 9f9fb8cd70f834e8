package dev.varve.server.prometheus;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.server.TestServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.URLEncoder;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;

@TestInstance(Lifecycle.PER_CLASS)
class PrometheusTest {
  private TestServer server;

  @BeforeAll
  void start(@TempDir Path directory) throws IOException {
    server = new TestServer(directory, null, "buckets");
  }

  @AfterAll
  void stop() {
    server.close();
  }

  private HttpResponse<String> get(String path, String query) {
    return server.get(path + "?query=" + encoded(query));
  }

  private HttpResponse<String> post(String path, String query) {
    return server.send(
        server
            .request(path)
            .header("Content-Type", "application/x-www-form-urlencoded")
            .POST(BodyPublishers.ofString("query=" + encoded(query))));
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  @Test
  void laysQueriesOut() {
    for (String prefix : List.of("", "/prometheus", "/datasets/buckets/prometheus")) {
      String path = prefix + "/api/v1/format_query";
      HttpResponse<String> answer = get(path, "sum(rate(x{b='1',a=\"ö\"}[300]))by(c)");
      assertThat(answer.statusCode()).isEqualTo(200);
      assertThat(answer.headers().firstValue("Content-Type")).hasValue("application/json");
      assertThat(answer.body())
          .isEqualTo(
              "{\"status\":\"success\",\"data\":\"sum by (c) (rate(x{a=\\\"ö\\\",b=\\\"1\\\"}[5m]))\"}");
      assertThat(post(path, "-  1").body()).isEqualTo("{\"status\":\"success\",\"data\":\"-1\"}");
    }
  }

  @Test
  void saysWhatIsWrongInPrometheusEnvelope() {
    for (String path : List.of("/api/v1/format_query", "/api/v1/parse_query")) {
      HttpResponse<String> answer = post(path, "sum some");
      assertThat(answer.statusCode()).isEqualTo(400);
      assertThat(answer.headers().firstValue("Content-Type")).hasValue("application/json");
      assertThat(answer.body())
          .isEqualTo(
              "{\"status\":\"error\",\"errorType\":\"bad_data\",\"error\":\"invalid parameter"
                  + " \\\"query\\\": 1:5: parse error: unexpected identifier \\\"some\\\"\"}");
      assertThat(server.get(path).body())
          .contains("unknown position: parse error: no expression found in input");
    }
    HttpResponse<String> unknown = server.get("/prometheus/api/v1/nothing");
    assertThat(unknown.statusCode()).isEqualTo(404);
    assertThat(unknown.body())
        .startsWith("{\"status\":\"error\",\"errorType\":\"not_found\",\"error\":\"");
  }

  @Test
  void drawsTheTreesThatPrometheusDraws() throws IOException {
    SoftAssertions softly = new SoftAssertions();
    List<String[]> rows = recorded();
    assertThat(rows).hasSizeGreaterThan(150);
    for (String[] row : rows) {
      String query = plain(row[0]);
      String answer = post("/api/v1/parse_query", query).body();
      // Go escapes characters that are special in HTML.
      String recorded =
          row[1].replace("\\u003c", "<").replace("\\u003e", ">").replace("\\u0026", "&");
      softly.assertThat(answer).as(query).isEqualTo(recorded);
    }
    softly.assertAll();
  }

  private static List<String[]> recorded() throws IOException {
    try (InputStream in = PrometheusTest.class.getResourceAsStream("prometheus-trees.tsv")) {
      return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .skip(2)
          .map(line -> line.split("\t", -1))
          .toList();
    }
  }

  private static String plain(String escaped) {
    return Pattern.compile("\\\\(.)")
        .matcher(escaped)
        .replaceAll(escape ->
            switch (escape.group(1)) {
              case "n" -> "\n";
              case "t" -> "\t";
              default -> Matcher.quoteReplacement(escape.group(1));
            });
  }

  @Test
  void answersForTheDeepestQueries() {
    String calls = "abs(".repeat(398) + "x" + ")".repeat(398);
    HttpResponse<String> answer = post("/api/v1/parse_query", calls);
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.body()).endsWith("\"type\":\"call\"}}");
    assertThat(post("/api/v1/parse_query", "(".repeat(300_000)).body())
        .contains("expressions are nested more than 400 levels deep");
  }
}
