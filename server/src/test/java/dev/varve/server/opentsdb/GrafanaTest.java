package dev.varve.server.opentsdb;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.server.GrafanaRequest;
import dev.varve.server.TestServer;
import dev.varve.server.http.WebAccess;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Answers the requests of Grafana's data source for OpenTSDB, of all versions, as that needs them.
 */
@TestInstance(Lifecycle.PER_CLASS)
class GrafanaTest {
  private static final String ORIGIN = "http://grafana.example:3000";
  private static final long START = 1_700_000_000L;

  private TestServer server;

  @BeforeAll
  void start(@TempDir Path directory) throws IOException {
    server =
        new TestServer(directory, null, "buckets")
            .with(new WebAccess(Set.of(), Set.of(), Set.of(ORIGIN)));
    write("cpu.load", "a", "x", "%d");
    write("cpu.load", "b", "x", "%d.5");
    write("mem.free", "a", "y", "%d");
    write("events", "a", "x", "%d");
    annotate("{\"startTime\":1700000060,\"description\":\"deploy 3\"}");
    Matcher tsuid =
        Pattern.compile("\"tsuid\":\"([0-9A-F]+)\"")
            .matcher(server.get("/api/search/lookup?m=events").body());
    assertThat(tsuid.find()).isTrue();
    annotate(
        "{\"startTime\":1700000090,\"tsuid\":\"%s\",\"description\":\"reboot\"}"
            .formatted(tsuid.group(1)));
  }

  @AfterAll
  void stop() {
    server.close();
  }

  private void write(String metric, String host, String dc, String value) {
    StringBuilder points = new StringBuilder();
    for (int i = 0; i < 30; i++) {
      points
          .append(i == 0 ? "" : ",")
          .append(
              "{\"metric\":\"%s\",\"timestamp\":%d,\"value\":%s,\"tags\":{\"host\":\"%s\",\"dc\":\"%s\"}}"
                  .formatted(metric, START + i * 10L, value.formatted(i), host, dc));
    }
    assertThat(server.post("/api/put", "[" + points + "]").statusCode()).isEqualTo(204);
  }

  private void annotate(String annotation) {
    assertThat(server.post("/api/annotation", annotation).statusCode()).isEqualTo(200);
  }

  static Stream<GrafanaRequest> recorded() throws IOException {
    return GrafanaRequest.of(GrafanaTest.class);
  }

  @ParameterizedTest
  @MethodSource("recorded")
  void answersAsGrafanaNeedsIt(GrafanaRequest recorded) {
    recorded.check(server, ORIGIN, "application/json; charset=UTF-8");
  }
}
