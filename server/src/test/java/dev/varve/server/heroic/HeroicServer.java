package dev.varve.server.heroic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.server.TestServer;
import java.io.IOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Path;

/** A server with Heroic's API. */
final class HeroicServer implements AutoCloseable {
  private final TestServer server;

  HeroicServer(Path directory, String... layouts) throws IOException {
    server = new TestServer(directory, null, layouts);
  }

  TestServer server() {
    return server;
  }

  /** Writes points, given as {@code [time,value],...}, of a series given as {@code name=value}. */
  void write(String key, String tags, String resource, String points) {
    String body =
        "{\"series\":{\"key\":\"%s\",\"tags\":%s,\"resource\":%s},\"data\":{\"type\":\"points\",\"data\":[%s]}}"
            .formatted(key, map(tags), map(resource), points);
    assertThat(server.post("/heroic/write", body).body()).startsWith("{\"times\":[");
  }

  private static String map(String pairs) {
    StringBuilder map = new StringBuilder("{");
    for (String pair : pairs.isEmpty() ? new String[0] : pairs.split(",", -1)) {
      int equals = pair.indexOf('=');
      map.append(map.length() > 1 ? "," : "")
          .append("\"%s\":\"%s\"".formatted(pair.substring(0, equals), pair.substring(equals + 1)));
    }
    return map.append("}").toString();
  }

  HttpResponse<String> query(String json) {
    return post("/query/metrics", "application/json", json);
  }

  /** Sends a query in Heroic's query language. */
  HttpResponse<String> ask(String text) {
    return post("/query/metrics", "text/plain", text);
  }

  HttpResponse<String> send(String method, String path, String body) {
    return server.send(
        server
            .request("/heroic" + path)
            .header("Content-Type", "application/json")
            .method(method, BodyPublishers.ofString(body)));
  }

  HttpResponse<String> post(String path, String type, String body) {
    return server.send(
        server
            .request("/heroic" + path)
            .header("X-Client-Id", "test")
            .header("Content-Type", type)
            .POST(BodyPublishers.ofString(body)));
  }

  /** Returns the part of an answer that lists its results, without what varies. */
  static String results(HttpResponse<String> answer) {
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    int from = answer.body().indexOf("\"result\":");
    int to = answer.body().indexOf(",\"preAggregationSampleSize\"");
    return answer
        .body()
        .substring(from, to)
        .replaceAll("\"hash\":\"[0-9a-f]+\",\"shard\":\\{},", "");
  }

  /** Returns the values of all results. */
  static String values(HttpResponse<String> answer) {
    StringBuilder values = new StringBuilder();
    String rest = results(answer);
    int at = rest.indexOf("\"values\":");
    while (at >= 0) {
      int end = rest.indexOf(",\"key\":", at);
      values.append(values.isEmpty() ? "" : " ").append(rest, at + 9, end);
      at = rest.indexOf("\"values\":", end);
    }
    return values.toString();
  }

  @Override
  public void close() {
    server.close();
  }
}
