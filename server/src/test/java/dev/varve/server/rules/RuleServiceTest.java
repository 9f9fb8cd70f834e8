package dev.varve.server.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.varve.engine.Engine;
import dev.varve.engine.config.DatasetConfig;
import dev.varve.engine.config.DatasetConfig.PeriodConfig;
import dev.varve.engine.config.DatasetConfig.StoreConfig;
import dev.varve.engine.config.EngineConfig;
import dev.varve.layout.registry.Layouts;
import dev.varve.server.Dialects;
import dev.varve.server.Server;
import dev.varve.server.ServerConfig;
import dev.varve.server.ServerConfig.Listener;
import dev.varve.server.config.ConfigException;
import dev.varve.server.config.ConfigNode;
import dev.varve.server.config.ConfigReader;
import dev.varve.server.http.HttpLimits;
import dev.varve.server.queries.QueryOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server with rules, and an Alertmanager. */
class RuleServiceTest {
  private static final String RULES =
      """
      groups:
        - name: first
          interval: 100ms
          rules:
            - record: two
              expr: vector(2)
              labels: {kind: even}
            - alert: Up
              expr: two > 1
              labels: {severity: page}
              annotations: {text: 'it is {{ $value }}'}
        - name: second
          interval: 5m
          limit: 3
          rules:
            - {alert: Slow, expr: vector(1), for: 10m, keep_firing_for: 90s}
      """;

  @TempDir private Path folder;

  private final List<String> received = new CopyOnWriteArrayList<>();
  private final List<String> authorizations = new CopyOnWriteArrayList<>();
  private final HttpClient client = HttpClient.newHttpClient();
  private HttpServer alertmanager;
  private volatile int status = 200;

  @BeforeEach
  void listen() throws IOException {
    alertmanager = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    alertmanager.createContext("/am/api/v2/alerts", this::take);
    alertmanager.start();
  }

  @AfterEach
  void stop() {
    alertmanager.stop(0);
    client.close();
  }

  private void take(HttpExchange exchange) throws IOException {
    String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
    authorizations.add(String.valueOf(exchange.getRequestHeaders().getFirst("Authorization")));
    if (status == 200) {
      received.add(body);
    }
    exchange.sendResponseHeaders(status, -1);
    exchange.close();
  }

  private RulesConfig config(String more) throws IOException {
    return config("{url: 'http://127.0.0.1:%d/am/', user: me, password-file: password}", more);
  }

  private RulesConfig config(String target, String more) throws IOException {
    Files.writeString(folder.resolve("password"), "secret\n");
    List<String> problems = new ArrayList<>();
    ConfigNode node =
        ConfigNode.parse(
            """
            files: [rules*.yml]
            reread: 50ms
            external-url: http://varve.example/x/
            external-labels: {site: north, severity: low}
            alertmanagers:
              - TARGET
            alert-relabel:
              - {source_labels: [alertname], regex: Slow, action: drop}
              - {target_label: seen, replacement: 'yes'}
            """
                    .replace("TARGET", target.formatted(alertmanager.getAddress().getPort()))
                + more,
            "test",
            true);
    RulesConfig read =
        RulesSection.read(new ConfigReader((ConfigNode.Mapping) node, "rules", problems), folder);
    assertThat(problems).isEmpty();
    return read;
  }

  private Engine engine() {
    DatasetConfig dataset =
        new DatasetConfig(
            "main",
            new StoreConfig("memory", Map.of()),
            List.of(new PeriodConfig(Instant.MIN, List.of(Layouts.of("buckets", Map.of())))),
            null,
            DatasetConfig.Duplicates.LAST,
            Set.of(),
            false);
    return Engine.open(
        new EngineConfig(folder.resolve("data"), 64 << 20, List.of(dataset), "main"));
  }

  private static Server server(RulesConfig rules, Engine engine) throws IOException {
    return Server.start(
        new ServerConfig(
                List.of(new Listener("127.0.0.1", 0, Dialects.names(), null)),
                HttpLimits.DEFAULTS,
                QueryOptions.DEFAULTS,
                null,
                "test")
            .with(rules),
        engine);
  }

  private String send(Server server, String method, String path) {
    try {
      HttpRequest request =
          HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.ports().getFirst() + path))
              .method(method, HttpRequest.BodyPublishers.noBody())
              .build();
      return client.send(request, HttpResponse.BodyHandlers.ofString()).body();
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void evaluatesTellsAndShows() throws IOException {
    Files.writeString(folder.resolve("rules.yml"), RULES);
    try (Engine engine = engine();
        Server server = server(config(""), engine)) {
      await().atMost(Duration.ofSeconds(20)).until(() -> !received.isEmpty());
      assertThat(received.getFirst())
          .contains("\"annotations\":{\"text\":\"it is 2\"}")
          .contains(
              "\"labels\":{\"alertname\":\"Up\",\"kind\":\"even\",\"seen\":\"yes\",\"severity\":\"page\",\"site\":\"north\"}")
          .contains("\"generatorURL\":\"http://varve.example/x/graph?g0.expr=two+%3E+1&g0.tab=1\"");
      assertThat(authorizations.getFirst()).isEqualTo("Basic bWU6c2VjcmV0");
      assertThat(send(server, "GET", "/api/v1/query?query=two"))
          .contains("{\"__name__\":\"two\",\"kind\":\"even\"}");
      await()
          .atMost(Duration.ofSeconds(20))
          .until(() ->
              send(server, "GET", "/api/v1/query?query=ALERTS_FOR_STATE").contains("alertname"));
      String groups = send(server, "GET", "/api/v1/rules");
      assertThat(groups)
          .contains("{\"state\":\"firing\",\"name\":\"Up\",\"query\":\"two > 1\",\"duration\":0,")
          .contains(
              "\"labels\":{\"alertname\":\"Up\",\"kind\":\"even\",\"severity\":\"page\"},\"annotations\":{\"text\":\"it is 2\"},\"state\":\"firing\"")
          .contains("\"value\":\"2e+00\"")
          .contains(
              "\"query\":\"vector(1)\",\"duration\":600,\"keepFiringFor\":90,\"labels\":{},\"annotations\":{},\"alerts\":[],\"health\":\"unknown\"")
          .contains("\"lastEvaluation\":\"0001-01-01T00:00:00Z\",\"type\":\"alerting\"}")
          .contains("\"interval\":300,\"limit\":3");
      assertThat(send(server, "GET", "/api/v1/alerts"))
          .startsWith("{\"status\":\"success\",\"data\":{\"alerts\":[{\"labels\":")
          .contains("\"activeAt\":\"20");
      assertThat(send(server, "GET", "/metrics"))
          .contains("varve_rule_group_iterations_total{dataset=\"main\",rule_group=\"")
          .contains("varve_notifications_sent_total{alertmanager=\"http://127.0.0.1:");
    }
  }

  @Test
  void showsWhatIsAskedFor() throws IOException {
    Files.writeString(folder.resolve("rules.yml"), RULES);
    try (Engine engine = engine();
        Server server = server(config(""), engine)) {
      assertThat(send(server, "GET", "/api/v1/rules?type=record"))
          .contains("\"name\":\"two\"")
          .doesNotContain("\"Up\"", "\"Slow\"", "second");
      assertThat(send(server, "GET", "/api/v1/rules?rule_name[]=Slow&exclude_alerts=true"))
          .contains("\"Slow\"", "\"alerts\":null")
          .doesNotContain("\"first\"");
      assertThat(send(server, "GET", "/api/v1/rules?rule_group[]=second"))
          .contains("\"Slow\"")
          .doesNotContain("\"Up\"");
      assertThat(send(server, "GET", "/api/v1/rules?file[]=none")).contains("\"groups\":[]");
      assertThat(send(server, "GET", "/api/v1/rules?match[]=%7Bseverity%3D~%22p.*%22%7D"))
          .contains("\"Up\"")
          .doesNotContain("\"Slow\"", "\"two\",\"query\"");
      String page = send(server, "GET", "/api/v1/rules?group_limit=1");
      assertThat(page).contains("\"first\"").doesNotContain("\"second\"");
      String token = page.replaceFirst(".*\"groupNextToken\":\"([0-9a-f]{40})\".*", "$1");
      assertThat(send(server, "GET", "/api/v1/rules?group_limit=1&group_next_token=" + token))
          .contains("\"second\"")
          .doesNotContain("\"first\"", "groupNextToken");
      assertThat(send(server, "GET", "/api/v1/rules?group_limit=1&group_next_token=x"))
          .contains("invalid group_next_token 'x'. were rule groups changed?");
      assertThat(send(server, "GET", "/api/v1/rules?group_next_token=x"))
          .contains("group_limit needs to be present");
      assertThat(send(server, "GET", "/api/v1/rules?type=x"))
          .contains("\"error\":\"invalid parameter \\\"type\\\": not supported value \\\"x\\\"\"");
    }
  }

  @Test
  void readsFilesAgain() throws IOException {
    Path file = Files.writeString(folder.resolve("rules.yml"), RULES);
    try (Engine engine = engine();
        Server server = server(config(""), engine)) {
      Files.writeString(file, RULES.replace("record: two", "record: too"));
      await()
          .atMost(Duration.ofSeconds(20))
          .until(() -> send(server, "GET", "/api/v1/rules").contains("\"too\""));
      Files.writeString(file, "groups: 5");
      assertThat(send(server, "POST", "/-/reload"))
          .contains("failed to reload")
          .contains("groups: is a text, a list is expected");
      assertThat(send(server, "GET", "/api/v1/rules")).contains("\"too\"");
      assertThat(send(server, "GET", "/metrics")).contains("varve_rules_last_reload_successful 0");
      Files.writeString(file, RULES);
      assertThat(send(server, "POST", "/-/reload")).isEqualTo("reloaded\n");
      assertThat(send(server, "GET", "/api/v1/rules")).contains("\"two\"");
    }
  }

  @Test
  void triesAgainWhereTheAlertmanagerFails() throws IOException {
    Files.writeString(folder.resolve("rules.yml"), RULES);
    status = 503;
    try (Engine engine = engine();
        Server server = server(config(""), engine)) {
      await().atMost(Duration.ofSeconds(20)).until(() -> !authorizations.isEmpty());
      status = 200;
      await().atMost(Duration.ofSeconds(20)).until(() -> !received.isEmpty());
      assertThat(send(server, "GET", "/metrics"))
          .containsPattern("varve_notifications_errors_total\\{[^}]*} [1-9]");
    }
  }

  @Test
  void sendsUserAndPasswordOfAUrlAndShowsNeither() throws IOException {
    Files.writeString(folder.resolve("rules.yml"), RULES);
    try (Engine engine = engine();
        Server server = server(config("{url: 'http://me:secret@127.0.0.1:%d/am/'}", ""), engine)) {
      await().atMost(Duration.ofSeconds(20)).until(() -> !received.isEmpty());
      assertThat(authorizations).contains("Basic bWU6c2VjcmV0");
      assertThat(send(server, "GET", "/metrics"))
          .contains("{alertmanager=\"http://***@127.0.0.1:")
          .doesNotContain("secret");
    }
  }

  @Test
  void doesNotStartWithRulesThatAreWrong() throws IOException {
    Files.writeString(folder.resolve("rules.yml"), "groups: [{name: a, rules: [{record: x}]}]");
    RulesConfig config = config("");
    try (Engine engine = engine()) {
      assertThatThrownBy(() -> server(config, engine))
          .isInstanceOf(ConfigException.class)
          .hasMessageContaining("groups[0].rules[0].expr: is missing");
    }
  }

  @Test
  void refusesASectionThatIsWrong() {
    List<String> problems = new ArrayList<>();
    ConfigNode node =
        ConfigNode.parse(
            """
            interval: 0s
            external-url: nowhere
            concurrency: 0
            alertmanagers:
              - {timeout: 5s, user: me}
              - {url: 'ftp://x', token-file: a}
            alert-relabel: [{action: hashmod}]
            file: x
            """,
            "test",
            true);
    RulesSection.read(new ConfigReader((ConfigNode.Mapping) node, "rules", problems), folder);
    assertThat(problems)
        .anyMatch(p -> p.startsWith("rules.interval: must be greater than 0"))
        .anyMatch(p -> p.startsWith("rules.external-url: 'nowhere' is not a URL"))
        .anyMatch(p -> p.startsWith("rules.concurrency: '0' is not a number"))
        .anyMatch(p -> p.startsWith("rules.alertmanagers[0].url: is missing"))
        .anyMatch(p -> p.startsWith("rules.alertmanagers[0].password-file: user and"))
        .anyMatch(p -> p.startsWith("rules.alertmanagers[1].url: 'ftp://x' is not a URL"))
        .anyMatch(p -> p.startsWith("rules.alert-relabel[0].modulus:"))
        .anyMatch(p -> p.startsWith("rules.file: is unknown (did you mean 'files'?"));
  }
}
