package dev.varve.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.cli.io.JsonTree;
import dev.varve.formats.json.Json;
import dev.varve.query.promql.PromQl;
import dev.varve.server.config.ConfigNode;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/**
 * The alerting rules and the dashboard ask for metrics that a server exports and the documentation
 * names, and each alert has a runbook and a test.
 */
class MonitoringTest {
  private static final Path MONITORING = Path.of("../packaging/monitoring");
  private static final Path DOCS = Path.of("../docs");
  private static final Pattern METRIC = Pattern.compile("\\b(varve|jvm|process)_[a-z0-9_]+");

  /** Metrics that no panel shows and no alert watches, with the reason. */
  private static final Map<String, String> NOT_WATCHED =
      Map.ofEntries(
          Map.entry(
              "varve_store_recovery_torn_tails_total",
              "normal after a crash; the log says what was cut off"),
          Map.entry(
              "varve_store_recovery_cut_bytes_total",
              "normal after a crash; the log says what was cut off"),
          Map.entry("varve_catalog_rebuilt_bytes", "grows with the rows, which are drawn"),
          Map.entry("varve_deletes_standing", "normal; deletes that wait are drawn"),
          Map.entry("varve_key_counters_missed_cells_total", "the heat map says what it lacks"),
          Map.entry("varve_rule_group_interval_seconds", "configuration"),
          Map.entry("varve_rule_group_rules", "configuration"),
          Map.entry("varve_rule_group_last_evaluation_samples", "the recorded series show it"),
          Map.entry(
              "varve_rule_group_last_evaluation_timestamp_seconds", "evaluations are counted"),
          Map.entry("varve_rule_group_last_restore_duration_seconds", "once, at a start"),
          Map.entry("varve_store_cells_estimate", "an estimate; the bytes are drawn"),
          Map.entry("varve_store_tables", "configuration"),
          Map.entry("varve_write_guardrail_findings_total", "advice; the log has it"),
          Map.entry("varve_write_index_cells_skipped_total", "work that was saved"),
          Map.entry("varve_write_keys_cached", "bounded by its share of the heap"));

  /** Columns of Grafana's grid. */
  private static final int COLUMNS = 24;

  private static final int ROWS_MAX = 1_000;

  private static final String CONFIG =
      """
      data: data
      listen:
      - {host: 127.0.0.1, port: 0}
      - {host: 127.0.0.1, port: 0, protocol: graphite, as: operator}
      web: {users-file: users.yml}
      datasets: {default: {}, doubles: {layout: heroic}}
      write: {relabel: [{source_labels: [__name__], regex: unwanted, action: drop}]}
      rules: {files: [rules.yml], alertmanagers: [{url: 'http://127.0.0.1:1'}]}
      """;

  private static final String USERS =
      "users: [{username: operator, bearer_token: t0ken, rights: [read, write, delete, admin]}]";

  private static final String RULES =
      "groups: [{name: g, interval: 1s, rules: [{alert: A, expr: vector(1)}]}]";

  @TempDir private static Path folder;

  /** The names of the samples that a server exports after a write, a query and a refusal. */
  private static final Set<String> EXPORTED = new TreeSet<>();

  @BeforeAll
  static void askAServer() throws Exception {
    Files.writeString(folder.resolve("varve.yaml"), CONFIG);
    Files.writeString(folder.resolve("users.yml"), USERS);
    Files.writeString(folder.resolve("rules.yml"), RULES);
    Path out = folder.resolve("out");
    Process server =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-XX:TieredStopAtLevel=1",
                "-Xmx128m",
                "-cp",
                classPath(),
                Main.class.getName(),
                "serve",
                "--output",
                "csv")
            .directory(folder.toFile())
            .redirectOutput(out.toFile())
            .redirectError(folder.resolve("err").toFile())
            .start();
    try {
      Awaitility.await("the addresses of the server")
          .atMost(Duration.ofSeconds(60))
          .until(() -> !server.isAlive() || ports(out).size() == 2);
      assertThat(server.isAlive()).as(Files.readString(folder.resolve("err"))).isTrue();
      use(ports(out).getFirst(), ports(out).getLast());
    } finally {
      server.destroyForcibly().waitFor();
    }
  }

  /** Returns the class path of this test, which names folders relative to the module. */
  private static String classPath() {
    return Stream.of(System.getProperty("java.class.path").split(":"))
        .map(part -> Path.of(part).toAbsolutePath().toString())
        .collect(Collectors.joining(":"));
  }

  private static List<Integer> ports(Path out) throws IOException {
    List<Integer> ports = new ArrayList<>();
    Matcher port = Pattern.compile("://127\\.0\\.0\\.1:(\\d+)").matcher(Files.readString(out));
    while (port.find()) {
      ports.add(Integer.parseInt(port.group(1)));
    }
    return ports;
  }

  private static void use(int http, int graphite) throws Exception {
    String url = "http://127.0.0.1:" + http;
    try (HttpClient client = HttpClient.newHttpClient()) {
      send(client, url + "/api/v1/query?query=up", "wrong", "");
      send(client, url + "/api/v1/import/prometheus", "t0ken", "first{a=\"b\"} 1\n");
      send(client, url + "/api/v1/import/prometheus", "t0ken", "not a line\n");
      send(client, url + "/api/v1/import/prometheus", "t0ken", "unwanted{a=\"b\"} 1\n");
      String point =
          "[{\"name\":\"k\",\"tags\":{\"a\":\"b\"},\"ttl\":60,\"datapoints\":[[%d,1]]}]"
              .formatted(System.currentTimeMillis());
      send(client, url + "/datasets/doubles/api/v1/datapoints", "t0ken", point);
      send(client, url + "/api/v1/query?query=first", "t0ken", "");
      try (Socket lines = new Socket(InetAddress.getLoopbackAddress(), graphite)) {
        lines.getOutputStream().write("bad\n".getBytes(StandardCharsets.US_ASCII));
      }
      Awaitility.await("refused lines and evaluated rules")
          .atMost(Duration.ofSeconds(30))
          .until(() -> {
            String text = send(client, url + "/metrics", "t0ken", "");
            text.lines()
                .filter(line -> !line.startsWith("#"))
                .forEach(line -> EXPORTED.add(line.split("[{ ]", 2)[0]));
            return text.contains("varve_lines_total{")
                && text.contains("varve_rule_group_last_duration_seconds{")
                // Alerts are restored after the first evaluation.
                && text.contains("varve_rule_group_last_restore_duration_seconds{")
                && text.contains("varve_queries_total{");
          });
    }
  }

  private static String send(HttpClient client, String url, String token, String body)
      throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(url)).header("Authorization", "Bearer " + token);
    if (!body.isEmpty()) {
      request.POST(HttpRequest.BodyPublishers.ofString(body));
    }
    return client.send(request.build(), HttpResponse.BodyHandlers.ofString()).body();
  }

  private static Set<String> used(String text) {
    Set<String> used = new TreeSet<>();
    Matcher metric = METRIC.matcher(text);
    while (metric.find()) {
      used.add(metric.group());
    }
    return used;
  }

  @Test
  void everyMetricInUseExists() throws IOException {
    Set<String> used = used(alerts());
    used.addAll(used(String.join("\n", expressions())));
    assertThat(used).hasSizeGreaterThan(50).isSubsetOf(EXPORTED);
  }

  @Test
  void everyMetricInUseIsDocumented() throws IOException {
    Set<String> used = used(alerts());
    used.addAll(used(String.join("\n", expressions())));
    StringBuilder text = new StringBuilder();
    for (String page :
        List.of("api/operations.md", "engine.md", "stores/rocksdb.md", "operations/security.md")) {
      text.append(Files.readString(DOCS.resolve(page)));
    }
    // Pages on a part name its metrics without the prefix that all of them have.
    Set<String> named = new HashSet<>();
    Matcher name = Pattern.compile("[a-z][a-z0-9_]+").matcher(text);
    while (name.find()) {
      named.add(name.group());
    }
    for (String metric : used) {
      String plain = metric.replaceFirst("_bucket$", "");
      if (!metric.startsWith("jvm_") && !metric.startsWith("process_")) {
        assertThat(
                List.of(
                    plain,
                    plain.replaceFirst("^varve_", ""),
                    plain.replaceFirst("^varve_store_", ""),
                    plain.replaceFirst("^varve_rule_group_", "")))
            .as(metric)
            .anyMatch(named::contains);
      }
    }
  }

  private static String alerts() throws IOException {
    return Files.readString(MONITORING.resolve("alerts.yml"));
  }

  private static List<String> names(String text, String key) {
    return Pattern.compile("(?m)^ *(?:- )?" + key + ": (Varve\\w+)$")
        .matcher(text)
        .results()
        .map(match -> match.group(1))
        .toList();
  }

  @Test
  void everyAlertHasARunbookAndATest() throws IOException {
    List<String> alerts = names(alerts(), "alert");
    assertThat(alerts).hasSizeGreaterThan(20).doesNotHaveDuplicates();
    List<String> entries =
        Files.readAllLines(DOCS.resolve("operations/runbooks.md")).stream()
            .filter(line -> line.startsWith("### "))
            .map(line -> line.substring("### ".length()))
            .toList();
    assertThat(entries).as("runbooks").isEqualTo(alerts);
    assertThat(names(Files.readString(MONITORING.resolve("alerts.test.yml")), "name"))
        .as("tests")
        .isEqualTo(alerts);
    for (String alert : alerts) {
      assertThat(alerts())
          .contains(
              "runbook: docs/operations/runbooks.md#" + alert.toLowerCase(Locale.ROOT) + "\n");
    }
  }

  /** The list is what a server exports and what the page on operations names. */
  @Test
  void everyMetricOfTheListIsWatched() throws IOException {
    Set<String> listed = new TreeSet<>();
    Set<String> named = used(Files.readString(DOCS.resolve("api/operations.md")));
    named.addAll(EXPORTED);
    for (String metric : named) {
      // The page says varve_store_... of families that other pages list.
      if (metric.startsWith("varve_") && !metric.endsWith("_")) {
        listed.add(metric.replaceFirst("_(bucket|sum|count)$", ""));
      }
    }
    assertThat(listed).hasSizeGreaterThan(100).containsAll(NOT_WATCHED.keySet());
    Set<String> watched = new TreeSet<>();
    for (String metric : used(alerts() + String.join("\n", expressions()))) {
      watched.add(metric.replaceFirst("_(bucket|sum|count)$", ""));
    }
    assertThat(watched).doesNotContainAnyElementsOf(NOT_WATCHED.keySet());
    listed.removeAll(watched);
    assertThat(listed).isEqualTo(new TreeSet<>(NOT_WATCHED.keySet()));
  }

  /** Parts of a dashboard without which Grafana 9 and later show nothing, or not what is meant. */
  @Test
  void theDashboardHasGrafanasForm() throws IOException {
    Object dashboard = JsonTree.parse(dashboard());
    assertThat(JsonTree.text(dashboard, "title")).isEqualTo("Varve");
    assertThat(JsonTree.text(dashboard, "uid")).matches("[a-zA-Z0-9_-]{1,40}");
    assertThat(JsonTree.number(dashboard, "schemaVersion")).isBetween(30L, 41L);
    assertThat(JsonTree.text(JsonTree.member(dashboard, "time"), "from")).startsWith("now-");
    Set<String> variables = new TreeSet<>();
    for (Object variable : list(JsonTree.member(dashboard, "templating"), "list")) {
      assertThat(JsonTree.text(variable, "type")).isIn("datasource", "query");
      variables.add(JsonTree.text(variable, "name"));
    }
    assertThat(variables).containsExactly("datasource", "instance");
    List<Object> panels = list(dashboard, "panels");
    assertThat(panels).hasSizeGreaterThan(50);
    Set<Long> ids = new HashSet<>();
    boolean[][] taken = new boolean[ROWS_MAX][COLUMNS];
    for (Object panel : panels) {
      assertThat(ids.add(JsonTree.number(panel, "id"))).as("%s", panel).isTrue();
      assertThat(JsonTree.text(panel, "title")).isNotBlank();
      take(panel, taken);
      if (JsonTree.text(panel, "type").equals("row")) {
        assertThat(list(panel, "panels")).isEmpty();
      } else {
        assertShows(panel);
      }
    }
  }

  /** Marks the place of a panel, which must be free and on the grid. */
  private static void take(Object panel, boolean[][] taken) {
    Object place = JsonTree.member(panel, "gridPos");
    int x = Math.toIntExact(JsonTree.number(place, "x"));
    int y = Math.toIntExact(JsonTree.number(place, "y"));
    int right = x + Math.toIntExact(JsonTree.number(place, "w"));
    int bottom = y + Math.toIntExact(JsonTree.number(place, "h"));
    assertThat(x).isBetween(0, right - 1);
    assertThat(y).isBetween(0, bottom - 1);
    assertThat(right).isLessThanOrEqualTo(COLUMNS);
    for (int row = y; row < bottom; row++) {
      for (int column = x; column < right; column++) {
        assertThat(taken[row][column]).as("%s overlaps another", panel).isFalse();
        taken[row][column] = true;
      }
    }
  }

  private static void assertShows(Object panel) {
    assertThat(JsonTree.text(panel, "type")).isIn("timeseries", "stat");
    Object defaults = JsonTree.member(JsonTree.member(panel, "fieldConfig"), "defaults");
    assertThat(JsonTree.text(defaults, "unit")).isNotBlank();
    assertThat(JsonTree.member(panel, "options")).isInstanceOf(Map.class);
    assertPrometheus(panel);
    List<Object> targets = list(panel, "targets");
    assertThat(targets).as("%s", panel).isNotEmpty();
    for (int i = 0; i < targets.size(); i++) {
      Object target = targets.get(i);
      assertPrometheus(target);
      assertThat(JsonTree.text(target, "refId")).isEqualTo(String.valueOf((char) ('A' + i)));
      assertThat(JsonTree.text(target, "legendFormat")).isNotBlank();
      String query =
          JsonTree.text(target, "expr")
              .replace("$__rate_interval", "5m")
              .replace("$instance", ".*");
      assertThat(query).doesNotContain("$");
      assertThat(PromQl.parse(query).toString()).isNotEmpty();
    }
  }

  private static void assertPrometheus(Object from) {
    Object source = JsonTree.member(from, "datasource");
    assertThat(JsonTree.text(source, "type")).isEqualTo("prometheus");
    assertThat(JsonTree.text(source, "uid")).isEqualTo("${datasource}");
  }

  private static List<Object> list(Object object, String name) {
    return JsonTree.list(JsonTree.member(object, name));
  }

  @Test
  void grafanaFindsTheDashboardAndItsData() throws IOException {
    assertThat(expressions()).hasSizeGreaterThan(80);
    for (String file : List.of("dashboards/varve.yaml", "datasources/varve.yaml")) {
      Path provisioning = MONITORING.resolve("grafana/provisioning").resolve(file);
      assertThat(ConfigNode.parse(Files.readString(provisioning), file, false))
          .isInstanceOf(ConfigNode.Mapping.class);
    }
  }

  private static String dashboard() throws IOException {
    return Files.readString(MONITORING.resolve("grafana/dashboards/varve.json"));
  }

  /** Returns the values of {@code expr} and {@code query} in the dashboard. */
  private static List<String> expressions() throws IOException {
    List<String> found = new ArrayList<>();
    try (JsonParser json = Json.parser(dashboard())) {
      while (json.nextToken() != null) {
        if (json.currentToken() == JsonToken.PROPERTY_NAME
            && Set.of("expr", "query").contains(json.currentName())
            && json.nextToken() == JsonToken.VALUE_STRING) {
          found.add(json.getString());
        }
      }
    }
    return found;
  }
}
