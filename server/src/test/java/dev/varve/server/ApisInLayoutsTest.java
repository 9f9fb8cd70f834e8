package dev.varve.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.layout.registry.Layouts;
import java.io.IOException;
import java.net.URLEncoder;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiFunction;
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
 * Every API answers alike in every layout, and reads what every other API has written, within what
 * all layouts hold: finite doubles at whole seconds, and tags for which every layout has a place.
 */
@TestInstance(Lifecycle.PER_CLASS)
class ApisInLayoutsTest {
  /** The layout with whose answers those of the others are compared. */
  private static final String REFERENCE = "buckets";

  /** Seconds. Rows of KairosDB end 5,400 s later, and rows of OpenTSDB every hour. */
  private static final long START = 1_700_092_800 - 5_400;

  private static final long END = START + 10_800;

  /** In the next row of Heroic, which ends at 396 times 2^32 ms. */
  private static final long LATE = 1_700_807_100;

  private static final String RANGE_MILLIS =
      "\"start_absolute\":%d000,\"end_absolute\":%d000".formatted(START, LATE);

  private static final String HEROIC_RANGE =
      "\"range\":{\"type\":\"absolute\",\"start\":%d000,\"end\":%d000}".formatted(START - 1, LATE);

  private TestServer server;

  /**
   * A request that every dataset answers.
   *
   * @param body null for a GET; may contain {@code METRIC}, as the path may
   * @param holds a part of the answer, so that equal answers are not equally empty
   */
  record Asked(String api, String path, String type, String body, String holds) {
    private static Asked get(String api, String path, String holds) {
      return new Asked(api, path, "", "", holds);
    }

    private static Asked json(String api, String path, String body, String holds) {
      return new Asked(api, path, "application/json", body, holds);
    }

    @Override
    public String toString() {
      return path + " " + body;
    }
  }

  /**
   * A write through an API: {@code of} returns the body of the points of one series, given as
   * seconds and values.
   */
  private record Writer(
      String path,
      String type,
      String start,
      String end,
      BiFunction<String, double[][], String> of) {}

  private static final String[][] TAGS = {
    {"a", "s0"}, {"a", "s1"}, {"b", "s0"}, {"c", "s1"},
  };

  @BeforeAll
  void start(@TempDir Path directory) throws IOException {
    server = new TestServer(directory, null, layouts().toArray(String[]::new));
    for (String layout : (Iterable<String>) layouts()::iterator) {
      writers().keySet().forEach(api -> write(layout, api));
    }
  }

  @AfterAll
  void stop() {
    server.close();
  }

  static Stream<String> layouts() {
    return Stream.concat(
        Stream.of(REFERENCE, Layouts.DEFAULT),
        Layouts.list().stream().map(Layouts.Entry::name).filter(name -> !name.equals(REFERENCE)));
  }

  /** The points of one series: with a jitter, a gap, whole numbers and fractions. */
  private static double[][] points(int series) {
    List<double[]> points = new ArrayList<>();
    for (int i = 0; i < 36; i++) {
      if (i % 12 < 10) {
        double value = i % 7 == 0 ? i : i * 5.3 - 40 * series;
        points.add(new double[] {START + 300L * i + (i + series) % 9, value});
      }
    }
    points.add(new double[] {LATE - 10 + series, 0.5 + series});
    return points.toArray(double[][]::new);
  }

  private void write(String layout, String api) {
    Writer writer = Objects.requireNonNull(writers().get(api), api);
    StringBuilder body = new StringBuilder(writer.start());
    for (int i = 0; i < TAGS.length; i++) {
      body.append(i == 0 || writer.start().isEmpty() ? "" : ",");
      body.append(writer.of().apply(TAGS[i][0] + " " + TAGS[i][1], points(i)));
    }
    body.append(writer.end());
    HttpResponse<String> answer =
        server.send(
            server
                .request("/datasets/" + layout + writer.path())
                .header("Content-Type", writer.type())
                .POST(BodyPublishers.ofString(body.toString().replace("METRIC", "cpu_" + api))));
    assertThat(answer.statusCode()).as("%s: %s", layout, answer.body()).isBetween(200, 204);
  }

  private static String tags(String hostAndSymbol, String each, String between) {
    String[] both = hostAndSymbol.split(" ", 2);
    Map<String, String> all = new LinkedHashMap<>();
    all.put("exchange", "x");
    all.put("host", both[0]);
    all.put("meter", "m");
    all.put("region", "r");
    all.put("symbol", both[1]);
    return String.join(
        between,
        all.entrySet().stream().map(tag -> each.formatted(tag.getKey(), tag.getValue())).toList());
  }

  private static String of(double[][] points, String each, String between) {
    List<String> all = new ArrayList<>();
    for (double[] point : points) {
      all.add(each.formatted((long) point[0], Double.toString(point[1])));
    }
    return String.join(between, all);
  }

  private static Map<String, Writer> writers() {
    String jsonTag = "\"%s\":\"%s\"";
    Map<String, Writer> writers = new LinkedHashMap<>();
    writers.put(
        "kairosdb",
        new Writer(
            "/api/v1/datapoints",
            "application/json",
            "[",
            "]",
            (series, points) ->
                "{\"name\":\"METRIC\",\"tags\":{%s},\"datapoints\":[%s]}"
                    .formatted(tags(series, jsonTag, ","), of(points, "[%d000,%s]", ","))));
    writers.put(
        "opentsdb",
        new Writer(
            "/api/put",
            "application/json",
            "[",
            "]",
            (series, points) ->
                of(
                    points,
                    "{\"metric\":\"METRIC\",\"timestamp\":%d,\"value\":%s,\"tags\":{"
                        + tags(series, jsonTag, ",")
                        + "}}",
                    ",")));
    writers.put(
        "prometheus",
        new Writer(
            "/api/v1/import/prometheus",
            "text/plain",
            "",
            "",
            (series, points) -> {
              String labels = "METRIC{" + tags(series, "%s=\"%s\"", ",") + "}";
              StringBuilder lines = new StringBuilder();
              for (double[] point : points) {
                lines.append("%s %s %d000\n".formatted(labels, point[1], (long) point[0]));
              }
              return lines.toString();
            }));
    writers.put(
        "influx",
        new Writer(
            "/write?precision=s",
            "text/plain",
            "",
            "",
            (series, points) -> {
              StringBuilder lines = new StringBuilder();
              for (double[] point : points) {
                lines.append(
                    "METRIC,%s value=%s %d\n"
                        .formatted(tags(series, "%s=%s", ","), point[1], (long) point[0]));
              }
              return lines.toString();
            }));
    writers.put(
        "otlp",
        new Writer(
            "/v1/metrics",
            "application/json",
            "{\"resourceMetrics\":[{\"scopeMetrics\":[{\"metrics\":[",
            "]}]}]}",
            (series, points) -> {
              String attributes =
                  tags(series, "{\"key\":\"%s\",\"value\":{\"stringValue\":\"%s\"}}", ",");
              StringBuilder all = new StringBuilder();
              for (double[] point : points) {
                all.append(all.isEmpty() ? "" : ",")
                    .append(
                        "{\"timeUnixNano\":\"%d000000000\",\"asDouble\":%s,\"attributes\":[%s]}"
                            .formatted((long) point[0], point[1], attributes));
              }
              return "{\"name\":\"METRIC\",\"gauge\":{\"dataPoints\":[%s]}}".formatted(all);
            }));
    writers.put(
        "heroic",
        new Writer(
            "/heroic/write",
            "application/json",
            "[",
            "]",
            (series, points) ->
                "{\"series\":{\"key\":\"METRIC\",\"tags\":{%s}},\"data\":{\"type\":\"points\",\"data\":[%s]}}"
                    .formatted(tags(series, jsonTag, ","), of(points, "[%d000,%s]", ","))));
    return writers;
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  private static Asked promQl(String expression, String holds) {
    return Asked.get(
        "prometheus",
        "/api/v1/query_range?start=%d&end=%d&step=300&query=%s"
            .formatted(START, END, encoded(expression)),
        holds);
  }

  private static Asked kairosDb(String more, String holds) {
    return Asked.json(
        "kairosdb",
        "/api/v1/datapoints/query",
        "{%s,\"metrics\":[{\"name\":\"METRIC\"%s}]}".formatted(RANGE_MILLIS, more),
        holds);
  }

  private static String aggregator(String name, String more) {
    return ",\"group_by\":[{\"name\":\"tag\",\"tags\":[\"host\"]}],\"aggregators\":[{\"name\":\"%s\",\"sampling\":{\"value\":10,\"unit\":\"minutes\"}%s}]"
        .formatted(name, more);
  }

  private static Asked openTsdb(String m, String holds) {
    return Asked.get(
        "opentsdb", "/api/query?start=%d&end=%d&m=%s".formatted(START, END, encoded(m)), holds);
  }

  private static Asked heroic(String more, String holds) {
    return Asked.json(
        "heroic",
        "/heroic/query/metrics",
        "{%s,\"filter\":[\"key\",\"METRIC\"]%s}".formatted(HEROIC_RANGE, more),
        holds);
  }

  private static Asked heroicNames(String what, String more, String holds) {
    return Asked.json("heroic", "/heroic/metadata/" + what, "{" + HEROIC_RANGE + more + "}", holds);
  }

  private static Asked varve(String parameters, String holds) {
    return Asked.get(
        "varve",
        "/varve/v1/query?selector=METRIC&from=%s&to=%s%s"
            .formatted(Instant.ofEpochSecond(START), Instant.ofEpochSecond(LATE), parameters),
        holds);
  }

  /** One query of each API that reads every point. */
  private static List<Asked> everyPoint() {
    return List.of(
        Asked.get(
            "prometheus", "/api/v1/query?time=%d&query=METRIC%%5B10d%%5D".formatted(LATE), "\"a\""),
        Asked.get("prometheus", "/api/v1/export?match%5B%5D=METRIC", "\"symbol\":\"s1\""),
        kairosDb(",\"group_by\":[{\"name\":\"tag\",\"tags\":[\"host\",\"symbol\"]}]", "000,0.5]"),
        Asked.json(
            "opentsdb",
            "/api/query",
            "{\"start\":%d,\"end\":%d,\"queries\":[{\"aggregator\":\"none\",\"metric\":\"METRIC\"}]}"
                .formatted(START, LATE),
            "\"%d\":0.5".formatted(LATE - 10)),
        heroic("", "000,0.5]"),
        varve("", "0.5"));
  }

  private static List<Asked> prometheus() {
    String range = "start=%d&end=%d".formatted(START, LATE);
    return List.of(
        promQl("METRIC", "\"values\":[["),
        promQl("sum by (host) (rate(METRIC[10m]))", "\"host\":\"c\""),
        promQl("avg(METRIC{symbol=~\"s0|s2\",host!=\"b\"})", "\"values\":[["),
        promQl("quantile_over_time(0.9, METRIC[15m] offset 5m)", "\"host\":\"c\""),
        promQl("topk(2, max_over_time(METRIC[20m:1m]))", "\"values\":[["),
        promQl("METRIC / on(host, symbol) METRIC{host=\"a\"}", "\"host\":\"a\""),
        Asked.get("prometheus", "/api/v1/series?match%5B%5D=METRIC&" + range, "\"meter\":\"m\""),
        Asked.get("prometheus", "/api/v1/labels?" + range, "\"exchange\""),
        Asked.get("prometheus", "/api/v1/label/host/values?" + range, "[\"a\",\"b\",\"c\"]"),
        Asked.get("prometheus", "/api/v1/status/tsdb", "\"numSeries\":24"));
  }

  private static List<Asked> kairosDb() {
    return List.of(
        kairosDb(aggregator("avg", ""), "\"group\":{\"host\":\"c\"}"),
        kairosDb(aggregator("sum", ",\"align_sampling\":true"), "\"values\":[["),
        kairosDb(aggregator("percentile", ",\"percentile\":0.75"), "\"values\":[["),
        kairosDb(aggregator("gaps", ""), ",null]"),
        kairosDb(aggregator("least_squares", ""), "\"values\":[["),
        kairosDb(",\"aggregators\":[{\"name\":\"rate\",\"unit\":\"minutes\"}]", "\"values\":[["),
        kairosDb(",\"tags\":{\"host\":[\"a\",\"b\"]},\"limit\":7,\"order\":\"desc\"", "000,0.5]"),
        kairosDb(
            ",\"group_by\":[{\"name\":\"value\",\"range_size\":100},{\"name\":\"time\",\"group_count\":3,\"range_size\":{\"value\":1,\"unit\":\"hours\"}}]",
            "\"group_number\":2"),
        Asked.json(
            "kairosdb",
            "/api/v1/datapoints/query/tags",
            "{%s,\"metrics\":[{\"name\":\"METRIC\",\"tags\":{\"host\":\"a\"}}]}"
                .formatted(RANGE_MILLIS),
            "\"symbol\":[\"s0\",\"s1\"]"),
        Asked.get("kairosdb", "/api/v1/metricnames", "\"cpu_otlp\""));
  }

  private static List<Asked> openTsdb() {
    return List.of(
        openTsdb("sum:METRIC", "\"dps\":{\""),
        openTsdb("avg:10m-max:METRIC{host=*}", "\"host\":\"c\""),
        openTsdb("zimsum:rate{counter,1000,50}:5m-sum-nan:METRIC{symbol=s0|s1}", "\"NaN\""),
        openTsdb("p90:15m-count-zero:METRIC{}{host=wildcard(*)}", "\"dps\":{\""),
        openTsdb("none:0all-dev:METRIC", "\"host\":\"c\""),
        Asked.json(
            "opentsdb",
            "/api/query?arrays",
            "{\"start\":%d,\"end\":%d,\"msResolution\":true,\"showQuery\":true,\"queries\":[{\"aggregator\":\"dev\",\"metric\":\"METRIC\",\"downsample\":\"20m-last\",\"filters\":[{\"type\":\"iliteral_or\",\"tagk\":\"host\",\"filter\":\"A|B\",\"groupBy\":true}]}]}"
                .formatted(START, END),
            "\"host\":\"b\""),
        Asked.json(
            "opentsdb",
            "/api/query/exp",
            "{\"time\":{\"start\":\"%d\",\"end\":\"%d\",\"aggregator\":\"sum\"},\"metrics\":[{\"id\":\"a\",\"metric\":\"METRIC\"}],\"expressions\":[{\"id\":\"e\",\"expr\":\"a*2.5\"}],\"outputs\":[{\"id\":\"e\"}]}"
                .formatted(START, END),
            "\"dps\":[["),
        Asked.get(
            "opentsdb",
            "/api/query/gexp?start=%d&end=%d&exp=%s"
                .formatted(START, END, encoded("scale(sum:METRIC{host=*},10)")),
            "\"dps\":{"),
        Asked.get("opentsdb", "/api/query/last?timeseries=" + encoded("METRIC{host=a}"), "\"0.5\""),
        Asked.get(
            "opentsdb", "/api/search/lookup?m=" + encoded("METRIC{host=*}"), "\"totalResults\":4"),
        Asked.get("opentsdb", "/api/suggest?type=metrics&q=cpu", "\"cpu_heroic\""),
        Asked.get("opentsdb", "/api/suggest?type=tagk", "\"exchange\""),
        Asked.get("opentsdb", "/api/suggest?type=tagv&q=s", "[\"s0\",\"s1\"]"));
  }

  private static List<Asked> heroic() {
    List<Asked> all = new ArrayList<>();
    for (String aggregation : List.of("average", "sum", "min", "count", "stddev", "spread")) {
      all.add(
          heroic(
              ",\"aggregators\":[{\"type\":\"group\",\"of\":[\"host\"],\"each\":[{\"type\":\"%s\",\"sampling\":{\"value\":10,\"unit\":\"minutes\"}}]}]"
                  .formatted(aggregation),
              "\"host\":\"c\""));
    }
    all.add(
        new Asked(
            "heroic",
            "/heroic/query/metrics",
            "text/plain",
            "max(20m) by symbol | delta from points(%d000, %d000) where $key = METRIC"
                .formatted(START, END),
            "\"symbol\":\"s1\""));
    all.add(heroicNames("keys", "", "\"cpu_heroic\""));
    all.add(heroicNames("tags", "", "\"host\":[\"a\",\"b\",\"c\"]"));
    all.add(heroicNames("series", ",\"filter\":[\"=\",\"host\",\"a\"]", "\"cpu_influx\""));
    all.add(heroicNames("series-count", "", "\"count\":24"));
    all.add(heroicNames("tagkey-count", "", "\"exactValues\""));
    all.add(heroicNames("key-suggest", ",\"key\":\"cpu\"", "\"cpu_otlp\""));
    all.add(heroicNames("tag-suggest", ",\"key\":\"sym\"", "\"symbol\""));
    all.add(heroicNames("tag-value-suggest", ",\"key\":\"host\"", "[\"a\",\"b\",\"c\"]"));
    all.add(heroicNames("tag-values-suggest", "", "\"exchange\""));
    return all;
  }

  private static List<Asked> varve() {
    return List.of(
        varve("&every=10m&aggregate=avg&by=host", "c"),
        varve("&every=1h&aggregate=max&zone=Asia/Kolkata", "symbol"),
        varve("&rate=counter&every=30m&aggregate=sum&by=symbol&across=max", "s1"),
        varve("&order=newest&limit=2&samples=3", "0.5"));
  }

  /** Returns requests in the order of their APIs. */
  static Stream<Asked> requests() {
    return Stream.of(everyPoint(), prometheus(), kairosDb(), openTsdb(), heroic(), varve())
        .flatMap(List::stream);
  }

  private HttpResponse<String> ask(String layout, Asked asked, String metric) {
    HttpRequest.Builder request =
        server
            .request("/datasets/" + layout + asked.path().replace("METRIC", metric))
            .header("X-Client-Id", "test");
    return server.send(
        asked.type().isEmpty()
            ? request
            : request
                .header("Content-Type", asked.type())
                .POST(BodyPublishers.ofString(asked.body().replace("METRIC", metric))));
  }

  /** The parts of an answer that differ even between equal requests to one dataset. */
  private static final Pattern VOLATILE =
      Pattern.compile("\"queryId\":\"[^\"]*\"|\"elapsed\":\\d+|\"time\":\\d+");

  /** The end of the last bucket that the catalog knows, which depends on the unit of time. */
  private static final Pattern LAST_BUCKET = Pattern.compile("\"maxTime\":\\d+");

  /** Varve's own answers have times in the unit of the dataset. */
  private static final Pattern TIMES = Pattern.compile("\\[(\\d{10})(\\d{3}|\\d{9})?,");

  /** Identifiers of the original's in the layout {@code opentsdb}, as docs/api/opentsdb.md says. */
  private static final Pattern UIDS =
      Pattern.compile("\"tsuid\":\"[0-9A-F]+\"|\"filterTagKs\":\\[[^]]*]");

  private String answer(String layout, Asked asked, String metric) {
    HttpResponse<String> answer = ask(layout, asked, metric);
    assertThat(answer.statusCode()).as("%s: %s: %s", layout, asked, answer.body()).isEqualTo(200);
    String body = VOLATILE.matcher(answer.body()).replaceAll("");
    return switch (asked.api()) {
      case "opentsdb" -> UIDS.matcher(body).replaceAll("");
      case "prometheus" -> LAST_BUCKET.matcher(body).replaceAll("");
      case "varve" -> TIMES.matcher(body).replaceAll("[$1,");
      default -> body;
    };
  }

  @ParameterizedTest
  @MethodSource("requests")
  void isAnsweredAlikeInEveryLayout(Asked asked) {
    String expected = answer(REFERENCE, asked, "cpu_kairosdb");
    assertThat(expected.toLowerCase(Locale.ROOT)).contains(asked.holds().toLowerCase(Locale.ROOT));
    for (String layout : (Iterable<String>) layouts()::iterator) {
      assertThat(answer(layout, asked, "cpu_kairosdb"))
          .as("%s, beside %s", layout, REFERENCE)
          .isEqualTo(expected);
    }
  }

  @ParameterizedTest
  @MethodSource("layouts")
  void everyApiReadsWhatEveryOtherHasWritten(String layout) {
    for (Asked asked : everyPoint()) {
      String expected = answer(REFERENCE, asked, "cpu_kairosdb");
      for (String api : writers().keySet()) {
        assertThat(answer(layout, asked, "cpu_" + api).replace("cpu_" + api, "cpu_kairosdb"))
            .as("written by %s, read by %s: %s", api, asked.api(), asked)
            .isEqualTo(expected);
      }
    }
  }
}
