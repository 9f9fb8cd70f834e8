package dev.varve.server.kairosdb;

import static java.net.http.HttpRequest.BodyPublishers.noBody;
import static java.net.http.HttpRequest.BodyPublishers.ofString;
import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.server.TestServer;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Deletes, with the answers of KairosDB. */
class DeleteRoutesTest {
  private static final long START = 1_700_000_000_000L;

  @TempDir static @Nullable Path directory;

  private static @Nullable TestServer server;

  private static TestServer server() {
    return Objects.requireNonNull(server);
  }

  @BeforeAll
  static void start() throws IOException {
    server = new TestServer(Objects.requireNonNull(directory), null, "kairosdb");
  }

  @AfterAll
  static void stop() {
    server().close();
  }

  private static HttpResponse<String> send(String method, String path, String body) {
    return server()
        .send(
            server()
                .request("/api/v1" + path)
                .method(method, body.isEmpty() ? noBody() : ofString(body)));
  }

  /** Writes five points of each of two hosts. */
  private static void write(String metric) {
    String point =
        "{\"name\":\"%s\",\"tags\":{\"host\":\"%s\"},\"datapoints\":[[%d,0],[%d,1],[%d,2]]}";
    String all =
        "[%s,%s]"
            .formatted(
                point.formatted(metric, "a", START, START + 1000, START + 2000),
                point.formatted(metric, "b", START, START + 1000, START + 2000));
    assertThat(send("POST", "/datapoints", all).statusCode()).isEqualTo(204);
  }

  private static String values(String metric, String host) {
    String body =
        send(
                "POST",
                "/datapoints/query",
                "{\"start_absolute\":1,\"metrics\":[{\"name\":\"%s\",\"tags\":{\"host\":\"%s\"}}]}"
                    .formatted(metric, host))
            .body();
    return body.substring(body.indexOf("\"values\":") + 9, body.indexOf("}]}]}"));
  }

  private static void delete(String query) {
    HttpResponse<String> answer = send("POST", "/datapoints/delete", query);
    assertThat(answer.body()).isEmpty();
    assertThat(answer.statusCode()).isEqualTo(204);
    assertThat(answer.headers().firstValue("Content-Type"))
        .hasValue("application/json;charset=utf-8");
  }

  @Test
  void deletesWhatAQuerySelects() {
    write("d1");
    write("d2");
    delete(
        "{\"start_absolute\":%d,\"end_absolute\":%d,\"metrics\":[{\"name\":\"d1\",\"tags\":{\"host\":\"a\"}}]}"
            .formatted(START + 1000, START + 1999));
    assertThat(values("d1", "a")).isEqualTo("[[%d,0],[%d,2]]".formatted(START, START + 2000));
    assertThat(values("d1", "b")).contains("," + "1]");
    delete(
        "{\"start_absolute\":%d,\"metrics\":[{\"name\":\"d1\",\"tags\":{\"host\":\"regex:b\"},\"limit\":1},{\"name\":\"d2\"}]}"
            .formatted(START + 1000));
    assertThat(values("d1", "a")).isEqualTo("[[%d,0],[%d,2]]".formatted(START, START + 2000));
    assertThat(values("d1", "b")).isEqualTo("[[%d,0]]".formatted(START));
    assertThat(values("d2", "a")).isEqualTo("[[%d,0]]".formatted(START));
  }

  @Test
  void deletesAMetricAndKeepsWhatIsWrittenLater() {
    write("d3");
    assertThat(send("DELETE", "/metric/d3", "").statusCode()).isEqualTo(204);
    assertThat(values("d3", "a")).isEqualTo("[]");
    write("d3");
    assertThat(values("d3", "a")).contains("[%d,0]".formatted(START));
    assertThat(send("DELETE", "/metric/unknown", "").statusCode()).isEqualTo(204);
  }

  @Test
  void refusesAnInvalidQuery() {
    assertThat(send("POST", "/datapoints/delete", "{}").body())
        .isEqualTo("{\"errors\":[\"query.metric[] must have a size of at least 1\"]}");
    assertThat(send("POST", "/datapoints/delete", "{\"start_absolute\":1,\"metrics\":[{}]}").body())
        .isEqualTo("{\"errors\":[\"query.metric[0].name may not be null\"]}");
    assertThat(send("POST", "/datapoints/delete", "{\"metrics\":[{\"name\":\"x\"}]}").body())
        .isEqualTo(
            "{\"errors\":[\"query.metric[0].start_time relative or absolute time must be set\"]}");
    assertThat(send("POST", "/datapoints/delete", "[]").statusCode()).isEqualTo(500);
  }
}
