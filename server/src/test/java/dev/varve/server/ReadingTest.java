package dev.varve.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Reads series of many rows over HTTP, as a whole and from their end. */
class ReadingTest {
  private static final long START = 1_700_000_000_000L;
  private static final long SIX_HOURS = 21_600_000;
  private static final int COUNT = 400;

  private static long time(int index) {
    return START + index * SIX_HOURS;
  }

  private static String query(TestServer server, String... parameters) {
    String form =
        IntStream.range(0, parameters.length / 2)
            .mapToObj(
                i -> parameters[2 * i] + "=" + URLEncoder.encode(parameters[2 * i + 1], UTF_8))
            .collect(Collectors.joining("&"));
    HttpResponse<String> answer =
        server.get("/varve/v1/query?from=2023-01-01&to=2025-01-01&" + form);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return answer.body();
  }

  private static long cellsRead(TestServer server) {
    return server
        .get("/metrics")
        .body()
        .lines()
        .filter(line -> line.startsWith("varve_query_cells_read_total"))
        .mapToLong(line -> (long) Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
        .sum();
  }

  @ParameterizedTest
  @ValueSource(strings = {"heroic", "kairosdb", "opentsdb", "buckets"})
  void readsTheNewestSamplesFromTheEnd(String layout, @TempDir Path directory) throws IOException {
    try (TestServer server = new TestServer(directory, null, layout)) {
      for (String host : List.of("a", "b")) {
        String points =
            IntStream.range(0, COUNT)
                .mapToObj(i -> "[" + time(i) + "," + i + ".5]")
                .collect(Collectors.joining(","));
        assertThat(
                server
                    .post(
                        "/api/v1/datapoints",
                        "{\"name\":\"m\",\"tags\":{\"host\":\"%s\"},\"datapoints\":[%s]}"
                            .formatted(host, points))
                    .statusCode())
            .isEqualTo(204);
      }
      long before = cellsRead(server);
      HttpResponse<String> newest =
          server.post(
              "/api/v1/datapoints/query",
              """
              {"start_absolute":0,"metrics":[{"name":"m","tags":{"host":"a"},"limit":30,"order":"desc"}]}
              """);
      String expected =
          IntStream.range(0, 30)
              .mapToObj(i -> "[" + time(COUNT - 1 - i) + "," + (COUNT - 1 - i) + ".5]")
              .collect(Collectors.joining(","));
      assertThat(newest.body())
          .contains("\"values\":[" + expected + "]")
          .contains("\"sample_size\":30,");
      if (!layout.equals("heroic")) {
        // A row of heroic covers seven weeks, so there are three rows.
        assertThat(cellsRead(server) - before).isLessThan(COUNT / 2);
      }
      assertThat(query(server, "selector", "m{host=\"b\"}", "order", "newest", "samples", "3"))
          .contains(
              "[[%d,399.5],[%d,398.5],[%d,397.5]]".formatted(time(399), time(398), time(397)));
    }
  }

  @Test
  void keepsFieldsApartOverManyRows(@TempDir Path directory) throws IOException {
    try (TestServer server = new TestServer(directory, null, "buckets")) {
      StringBuilder points = new StringBuilder();
      int count = 9000;
      for (int i = 0; i < count; i++) {
        points
            .append("{\"metric\":\"m\",\"tags\":{\"host\":\"a\"},\"time\":")
            .append(START + 30_000L * i)
            .append(",\"fields\":{\"up\":")
            .append(i)
            .append(",\"down\":")
            .append(i)
            .append(".5}}\n");
      }
      HttpResponse<String> written = server.post("/varve/v1/points", points.toString());
      assertThat(written.body())
          .startsWith("{\"accepted\":18000,\"refused\":0,\"coerced\":0,\"reasons\":[]}");
      String counts = query(server, "selector", "m", "every", "1y", "aggregate", "count");
      assertThat(counts.lines().toList())
          .hasSize(2)
          .allMatch(line -> line.contains("," + count + "]]"));
      String newest = query(server, "selector", "m", "order", "newest", "samples", "2");
      assertThat(newest.lines().toList())
          .hasSize(2)
          .anyMatch(line ->
              line.contains(
                  "[[%d,8999],[%d,8998]]"
                      .formatted(START + 30_000 * 8999L, START + 30_000 * 8998L)))
          .anyMatch(line -> line.contains(",8999.5],["));
      assertThat(server.get("/metrics").body())
          .contains("varve_samples_accepted_total{dataset=\"buckets\",dialect=\"varve\"} 18000.0")
          .contains("varve_lines_total{dialect=\"varve\",outcome=\"read\"} 9000.0");
    }
  }
}
