package dev.varve.matrix;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** OpenTSDB and Varve note something about names and series in the same tables. */
final class MetaStory {
  private static final Pattern TSUID = Pattern.compile("\"tsuids\":\\[\"([0-9A-F]+)\"");

  private final HttpClient http = HttpClient.newHttpClient();
  private final URI original;
  private final URI varve;
  private final String series;
  private final long start;
  private final int metricDigits;

  /**
   * Creates a story.
   *
   * @param series the metric and tags of one series, encoded
   * @param start of an hour in which the series has points, in seconds since 1970
   * @param metricDigits length of the UID of a metric
   */
  MetaStory(URI original, URI varve, String series, long start, int metricDigits) {
    this.original = original;
    this.varve = varve;
    this.series = series;
    this.start = start;
    this.metricDigits = metricDigits;
  }

  void tell() throws IOException, InterruptedException {
    String query =
        "/api/query?start=%d&end=%d&show_tsuids&m=none:%s".formatted(start, start + 3599, series);
    Matcher found = TSUID.matcher(send(original, "GET", query, "").body());
    assertThat(found.find()).isTrue();
    String tsuid = found.group(1);
    noteName(tsuid.substring(0, metricDigits));
    noteSeries(tsuid);
  }

  private void noteName(String uid) throws IOException, InterruptedException {
    String path = "/api/uid/uidmeta";
    String named = path + "?type=metric&uid=" + uid;
    String body = "{\"uid\":\"%s\",\"type\":\"metric\",\"%s\":\"%s\"}";
    ok(varve, "POST", path, body.formatted(uid, "notes", "Z\u00fcrich"));
    assertThat(same(named)).contains("\"notes\":\"Z\u00fcrich\"");
    ok(original, "POST", path, body.formatted(uid, "description", "by OpenTSDB"));
    assertThat(same(named)).contains("by OpenTSDB", "Z\u00fcrich");
    ok(varve, "PUT", path, body.formatted(uid, "displayName", "replaced"));
    assertThat(same(named)).contains("replaced").doesNotContain("by OpenTSDB");
    assertThat(send(varve, "DELETE", named, "").statusCode()).isEqualTo(204);
    assertThat(same(named)).doesNotContain("replaced");
  }

  private void noteSeries(String tsuid) throws IOException, InterruptedException {
    String path = "/api/uid/tsmeta";
    String named = path + "?tsuid=" + tsuid;
    String body = "{\"tsuid\":\"%s\",\"%s\":\"%s\"}";
    same(named);
    ok(
        varve,
        "POST",
        path + "?create=true&m=" + series,
        "{\"units\":\"kB\",\"custom\":{\"b\":\"1\"}}");
    assertThat(same(named)).contains("\"units\":\"kB\"", "\"b\":\"1\"");
    ok(original, "POST", path, body.formatted(tsuid, "description", "by OpenTSDB"));
    assertThat(same(named)).contains("by OpenTSDB", "\"units\":\"kB\"");
    ok(varve, "POST", path, body.formatted(tsuid, "notes", "merged"));
    assertThat(same(named)).contains("by OpenTSDB", "merged");
    assertThat(send(varve, "DELETE", named, "").statusCode()).isEqualTo(204);
    assertThat(send(original, "GET", named, "").statusCode()).isEqualTo(404);
    assertThat(send(varve, "GET", named, "").statusCode()).isEqualTo(404);
  }

  private void ok(URI server, String method, String path, String body)
      throws IOException, InterruptedException {
    HttpResponse<String> answer = send(server, method, path, body);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
  }

  private String same(String path) throws IOException, InterruptedException {
    HttpResponse<String> theirs = send(original, "GET", path, "");
    HttpResponse<String> ours = send(varve, "GET", path, "");
    assertThat(members(ours)).as(path).isEqualTo(members(theirs));
    assertThat(ours.statusCode()).as(path).isEqualTo(theirs.statusCode());
    return ours.body();
  }

  /** Returns the members of an answer in JSON, sorted: neither server promises an order. */
  private static List<String> members(HttpResponse<String> answer) {
    return Stream.of(answer.body().split("[,{}\\[\\]]")).sorted().toList();
  }

  private HttpResponse<String> send(URI server, String method, String path, String body)
      throws IOException, InterruptedException {
    return http.send(
        HttpRequest.newBuilder(server.resolve(path))
            .method(method, HttpRequest.BodyPublishers.ofString(body))
            .build(),
        HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8));
  }
}
