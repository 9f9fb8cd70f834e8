package dev.varve.matrix;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** OpenTSDB and Varve write, change and delete annotations of one table, and both find them. */
final class AnnotationStory {
  private static final Pattern TSUID = Pattern.compile("\"tsuids\":\\[\"([0-9A-F]+)\"");
  private static final Pattern NOTES =
      Pattern.compile("\"(annotations|globalAnnotations)\":\\[[^\\]]*]");

  private final HttpClient http = HttpClient.newHttpClient();
  private final URI original;
  private final URI varve;
  private final String series;
  private final long start;

  /**
   * Creates a story.
   *
   * @param series the {@code m} of a query that has one series, encoded
   * @param start of an hour in which the series has points, in seconds since 1970
   */
  AnnotationStory(URI original, URI varve, String series, long start) {
    this.original = original;
    this.varve = varve;
    this.series = series;
    this.start = start;
  }

  private HttpResponse<String> send(URI server, String method, String path, String body)
      throws IOException, InterruptedException {
    return http.send(
        HttpRequest.newBuilder(server.resolve(path))
            .method(method, HttpRequest.BodyPublishers.ofString(body))
            .build(),
        HttpResponse.BodyHandlers.ofString());
  }

  private String same(String path) throws IOException, InterruptedException {
    HttpResponse<String> theirs = send(original, "GET", path, "");
    HttpResponse<String> ours = send(varve, "GET", path, "");
    assertThat(ours.body()).as(path).isEqualTo(theirs.body());
    assertThat(ours.statusCode()).as(path).isEqualTo(theirs.statusCode());
    return ours.body();
  }

  private List<String> sameNotes() throws IOException, InterruptedException {
    String path =
        "/api/query?start=%d&end=%d&ms&global_annotations&m=%s"
            .formatted(start, start + 3599, series);
    List<List<String>> found = new ArrayList<>();
    for (URI server : List.of(original, varve)) {
      HttpResponse<String> answer = send(server, "GET", path, "");
      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
      List<String> notes = new ArrayList<>();
      Matcher matcher = NOTES.matcher(answer.body());
      while (matcher.find()) {
        notes.add(matcher.group());
      }
      found.add(notes);
    }
    assertThat(found.getLast()).as(path).isEqualTo(found.getFirst());
    return found.getFirst();
  }

  void tell() throws IOException, InterruptedException {
    Matcher tsuid =
        TSUID.matcher(
            send(
                    original,
                    "GET",
                    "/api/query?start=%d&end=%d&show_tsuids&m=%s"
                        .formatted(start, start + 3599, series),
                    "")
                .body());
    assertThat(tsuid.find()).isTrue();
    int second = 0;
    for (URI writer : List.of(original, varve)) {
      for (String owner : List.of("", "\"tsuid\":\"%s\",".formatted(tsuid.group(1)))) {
        for (long time : new long[] {start + second, 1000 * (start + second) + 1_007}) {
          String note =
              "{%s\"startTime\":%d,\"description\":\"Z\\u00fcrich\",\"custom\":{\"b\":\"1\",\"a\":\"2\"}}"
                  .formatted(owner, time);
          HttpResponse<String> saved = send(writer, "POST", "/api/annotation", note);
          assertThat(saved.statusCode()).as(saved.body()).isEqualTo(200);
        }
        second += 60;
      }
    }
    assertThat(sameNotes())
        .hasSize(2)
        .allSatisfy(notes -> assertThat(notes).contains("Z\u00fcrich"));
    same("/api/annotations?start_time=%d&end_time=%d".formatted(start, start + 3599));
    change(tsuid.group(1));
  }

  /** Each merges into and deletes what the other has written. */
  private void change(String tsuid) throws IOException, InterruptedException {
    String first = "start_time=%d&tsuid=%s".formatted(start + 60, tsuid);
    String second = "start_time=%d&tsuid=%s".formatted(start + 180, tsuid);
    String body = "{\"tsuid\":\"%s\",\"startTime\":%d,\"notes\":\"merged\"}";
    send(varve, "POST", "/api/annotation", body.formatted(tsuid, start + 60));
    send(original, "POST", "/api/annotation", body.formatted(tsuid, start + 180));
    assertThat(same("/api/annotation?" + first)).contains("merged", "Z\u00fcrich");
    assertThat(same("/api/annotation?" + second)).contains("merged", "Z\u00fcrich");
    send(varve, "DELETE", "/api/annotation?" + first, "");
    send(original, "DELETE", "/api/annotation?" + second, "");
    for (String gone : List.of(first, second)) {
      assertThat(send(original, "GET", "/api/annotation?" + gone, "").statusCode()).isEqualTo(404);
      assertThat(send(varve, "GET", "/api/annotation?" + gone, "").statusCode()).isEqualTo(404);
    }
    sameNotes();
    String range =
        "/api/annotation/bulk?global&tsuids=%s&start_time=%d&end_time=%d"
            .formatted(tsuid, start, start + 3599);
    send(varve, "DELETE", range, "");
    assertThat(String.join("", sameNotes())).doesNotContain("Z\u00fcrich");
  }
}
