package dev.varve.server.kairosdb;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.server.GrafanaRequest;
import dev.varve.server.TestServer;
import dev.varve.server.http.WebAccess;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Answers the requests of Grafana's data source for KairosDB as that needs them. */
@TestInstance(Lifecycle.PER_CLASS)
class GrafanaTest {
  private static final String ORIGIN = "http://grafana.example:3000";
  private static final long START = 1_700_000_000_000L;

  private TestServer server;

  @BeforeAll
  void start(@TempDir Path directory) throws IOException {
    server =
        new TestServer(directory, null, "kairosdb")
            .with(new WebAccess(Set.of(), Set.of(), Set.of(ORIGIN)));
    write("cpu.load", "a", "x", "%d");
    write("cpu.load", "b", "x", "%d.5");
    write("mem.free", "a", "y", "%d");
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
          .append("[%d,%s]".formatted(START + i * 10_000L, value.formatted(i)));
    }
    String body =
        "[{\"name\":\"%s\",\"tags\":{\"host\":\"%s\",\"dc\":\"%s\"},\"datapoints\":[%s]}]"
            .formatted(metric, host, dc, points);
    assertThat(server.post("/api/v1/datapoints", body).statusCode()).isEqualTo(204);
  }

  static Stream<GrafanaRequest> recorded() throws IOException {
    return GrafanaRequest.of(GrafanaTest.class);
  }

  @ParameterizedTest
  @MethodSource("recorded")
  void answersAsGrafanaNeedsIt(GrafanaRequest recorded) {
    boolean isError = recorded.status() >= 400;
    recorded.check(server, ORIGIN, isError ? "application/json" : "application/json;charset=utf-8");
  }
}
