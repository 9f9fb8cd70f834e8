package dev.varve.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.formats.json.Json;
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

  private static final String CONFIG =
      """
      data: data
      listen:
      - {host: 127.0.0.1, port: 0}
      - {host: 127.0.0.1, port: 0, protocol: graphite, as: operator}
      web: {users-file: users.yml}
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

  @Test
  void theDashboardIsOneThatGrafanaProvisions() throws IOException {
    String text = Files.readString(MONITORING.resolve("grafana/dashboards/varve.json"));
    assertThat(text).contains("\"schemaVersion\"", "\"uid\": \"varve\"", "\"title\": \"Varve\"");
    List<String> ids = new ArrayList<>();
    Matcher id = Pattern.compile("(?m)^   \"id\": (\\d+)").matcher(text);
    while (id.find()) {
      ids.add(id.group(1));
    }
    assertThat(ids).hasSizeGreaterThan(30).doesNotHaveDuplicates();
    assertThat(expressions()).hasSizeGreaterThan(50);
    for (String file : List.of("dashboards/varve.yaml", "datasources/varve.yaml")) {
      Path provisioning = MONITORING.resolve("grafana/provisioning").resolve(file);
      assertThat(ConfigNode.parse(Files.readString(provisioning), file, false))
          .isInstanceOf(ConfigNode.Mapping.class);
    }
  }

  /** Returns the values of {@code expr} and {@code query} in the dashboard. */
  private static List<String> expressions() throws IOException {
    List<String> found = new ArrayList<>();
    String text = Files.readString(MONITORING.resolve("grafana/dashboards/varve.json"));
    try (JsonParser json = Json.parser(text)) {
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
