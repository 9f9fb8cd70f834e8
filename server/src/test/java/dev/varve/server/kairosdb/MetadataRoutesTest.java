package dev.varve.server.kairosdb;

import static java.net.http.HttpRequest.BodyPublishers.noBody;
import static java.net.http.HttpRequest.BodyPublishers.ofByteArray;
import static java.net.http.HttpRequest.BodyPublishers.ofString;
import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.server.TestServer;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The metadata service, the features and the list of queries, with the answers of KairosDB. */
class MetadataRoutesTest {
  private static final String JSON = "application/json;charset=utf-8";

  @TempDir static @Nullable Path directory;

  private static @Nullable TestServer server;

  private static TestServer server() {
    return Objects.requireNonNull(server);
  }

  @BeforeAll
  static void start() throws IOException {
    server = new TestServer(Objects.requireNonNull(directory), null, "buckets");
  }

  @AfterAll
  static void stop() {
    server().close();
  }

  private static HttpResponse<String> send(String method, String path, @Nullable String body) {
    HttpRequest.BodyPublisher sent = body == null ? noBody() : ofString(body);
    return server().send(server().request("/api/v1" + path).method(method, sent));
  }

  private static void assertAnswer(HttpResponse<String> answer, int status, String body) {
    assertThat(answer.body()).isEqualTo(body);
    assertThat(answer.statusCode()).isEqualTo(status);
    assertThat(answer.headers().firstValue("Content-Type")).hasValue(JSON);
  }

  @Test
  void keepsTexts() {
    assertAnswer(send("GET", "/metadata/svc/k/a", null), 404, "{\"errors\":[\"Key not found\"]}");
    assertAnswer(send("POST", "/metadata/svc/k/a", "hello"), 204, "");
    assertAnswer(send("POST", "/metadata/svc/k/b", "{\"x\":1}"), 204, "");
    assertAnswer(send("POST", "/metadata/svc/k2/ab", "ü"), 204, "");
    assertAnswer(send("POST", "/metadata/svc/k2/empty", ""), 204, "");
    assertAnswer(send("GET", "/metadata/svc", null), 200, "{\"results\":[\"k\",\"k2\"]}");
    assertAnswer(send("GET", "/metadata/svc/k", null), 200, "{\"results\":[\"a\",\"b\"]}");
    assertAnswer(send("GET", "/metadata/svc/k2?startsWith=a", null), 200, "{\"results\":[\"ab\"]}");
    assertAnswer(send("GET", "/metadata/svc/k2/ab", null), 200, "ü");
    assertAnswer(send("GET", "/metadata/svc/k2/empty", null), 200, "");
    assertAnswer(send("GET", "/metadata/svc/k/b", null), 200, "{\"x\":1}");
    assertAnswer(send("DELETE", "/metadata/svc/k/a", null), 204, "");
    assertAnswer(send("DELETE", "/metadata/svc/k/a", null), 204, "");
    assertAnswer(send("GET", "/metadata/svc/k", null), 200, "{\"results\":[\"b\"]}");
  }

  @Test
  void answersPlainTextIfAsked() {
    HttpResponse<String> answer =
        server()
            .send(server().request("/api/v1/metadata/svc/k/none").header("Accept", "text/plain"));
    assertThat(answer.statusCode()).isEqualTo(404);
    assertThat(answer.body()).isEmpty();
    assertThat(answer.headers().firstValue("Content-Type")).hasValue("text/plain;charset=utf-8");
  }

  @Test
  void hidesTheServersOwnServices() {
    for (String path : new String[] {"/_x", "/_x/k", "/_x/k/a"}) {
      assertAnswer(send("GET", "/metadata" + path, null), 401, "");
    }
    assertAnswer(send("POST", "/metadata/_x/k/a", "v"), 401, "");
    assertAnswer(send("DELETE", "/metadata/_x/k/a", null), 401, "");
    assertAnswer(send("GET", "/metadata/%5Fx/k/a", null), 401, "");
  }

  @Test
  void refusesWhatItCannotKeep() {
    assertThat(send("POST", "/metadata/svc/k/" + "n".repeat(3_000), "v").body())
        .isEqualTo("{\"errors\":[\"a name of 3,006 bytes is longer than 3,000\"]}");
    HttpResponse<String> binary =
        server()
            .send(
                server()
                    .request("/api/v1/metadata/svc/k/a")
                    .POST(ofByteArray(new byte[] {(byte) 0xff})));
    assertThat(binary.statusCode()).isEqualTo(400);
    assertThat(binary.body()).isEqualTo("{\"errors\":[\"the value is not UTF-8\"]}");
    HttpResponse<String> foreign =
        server()
            .send(
                server()
                    .request("/api/v1/metadata/svc/k/a")
                    .header("Origin", "https://other.example")
                    .POST(ofString("v")));
    assertThat(foreign.statusCode()).isEqualTo(403);
  }

  @Test
  void describesAllAggregatorsAndGroupings() {
    String aggregators = send("GET", "/features/aggregators", null).body();
    for (String name :
        ("avg count dev diff div filter first gaps last least_squares max min percentile rate"
                + " sampler save_as scale score sma sum trim")
            .split(" ", -1)) {
      assertThat(aggregators).contains("{\"name\":\"" + name + "\",\"label\"");
    }
    String groupings = send("GET", "/features/group_by", null).body();
    assertThat(groupings).startsWith("[{\"name\":\"bin\",\"label\":\"Bin\",\"description\":\"");
    assertThat(send("GET", "/features", null).body())
        .isEqualTo(
            "[{\"name\":\"group_by\",\"label\":\"Group By\",\"properties\":%s},{\"name\":\"aggregators\",\"label\":\"Aggregator\",\"properties\":%s}]"
                .formatted(groupings, aggregators));
    HttpResponse<String> unknown = send("GET", "/features/Bogus", null);
    assertThat(unknown.statusCode()).isEqualTo(404);
    assertThat(unknown.body()).isEqualTo("{\"errors\":[\"Unknown feature 'bogus'\"]}");
  }

  @Test
  void listsAndEndsQueries() {
    assertAnswer(
        send("GET", "/admin/runningqueries", null), 200, "{\"queries\":[],\"queries waiting\":0}");
    assertAnswer(send("GET", "/admin/killquery/unknown", null), 204, "");
  }
}
