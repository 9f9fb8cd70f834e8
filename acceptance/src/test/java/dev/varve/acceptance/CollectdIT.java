package dev.varve.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.acceptance.CollectdValues.Row;
import dev.varve.acceptance.CollectdValues.Source;
import dev.varve.acceptance.KairosQuery.Wanted;
import java.io.IOException;
import java.math.BigDecimal;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * A real collectd sends its measurements to four datasets, by HTTP in KairosDB's format and by
 * OpenTSDB's telnet lines, and also writes them to files. Every value in the files must be in every
 * dataset, on both ways. What Varve scrapes from its write_prometheus plugin must be in the files,
 * too.
 */
class CollectdIT {
  private static final Duration TIME =
      Duration.ofSeconds(Long.getLong("varve.collectd.seconds", 30));

  /** collectd drops what it has not sent when it stops, so it runs longer on a slow machine. */
  private static final Duration TIME_MAX = TIME.multipliedBy(4);

  private static final List<String> DATASETS = List.of("heroic", "kairosdb", "opentsdb", "buckets");
  private static final int PROBLEMS_SHOWN = 20;

  /** Log lines of collectd about failed requests. It also logs 204, because that is not 200. */
  private static final Pattern TROUBLE = Pattern.compile("Error code: [^2]|failed|FILTERED|error:");

  private final Path folder = Checkout.fresh("collectd");
  private final Map<String, Integer> telnetPorts = new LinkedHashMap<>();
  private final int exposedPort = VarveProcess.freePort();

  @Test
  void findsEveryValueOfARealAgentInEveryDataset() throws Exception {
    DATASETS.forEach(dataset -> telnetPorts.put(dataset, VarveProcess.freePort()));
    try (VarveProcess server = VarveProcess.in(folder, serverConfig()).start()) {
      List<Source> sources = measure(server);
      assertIsWorthIt(sources);
      for (String dataset : DATASETS) {
        checkHttp(server, dataset, sources);
        checkTelnet(server, dataset, sources);
      }
      checkScraped(server, sources);
      assertThat(server.isAlive()).isTrue();
    }
  }

  private String serverConfig() {
    StringBuilder config = new StringBuilder("data: data\nlisten:\n- {port: PORT}\n");
    telnetPorts.forEach(
        (dataset, port) -> config.append("- {port: %d, dataset: %s}%n".formatted(port, dataset)));
    config.append("default: buckets\ndatasets:\n");
    DATASETS.forEach(dataset -> config.append("  %s: {layout: %s}%n".formatted(dataset, dataset)));
    config.append(
        """
        scrape:
          dataset: buckets
          scrape_configs:
          - job_name: collectd
            scrape_interval: 1s
            honor_labels: true
            static_configs: [{targets: ['127.0.0.1:%d']}]
        """
            .formatted(exposedPort));
    return config.toString();
  }

  /**
   * Runs collectd for a while, stops it so that it sends what it has buffered, and reads its files.
   */
  private List<Source> measure(VarveProcess server) throws IOException, InterruptedException {
    CollectdProcess agent = CollectdProcess.start(folder, agentConfig(server));
    try (agent) {
      Instant begun = Instant.now();
      Duration wait = TIME;
      do {
        agent.run(wait);
        wait = Duration.ofSeconds(1);
      } while (!isEnough(CollectdValues.read(folder.resolve("csv")), server)
          && Duration.between(begun, Instant.now()).compareTo(TIME_MAX) < 0);
    }
    assertThat(agent.log().lines().filter(TROUBLE.asPredicate()).limit(PROBLEMS_SHOWN).toList())
        .as("what collectd says of its writers" + server.shownLog())
        .isEmpty();
    return CollectdValues.read(folder.resolve("csv"));
  }

  private String agentConfig(VarveProcess server) {
    StringBuilder config = new StringBuilder();
    config.append(
        """
        # Counters that only rise:
        LoadPlugin cpu
        LoadPlugin contextswitch
        LoadPlugin interface
        <Plugin interface>
          Interface "lo"
        </Plugin>
        LoadPlugin processes
        LoadPlugin vmem
        # Gauges, whole and with many digits:
        LoadPlugin load
        LoadPlugin memory
        <Plugin memory>
          ValuesAbsolute true
          ValuesPercentage true
        </Plugin>
        LoadPlugin df
        <Plugin df>
          MountPoint "/"
          ReportInodes true
          ValuesPercentage true
        </Plugin>
        LoadPlugin uptime
        LoadPlugin users
        """);
    config.append("LoadPlugin write_http\n<Plugin write_http>\n");
    DATASETS.forEach(dataset ->
        config.append(
            """
              <Node "%s">
                URL "%s"
                Format KAIROSDB
                StoreRates false
                LogHttpError true
              </Node>
            """
                .formatted(dataset, server.uri("/datasets/" + dataset + "/api/v1/datapoints"))));
    config.append("</Plugin>\nLoadPlugin write_tsdb\n<Plugin write_tsdb>\n");
    telnetPorts.forEach((dataset, port) ->
        config.append(
            """
              <Node "%s">
                Host "127.0.0.1"
                Port "%d"
                StoreRates false
              </Node>
            """
                .formatted(dataset, port)));
    config.append("</Plugin>\n");
    config.append(
        """
        LoadPlugin write_prometheus
        <Plugin write_prometheus>
          Host "127.0.0.1"
          Port "%d"
        </Plugin>
        """
            .formatted(exposedPort));
    return config.toString();
  }

  /** Checks that there is something to find: integers and fractions for most of the time. */
  private static void assertIsWorthIt(List<Source> sources) {
    List<Row> rows = rows(sources);
    assertThat(sources).hasSizeGreaterThan(40);
    assertThat(coversMostOfTheTime(sources)).as("%d rows", rows.size()).isTrue();
    assertThat(rows).anyMatch(Row::isInteger);
    assertThat(rows).anyMatch(row -> row.text().matches("\\d+\\.\\d*[1-9]\\d*"));
  }

  /** Returns whether there is enough to check, which a slow machine takes longer to produce. */
  private static boolean isEnough(List<Source> sources, VarveProcess server) throws IOException {
    return coversMostOfTheTime(sources) && rarelyScraped(sources, scraped(server)).isEmpty();
  }

  private static boolean coversMostOfTheTime(List<Source> sources) {
    return rows(sources).size() > sources.size() * (TIME.toSeconds() - 10);
  }

  private static List<Row> rows(List<Source> sources) {
    return sources.stream().flatMap(source -> source.rows().stream()).toList();
  }

  private static void checkHttp(VarveProcess server, String dataset, List<Source> sources)
      throws IOException {
    List<NavigableMap<Long, BigDecimal>> found =
        KairosQuery.all(server, dataset, sources.stream().map(Source::overHttp).toList());
    List<String> problems = new ArrayList<>();
    for (int i = 0; i < sources.size(); i++) {
      Source source = sources.get(i);
      for (Row row : source.rows()) {
        BigDecimal value = firstAt(row.times(), found.get(i));
        if (value == null || !row.isValue(value) || !keepsItsKind(dataset, row, value)) {
          problems.add(source + " " + row + ": " + value);
        }
      }
      if (found.get(i).size() != source.rows().size()) {
        problems.add(source + ": " + found.get(i).size() + " of " + source.rows().size());
      }
    }
    assertThat(problems.stream().limit(PROBLEMS_SHOWN).toList())
        .as("%d problems in %s over HTTP", problems.size(), dataset)
        .isEmpty();
  }

  private static @Nullable BigDecimal firstAt(List<Long> times, Map<Long, BigDecimal> found) {
    for (Long time : times) {
      BigDecimal value = found.get(time);
      if (value != null) {
        return value;
      }
    }
    return null;
  }

  /**
   * Returns whether an integer is still one when it is read. Only Heroic holds nothing but doubles.
   */
  private static boolean keepsItsKind(String dataset, Row row, BigDecimal value) {
    return dataset.equals("heroic") || !row.isInteger() || value.scale() == 0;
  }

  /**
   * Telnet has no answers, so the values may still be in flight. Two values in one second become
   * one point, the later one.
   */
  private static void checkTelnet(VarveProcess server, String dataset, List<Source> sources) {
    List<Wanted> wanted = sources.stream().map(Source::overTelnet).toList();
    Awaitility.await()
        .atMost(Duration.ofSeconds(15))
        .pollInterval(Duration.ofMillis(500))
        .untilAsserted(() -> {
          List<NavigableMap<Long, BigDecimal>> found = KairosQuery.all(server, dataset, wanted);
          List<String> problems = new ArrayList<>();
          for (int i = 0; i < sources.size(); i++) {
            checkSeconds(sources.get(i), found.get(i), problems);
          }
          assertThat(problems.stream().limit(PROBLEMS_SHOWN).toList())
              .as("%d problems in %s over telnet", problems.size(), dataset)
              .isEmpty();
        });
  }

  private static void checkSeconds(
      Source source, Map<Long, BigDecimal> found, List<String> problems) {
    for (Row row : source.rows()) {
      boolean there =
          row.seconds().stream()
              .anyMatch(second -> {
                BigDecimal value = found.get(1000 * second);
                return value != null
                    && source.rows().stream()
                        .anyMatch(other ->
                            other.milliseconds() >= row.milliseconds()
                                && other.seconds().contains(second)
                                && other.isValue(value));
              });
      if (!there) {
        problems.add(source + " " + row + " in " + row.seconds());
      }
    }
  }

  /**
   * The exposed values are the newest ones, each with its time. Two scrapes may find the same ones
   * or miss some.
   */
  private static void checkScraped(VarveProcess server, List<Source> sources) throws IOException {
    Map<Map<String, Object>, List<Object>> found = scraped(server);
    List<String> problems = new ArrayList<>(rarelyScraped(sources, found));
    for (Source source : sources) {
      for (Object sample : found.getOrDefault(source.overScrape(), List.of())) {
        List<Object> pair = Json.elements(sample);
        long time = ((BigDecimal) pair.get(0)).movePointRight(3).longValueExact();
        BigDecimal value = new BigDecimal((String) pair.get(1));
        if (source.rows().stream()
            .noneMatch(row -> row.times().contains(time) && row.isValue(value))) {
          problems.add(source + " " + sample);
        }
      }
    }
    assertThat(problems.stream().limit(PROBLEMS_SHOWN).toList())
        .as("%d problems of what was scraped", problems.size())
        .isEmpty();
  }

  /** Returns the sources of whose rows less than half were scraped. */
  private static List<String> rarelyScraped(
      List<Source> sources, Map<Map<String, Object>, List<Object>> found) {
    List<String> rare = new ArrayList<>();
    for (Source source : sources) {
      int samples = found.getOrDefault(source.overScrape(), List.of()).size();
      if (samples < source.rows().size() / 2) {
        rare.add("%s: %d of %d".formatted(source, samples, source.rows().size()));
      }
    }
    return rare;
  }

  /** Returns the samples that Varve scraped, by labels. */
  private static Map<Map<String, Object>, List<Object>> scraped(VarveProcess server)
      throws IOException {
    HttpResponse<String> answer =
        server.get(
            "/api/v1/query?query=%7Bjob%3D%22collectd%22%2C__name__%3D~%22collectd_.%2B%22%7D%5B10m%5D");
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    Map<Map<String, Object>, List<Object>> found = new HashMap<>();
    Map<String, Object> data = Json.members(Json.object(answer.body()).get("data"));
    for (Object one : Json.elements(data.get("result"))) {
      Map<String, Object> labels = new TreeMap<>(Json.members(Json.members(one).get("metric")));
      labels.remove("job");
      found.put(labels, Json.elements(Json.members(one).get("values")));
    }
    return found;
  }
}
