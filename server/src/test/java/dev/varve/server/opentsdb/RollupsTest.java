package dev.varve.server.opentsdb;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.engine.SideDatasets;
import dev.varve.engine.config.DatasetConfig;
import dev.varve.server.TestServer;
import dev.varve.server.config.ConfigException;
import dev.varve.server.opentsdb.rollup.RollupFile;
import java.io.IOException;
import java.net.Socket;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Roll-ups of ten minutes and of an hour, and pre-aggregates. T is the start of a day. */
class RollupsTest {
  private static final long T = 1_500_076_800;

  private static final String CONFIG =
      """
      {"aggregationIds": {"sum": 0, "count": 1, "MAX": 3},
       "intervals": [
         {"table": "tsdb", "preAggregationTable": "tsdb-preagg", "interval": "1m", "rowSpan": "1h",
          "defaultInterval": true},
         {"table": "tsdb-rollup-10m", "preAggregationTable": "tsdb-preagg-10m", "interval": "10m",
          "rowSpan": "1d"},
         {"table": "tsdb-rollup-1h", "preAggregationTable": "tsdb-preagg-1h", "interval": "1h",
          "rowSpan": "1n"}]}
      """;

  @TempDir private Path directory;
  private @Nullable TestServer running;

  @AfterEach
  void stop() {
    if (running != null) {
      running.close();
    }
  }

  private TestServer server() {
    return Objects.requireNonNull(running);
  }

  private void start(String layout) throws IOException {
    DatasetConfig main =
        TestServer.dataset(layout, layout.equals("blocks") ? "rocksdb" : "memory")
            .with(RollupFile.read(CONFIG, "rollups.json"));
    List<DatasetConfig> datasets = new ArrayList<>(List.of(main));
    datasets.addAll(SideDatasets.of(main));
    running = TestServer.with(directory, datasets);
  }

  private void write(String interval, String aggregator, long time, String value) {
    String point =
        "{\"metric\":\"m\",\"timestamp\":%d,\"value\":%s,\"tags\":{\"host\":\"a\"},\"interval\":\"%s\",\"aggregator\":\"%s\"}"
            .formatted(time, value, interval, aggregator);
    HttpResponse<String> answer = server().post("/opentsdb/api/rollup?details", point);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
  }

  private String query(String more) {
    return server()
        .get("/opentsdb/api/query?start=%d&end=%d&%s".formatted(T, T + 7_199, more))
        .body();
  }

  @ParameterizedTest
  @ValueSource(strings = {"blocks", "buckets", "opentsdb", "kairosdb"})
  void aQueryReadsTheLongestIntervalThatFits(String layout) throws IOException {
    start(layout);
    write("10m", "sum", T, "1");
    write("10m", "sum", T + 605, "2");
    write("10m", "sum", T + 3_600, "3.5");
    write("1h", "sum", T + 1_800, "100");
    write("1h", "SUM", T + 3_600, "200");

    assertThat(query("m=sum:10m-sum:m"))
        .contains("\"dps\":{\"1500076800\":1.0,\"1500077400\":2.0,\"1500080400\":3.5}");
    assertThat(query("m=sum:30m-zimsum:m"))
        .contains("\"dps\":{\"1500076800\":3.0,\"1500080400\":3.5}");
    assertThat(query("m=none:1h-sum:m%7Bhost=*%7D&show_query"))
        .contains("\"tags\":{\"host\":\"a\"}", "\"rollupTable\":\"1h\"")
        .contains("\"dps\":{\"1500076800\":100.0,\"1500080400\":200.0}");
    assertThat(query("m=sum:7m-sum:m")).as("points, of which there are none").isEqualTo("[]");
    assertThat(query("m=sum:rollup_raw:10m-sum:m")).isEqualTo("[]");
    assertThat(query("m=sum:10m-min:m"))
        .contains("\"code\":400", "No ID found mapping to aggregator: min");
  }

  @ParameterizedTest
  @ValueSource(strings = {"buckets", "opentsdb"})
  void averagesDivideSumsByCounts(String layout) throws IOException {
    start(layout);
    write("10m", "sum", T, "10");
    write("10m", "count", T, "4");
    write("10m", "sum", T + 600, "20");
    write("10m", "count", T + 600, "1");
    write("10m", "sum", T + 1_200, "7");

    assertThat(query("m=sum:10m-avg:m"))
        .contains("\"dps\":{\"1500076800\":2.5,\"1500077400\":20.0}");
    assertThat(query("m=sum:20m-avg:m")).contains("\"dps\":{\"1500076800\":6.0}");
    assertThat(query("m=sum:20m-count:m")).contains("\"dps\":{\"1500076800\":5.0}");
  }

  @Test
  void aQuerySaysWhatFollowsIfThereAreNoRollups() throws IOException {
    start("buckets");
    server()
        .post(
            "/opentsdb/api/put",
            "{\"metric\":\"m\",\"timestamp\":%d,\"value\":9,\"tags\":{\"host\":\"a\"}}"
                .formatted(T));
    assertThat(query("m=sum:1h-sum:m")).isEqualTo("[]");
    assertThat(query("m=sum:rollup_fallback_raw:1h-sum:m")).contains("{\"1500076800\":9.0}");

    write("10m", "sum", T + 600, "2");
    assertThat(query("m=sum:rollup_fallback:1h-sum:m&show_query"))
        .contains("{\"1500076800\":2.0}", "\"rollupTable\":\"10m\"");
    assertThat(query("m=sum:rollup_fallback:1h-max:m"))
        .as("there are no maxima of any interval, so points are read")
        .contains("{\"1500076800\":9.0}");
  }

  @ParameterizedTest
  @ValueSource(strings = {"buckets", "opentsdb"})
  void preAggregatesHaveATagAndTablesOfTheirOwn(String layout) throws IOException {
    start(layout);
    for (String more : List.of("", ",\"interval\":\"10m\",\"aggregator\":\"sum\"")) {
      HttpResponse<String> answer =
          server()
              .post(
                  "/opentsdb/api/rollup",
                  "{\"metric\":\"m\",\"timestamp\":%d,\"value\":5,\"tags\":{\"dc\":\"x\"},\"groupByAggregator\":\"sum\"%s}"
                      .formatted(T + 1, more));
      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(204);
    }
    assertThat(query("m=sum:pre-agg:m"))
        .contains("\"tags\":{\"dc\":\"x\",\"_aggregate\":\"SUM\"}", "{\"1500076801\":5}");
    assertThat(query("m=sum:10m-sum:m%7B_aggregate=SUM%7D")).contains("{\"1500076800\":5.0}");
    assertThat(query("m=sum:10m-sum:m")).isEqualTo("[]");
  }

  @Test
  void aLineIsARollupToo() throws IOException {
    start("opentsdb");
    try (Socket socket = server().connect()) {
      String lines =
          """
          rollup 10m-sum m %d 3 host=a
          rollup 10m-sum:max m %d 4 host=a
          rollup 5m-sum m %d 3 host=a
          rollup 10m-p99 m %d 3 host=a
          rollup -sum m %d 3 host=a
          rollup 10m-sum m
          exit
          """
              .formatted(T, T, T, T, T);
      socket.getOutputStream().write(lines.getBytes(UTF_8));
      assertThat(new String(socket.getInputStream().readAllBytes(), UTF_8))
          .isEqualTo(
              """
              rollup: No such rollup: No rollups configured for the interval: 5m
              rollup: illegal argument: No ID found mapping to aggregator: p99
              rollup: HBase error: Interval cannot be null for a non-group by point
              rollup: illegal argument: not enough arguments (need least 7, got 2)
              """);
    }
    assertThat(query("m=sum:10m-sum:m")).contains("{\"1500076800\":3.0}");
    assertThat(query("m=sum:10m-sum:pre-agg:m%7B_aggregate=MAX%7D")).contains(":4.0}");
  }

  @Test
  void downsamplingToLessThanASecondIsAnInternalErrorAsInOpenTsdb() throws IOException {
    start("blocks");
    write("10m", "sum", T, "1");
    assertThat(query("m=sum:60ms-sum:m"))
        .isEqualTo("{\"error\":{\"code\":500,\"message\":\"Interval cannot be null or empty\"}}");
  }

  /** The tag {@code _aggregate} is enough; a roll-up of time does not get it. */
  @Test
  void aLineOfAPreAggregateNeedsNoTags() throws IOException {
    start("opentsdb");
    try (Socket socket = server().connect()) {
      // The blank at the end is the seventh word that OpenTSDB asks for.
      String lines =
          "rollup max m %1$d 4 \nrollup 10m-sum:max m %1$d 5 \nrollup 10m-sum m %1$d 6 \nrollup -sum m %1$d 6 \nexit\n"
              .formatted(T);
      socket.getOutputStream().write(lines.getBytes(UTF_8));
      assertThat(new String(socket.getInputStream().readAllBytes(), UTF_8))
          .isEqualTo(
              "rollup: illegal argument: Need at least one tag (metric=m, tags={})\n".repeat(2));
    }
    assertThat(query("m=sum:pre-agg:m"))
        .contains("\"tags\":{\"_aggregate\":\"MAX\"}", "{\"%d\":4}".formatted(T));
    assertThat(query("m=sum:10m-sum:pre-agg:m")).contains("{\"1500076800\":5.0}");
  }

  @Test
  void errorsAreThoseOfOpenTsdb() throws IOException {
    start("buckets");
    String point = "{\"metric\":\"m\",\"timestamp\":%s,\"value\":1,\"tags\":{\"host\":\"a\"}%s}";
    String ok = Long.toString(T);
    assertThat(refused(point.formatted(ok, ""))).contains("\"error\":\"Missing interval\"");
    assertThat(refused(point.formatted(ok, ",\"interval\":\"10m\"")))
        .contains("\"error\":\"Missing aggregator\"", "\"interval\":\"10m\"");
    assertThat(refused(point.formatted(ok, ",\"interval\":\"5m\",\"aggregator\":\"sum\"")))
        .contains("\"error\":\"Unexpected exception\"");
    assertThat(refused(point.formatted(ok, ",\"interval\":\"10m\",\"aggregator\":\"dev\"")))
        .contains("\"error\":\"No ID found mapping to aggregator: dev\"");
    assertThat(refused(point.formatted(ok + "000", ",\"interval\":\"10m\",\"aggregator\":\"sum\"")))
        .contains("\"error\":\"bad timestamp=1500076800000 when");
    assertThat(refused(point.formatted(ok, ",\"groupByAggregator\":\"avg\"")))
        .contains("Derived group by aggregations are not allowed avg with metric m");
    assertThat(refused(point.formatted(ok, ",\"interval\":\"1m\",\"aggregator\":\"sum\"")))
        .contains("write them to /api/put");
  }

  private String refused(String point) {
    HttpResponse<String> answer = server().post("/opentsdb/api/rollup?details", point);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(400);
    return answer.body();
  }

  @Test
  void aConfigurationIsCheckedAsByOpenTsdb() {
    assertThatThrownBy(() -> RollupFile.read(CONFIG.replace("\"1n\"", "\"1h\""), "r.json"))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("Interval [3600] is too large for the span [h]");
    assertThatThrownBy(() -> RollupFile.read(CONFIG.replace("\"sum\": 0", "\"sum\": 1"), "r.json"))
        .hasMessageContaining("Multiple mappings for the ID '1' are not allowed.");
    assertThatThrownBy(() -> RollupFile.read(CONFIG.replace("\"MAX\"", "\"most\""), "r.json"))
        .hasMessageContaining("No such aggregator found for most");
    assertThatThrownBy(() -> RollupFile.read(CONFIG.replace("true", "false"), "r.json"))
        .hasMessageContaining("None of the rollup intervals were marked as the \"default\".");
  }

  private String explained(String more) {
    String query = "start=%d&end=%d&%s".formatted(T, T + 7_199, more);
    HttpResponse<String> answer =
        server()
            .post("/varve/v1/explain", "analyze=true&opentsdb=" + URLEncoder.encode(query, UTF_8));
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return answer.body();
  }

  @ParameterizedTest
  @ValueSource(strings = {"buckets", "opentsdb"})
  void explainShowsTheReadOfRollups(String layout) throws IOException {
    start(layout);
    write("10m", "sum", T, "7");
    write("10m", "count", T, "2");
    assertThat(explained("m=sum:10m-sum:m"))
        .contains(
            "\"operator\":\"select\",\"detail\":\"{__name__=\\\"m\\\"}, roll-ups of 10m: sum\"",
            "all, of dataset '%s_rollup_10m'".formatted(layout),
            "\"actual\":{\"series\":1,\"samples\":1,");
    assertThat(explained("m=sum:10m-avg:m"))
        .contains("roll-ups of 10m: count, sum", "\"actual\":{\"series\":2,\"samples\":2,");
    assertThat(explained("m=sum:2h-sum:rollup_fallback:m"))
        .contains(
            "\"operator\":\"first of\",\"detail\":\"the sources that have series\"",
            "roll-ups of 1h: sum",
            "roll-ups of 10m: sum",
            "\"labels\":\"all\"");
  }
}
