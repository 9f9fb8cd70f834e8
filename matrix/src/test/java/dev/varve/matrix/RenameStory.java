package dev.varve.matrix;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** OpenTSDB and Varve give UIDs of one table other names, and both find the series under them. */
final class RenameStory {
  private final HttpClient http = HttpClient.newHttpClient();
  private final URI original;
  private final URI varve;
  private final long start;

  /**
   * Creates a story.
   *
   * @param start of an hour, in seconds since 1970
   */
  RenameStory(URI original, URI varve, long start) {
    this.original = original;
    this.varve = varve;
    this.start = start;
  }

  void tell() throws IOException, InterruptedException {
    put(original, "told.first", 1);
    sameOnceKnown("told.first", "told");
    refusesAlike("metric=told.unknown&name=x");
    refusesAlike("metric=told.first&name=first");
    refusesAlike("metric=told.first&name=a%26b");
    rename(varve, "metric=told.first&name=told.second");
    drop(original);
    sameOnceKnown("told.second", "told");
    sameOnceKnown("told.first", "No such name for 'metrics': 'told.first'");

    rename(original, "metric=told.second&name=told.third");
    drop(varve);
    sameOnceKnown("told.third", "told");
    sameOnceKnown("told.second", "No such name for 'metrics': 'told.second'");

    rename(varve, "tagv=told&name=retold");
    drop(original);
    sameOnceKnown("told.third", "retold");
    // The old name gets another UID from whoever writes it next.
    put(varve, "told.first", 2);
    put(original, "told.first", 3);
    drop(original);
    sameOnceKnown("told.first", "\"%d\":3".formatted(start + 3));
    sameOnceKnown("told.third", "\"%d\":1".formatted(start + 1));
  }

  private void put(URI server, String metric, int value) throws IOException, InterruptedException {
    String point =
        "{\"metric\":\"%s\",\"timestamp\":%d,\"value\":%d,\"tags\":{\"host\":\"told\"}}"
            .formatted(metric, start + value, value);
    HttpResponse<String> answer = send(server, "POST", "/api/put", point);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(204);
  }

  private void rename(URI server, String what) throws IOException, InterruptedException {
    HttpResponse<String> answer = send(server, "GET", "/api/uid/rename?" + what, "");
    assertThat(answer.body()).as(what).isEqualTo("{\"result\":\"true\"}");
  }

  private void refusesAlike(String what) throws IOException, InterruptedException {
    HttpResponse<String> theirs = send(original, "GET", "/api/uid/rename?" + what, "");
    HttpResponse<String> ours = send(varve, "GET", "/api/uid/rename?" + what, "");
    assertThat(ours.body()).as(what).isEqualTo(theirs.body());
    assertThat(ours.statusCode()).as(what).isEqualTo(theirs.statusCode()).isEqualTo(400);
  }

  private void drop(URI server) throws IOException, InterruptedException {
    assertThat(send(server, "GET", "/api/dropcaches", "").statusCode()).isEqualTo(200);
  }

  /** Both answer a query alike and as expected, at the latest once Varve has found the series. */
  private void sameOnceKnown(String metric, String expected) {
    String path = "/api/query?start=%d&end=%d&m=none:%s".formatted(start, start + 3599, metric);
    await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(() -> {
          String theirs = send(original, "GET", path, "").body();
          assertThat(theirs).as("OpenTSDB, %s", path).contains(expected);
          assertThat(send(varve, "GET", path, "").body()).as(path).isEqualTo(theirs);
        });
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
