package dev.varve.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.engine.SideDatasets;
import dev.varve.engine.config.DatasetConfig;
import dev.varve.engine.config.DatasetConfig.PeriodConfig;
import dev.varve.engine.config.DatasetConfig.StoreConfig;
import dev.varve.layout.registry.Layouts;
import dev.varve.server.opentsdb.rollup.RollupFile;
import java.io.IOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every request that stores something, beside the points of the dialect contract, gets an error in
 * the form of its API while the store fails.
 */
@TestInstance(Lifecycle.PER_CLASS)
class FailingStoreTest {
  private static final String ROLLUPS =
      """
      {"aggregationIds": {"sum": 0},
       "intervals": [
         {"table": "tsdb", "preAggregationTable": "tsdb-preagg", "interval": "1m", "rowSpan": "1h",
          "defaultInterval": true},
         {"table": "tsdb-rollup-1h", "preAggregationTable": "tsdb-preagg-1h", "interval": "1h",
          "rowSpan": "1n"}]}
      """;

  private static final String SUM =
      "{\"name\":\"sum\",\"sampling\":{\"value\":1,\"unit\":\"minutes\"}}";

  private static final String TASK =
      "{\"name\":\"%s\",\"execution_interval\":{\"value\":1,\"unit\":\"years\"},\"rollups\":[{\"save_as\":\"m.sum\",\"query\":{\"start_relative\":{\"value\":1,\"unit\":\"hours\"},\"metrics\":[{\"name\":\"m\",\"aggregators\":["
          + SUM
          + "]}]}}]}";

  private static final String POINT =
      "{\"metric\":\"m\",\"timestamp\":1700000000,\"value\":1,\"tags\":{\"host\":\"a\"}}";

  private static final String ROLLUP =
      "{\"metric\":\"m\",\"timestamp\":1700000000,\"value\":1,\"tags\":{\"host\":\"a\"},\"interval\":\"1h\",\"aggregator\":\"sum\"}";

  private static final String HISTOGRAM =
      "{\"metric\":\"m\",\"timestamp\":1700000000,\"tags\":{\"host\":\"a\"},\"buckets\":{\"0,10\":7}}";

  /** The forms of errors, by dialect. */
  private static final Map<String, Pattern> FORMS =
      Map.of(
          "kairosdb", Pattern.compile("\\{\"errors\":\\[\".+\"]}"),
          "opentsdb", Pattern.compile("\\{\"error\":\\{\"code\":\\d{3},\"message\":\".+\"}}"),
          "heroic",
              Pattern.compile(
                  "\\{\"message\":\".+\",\"reason\":\".+\",\"status\":\\d{3},\"type\":\".+\"}"),
          "prometheus",
              Pattern.compile(
                  "\\{\"status\":\"error\",\"errorType\":\"[a-z_]+\",\"error\":\".+\"}"),
          "influx", Pattern.compile("\\{\"code\":\"[a-z ]+\",\"message\":\".+\",\"error\":\".+\"}"),
          "otlp", Pattern.compile("\\{\"code\":\\d+,\"message\":\".+\"}"),
          "varve", Pattern.compile("\\{\"error\":\".+\"}\n?"));

  private AtomicBoolean broken;
  private TestServer server;

  /**
   * The values of {@code $TSUID}, {@code $UID} and {@code $TASK} in paths and bodies, by name and
   * layout.
   */
  private final Map<String, String> known = new HashMap<>();

  /**
   * A request that stores something.
   *
   * @param layout of the dataset
   * @param path below the name of the dialect, in which {@code $TSUID}, {@code $UID} and {@code
   *     $TASK} stand for the identifiers of objects that exist
   */
  record Side(String layout, String dialect, String method, String path, String body) {
    boolean deletes() {
      return method.equals("DELETE") || (path + body).contains("delete");
    }

    @Override
    public String toString() {
      return layout + ": " + method + " /" + dialect + path + " " + body;
    }
  }

  @BeforeAll
  void start(@TempDir Path directory) throws IOException {
    broken = BreakingStore.switchOf(directory.toString());
    List<DatasetConfig> datasets = new ArrayList<>();
    for (String layout : List.of("buckets", "opentsdb")) {
      DatasetConfig main =
          new DatasetConfig(
                  layout,
                  new StoreConfig(
                      BreakingStore.KIND, Map.of(BreakingStore.SWITCH, directory.toString())),
                  List.of(new PeriodConfig(Instant.MIN, Layouts.stored(layout, Map.of()))),
                  null,
                  DatasetConfig.Duplicates.LAST,
                  Set.of(),
                  false)
              .with(RollupFile.read(ROLLUPS, "rollups.json"))
              .withHistograms(7);
      datasets.add(main);
      datasets.addAll(SideDatasets.of(main));
    }
    server = TestServer.with(directory, datasets);
    for (String layout : List.of("buckets", "opentsdb")) {
      prepare(layout);
    }
    broken.set(true);
  }

  @AfterAll
  void stop() {
    broken.set(false);
    server.close();
  }

  private void prepare(String layout) {
    stored(new Side(layout, "opentsdb", "POST", "/api/put", POINT));
    stored(
        new Side(
            layout, "opentsdb", "POST", "/api/annotation", "{\"startTime\":1,\"notes\":\"n\"}"));
    stored(new Side(layout, "kairosdb", "POST", "/api/v1/metadata/s/k/there", "text"));
    String lookup = stored(new Side(layout, "opentsdb", "GET", "/api/search/lookup?m=m", ""));
    know("$TSUID", layout, "\"tsuid\":\"([0-9A-F]+)\"", lookup);
    String meta =
        stored(
            new Side(
                layout,
                "opentsdb",
                "POST",
                "/api/uid/tsmeta?m=m%7Bhost=a%7D&create=true",
                "{\"units\":\"ms\"}"));
    know("$UID", layout, "\"metric\":\\{\"uid\":\"([0-9A-F]+)\"", meta);
    String task =
        stored(new Side(layout, "kairosdb", "POST", "/api/v1/rollups", TASK.formatted("t")));
    know("$TASK", layout, "\"id\":\"([0-9a-f-]+)\"", task);
  }

  private void know(String name, String layout, String pattern, String in) {
    Matcher found = Pattern.compile(pattern).matcher(in);
    assertThat(found.find()).as("%s in %s", pattern, in).isTrue();
    known.put(name + layout, found.group(1));
  }

  private String stored(Side side) {
    HttpResponse<String> answer = send(side);
    assertThat(answer.statusCode()).as("%s: %s", side, answer.body()).isBetween(200, 204);
    return answer.body();
  }

  private HttpResponse<String> send(Side side) {
    return server.send(
        server
            .request("/%s%s".formatted(side.dialect(), filled(side.path(), side.layout())))
            .header("X-Varve-Dataset", side.layout())
            .header("X-Client-Id", "test")
            .header(
                "Content-Type",
                side.body().startsWith("{") || side.body().startsWith("[")
                    ? "application/json"
                    : "text/plain")
            .method(side.method(), BodyPublishers.ofString(filled(side.body(), side.layout()))));
  }

  private String filled(String text, String layout) {
    String filled = text;
    for (String name : List.of("$TSUID", "$UID", "$TASK")) {
      filled = filled.replace(name, known.getOrDefault(name + layout, name));
    }
    return filled;
  }

  private static Stream<Side> ofOpenTsdb(String layout) {
    String delete = "/api/query?start=1699999000&end=1700001000&m=sum:m";
    return Stream.of(
            new String[] {"POST", "/api/put", POINT},
            new String[] {"POST", "/api/put?details", POINT},
            new String[] {"POST", "/api/put?summary&sync", POINT},
            new String[] {"POST", "/api/rollup", ROLLUP},
            new String[] {"POST", "/api/rollup?details", "[" + ROLLUP + "]"},
            new String[] {"POST", "/api/histogram", HISTOGRAM},
            new String[] {"POST", "/api/histogram?summary", "[" + HISTOGRAM + "]"},
            new String[] {"POST", "/api/annotation", "{\"startTime\":2,\"notes\":\"x\"}"},
            new String[] {"PUT", "/api/annotation", "{\"startTime\":1,\"notes\":\"x\"}"},
            new String[] {
              "POST", "/api/annotation", "{\"startTime\":2,\"tsuid\":\"$TSUID\",\"notes\":\"x\"}"
            },
            new String[] {"GET", "/api/annotation?start_time=2&notes=x&method_override=post", ""},
            new String[] {"DELETE", "/api/annotation?start_time=1", ""},
            new String[] {"POST", "/api/annotation/bulk", "[{\"startTime\":3,\"notes\":\"x\"}]"},
            new String[] {"PUT", "/api/annotation/bulk", "[{\"startTime\":1,\"notes\":\"x\"}]"},
            new String[] {"DELETE", "/api/annotation/bulk?start_time=1&end_time=9&global=true", ""},
            new String[] {
              "POST",
              "/api/uid/uidmeta",
              "{\"uid\":\"$UID\",\"type\":\"metric\",\"displayName\":\"x\"}"
            },
            new String[] {
              "PUT", "/api/uid/uidmeta", "{\"uid\":\"$UID\",\"type\":\"metric\",\"notes\":\"x\"}"
            },
            new String[] {"POST", "/api/uid/tsmeta", "{\"tsuid\":\"$TSUID\",\"units\":\"s\"}"},
            new String[] {"PUT", "/api/uid/tsmeta", "{\"tsuid\":\"$TSUID\",\"notes\":\"x\"}"},
            new String[] {"DELETE", "/api/uid/tsmeta?tsuid=$TSUID", ""},
            new String[] {"DELETE", delete, ""},
            new String[] {"GET", delete + "&method_override=delete", ""},
            new String[] {
              "POST",
              "/api/query",
              "{\"start\":1699999000,\"delete\":true,\"queries\":[{\"metric\":\"m\",\"aggregator\":\"sum\"}]}"
            })
        .map(of -> new Side(layout, "opentsdb", of[0], of[1], of[2]));
  }

  private static Stream<Side> ofKairosDb() {
    String query =
        "{\"start_absolute\":1699999000000,\"end_absolute\":1700001000000,\"metrics\":[{\"name\":\"m\"%s}]}";
    String saving =
        ",\"aggregators\":[" + SUM + ",{\"name\":\"save_as\",\"metric_name\":\"m.saved\"}]";
    return Stream.of(
            new String[] {
              "POST",
              "/api/v1/datapoints",
              "{\"name\":\"m\",\"timestamp\":1700000000000,\"value\":1,\"tags\":{\"host\":\"a\"}}"
            },
            new String[] {"POST", "/api/v1/metadata/s/k/other", "text"},
            new String[] {"DELETE", "/api/v1/metadata/s/k/there", ""},
            new String[] {"POST", "/api/v1/rollups", TASK.formatted("other")},
            new String[] {"PUT", "/api/v1/rollups/$TASK", TASK.formatted("changed")},
            new String[] {"DELETE", "/api/v1/rollups/$TASK", ""},
            new String[] {
              "GET",
              "/api/v1/rollups/backfill/$TASK?startTime=2023-11-14-22-00-00-000&endTime=2023-11-15-00-00-00-000",
              ""
            },
            new String[] {"POST", "/api/v1/datapoints/query", query.formatted(saving)},
            new String[] {"POST", "/api/v1/datapoints/delete", query.formatted("")},
            new String[] {"DELETE", "/api/v1/metric/m", ""})
        .map(of -> new Side("buckets", "kairosdb", of[0], of[1], of[2]));
  }

  private static Stream<Side> ofOthers() {
    return Stream.of(
            new String[] {
              "heroic",
              "POST",
              "/write",
              "{\"series\":{\"key\":\"m\",\"tags\":{\"host\":\"a\"}},\"data\":{\"type\":\"points\",\"data\":[[1700000000000,1]]}}"
            },
            new String[] {
              "heroic",
              "DELETE",
              "/metadata/series",
              "{\"range\":{\"type\":\"absolute\",\"start\":1699999000000,\"end\":1700001000000},\"filter\":[\"key\",\"m\"]}"
            },
            new String[] {
              "prometheus", "POST", "/api/v1/admin/tsdb/delete_series?match%5B%5D=m", ""
            },
            new String[] {
              "prometheus", "POST", "/api/v1/import/prometheus", "m{host=\"a\"} 1 1700000000000\n"
            },
            new String[] {
              "prometheus",
              "POST",
              "/api/v1/import",
              "{\"metric\":{\"__name__\":\"m\",\"host\":\"a\"},\"values\":[1],\"timestamps\":[1700000000000]}"
            },
            new String[] {"influx", "POST", "/write", "m,host=a value=1 1700000000000000000\n"},
            new String[] {"varve", "POST", "/v1/delete", "selector=m&from=1699999000000"})
        .map(of -> new Side("buckets", of[0], of[1], of[2], of[3]));
  }

  static Stream<Side> sides() {
    Stream<Side> uids =
        Stream.of(new Side("opentsdb", "opentsdb", "POST", "/api/uid/rename?metric=m&name=n", ""));
    // Last: a delete of unknown outcome hides samples that other requests need.
    return Stream.of(ofOpenTsdb("buckets"), ofOpenTsdb("opentsdb"), uids, ofKairosDb(), ofOthers())
        .flatMap(all -> all)
        .sorted(Comparator.comparing(Side::deletes));
  }

  @ParameterizedTest
  @MethodSource("sides")
  void nothingIsAcknowledged(Side side) {
    HttpResponse<String> answer = send(side);
    assertThat(answer.statusCode()).as("%s: %s", side, answer.body()).isGreaterThanOrEqualTo(400);
    assertThat(answer.body())
        .as("%s", side)
        .matches(Objects.requireNonNull(FORMS.get(side.dialect())));
    assertThat(answer.body()).doesNotContain("Exception", "dev.varve", "\tat ");
  }

  /** It lists an error per name. */
  @Test
  void noUidIsAssigned() {
    HttpResponse<String> answer =
        send(new Side("opentsdb", "opentsdb", "POST", "/api/uid/assign?metric=fresh", ""));
    assertThat(answer.statusCode()).as(answer.body()).isGreaterThanOrEqualTo(400);
    assertThat(answer.body()).doesNotContain("\"fresh\":\"0", "Exception", "dev.varve");
  }
}
