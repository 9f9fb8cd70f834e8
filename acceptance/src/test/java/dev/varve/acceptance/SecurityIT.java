package dev.varve.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.acceptance.CollectdValues.Source;
import dev.varve.devstores.Prometheus;
import dev.varve.server.security.ClientTls;
import java.io.IOException;
import java.math.BigDecimal;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/**
 * Real clients and a server with TLS and users, configured by the examples of its documentation:
 * {@code promtool} checks the web configuration and queries, Prometheus and collectd write with a
 * password, and curl with a client certificate.
 */
class SecurityIT {
  private static final String CONFIG =
      """
      data: data
      listen: [{port: PORT}]
      web: {config-file: web.yml, users-file: users.yml}
      """;

  /** The most that a collectd sends with a wrong password; less than locks its user out. */
  private static final Duration REFUSED_TIME = Duration.ofSeconds(2);

  private static final Duration COLLECTD_TIME_MAX = Duration.ofSeconds(30);
  private static final int ROWS_MIN = 40;

  private final Path folder = Checkout.fresh("security");

  @Test
  void realClientsWorkThroughTlsAndPasswords() throws Exception {
    makeCertificates();
    List<String> examples = examples();
    Files.writeString(folder.resolve("web.yml"), example(examples, "tls_server_config:"));
    Files.writeString(folder.resolve("users.yml"), example(examples, "users:"));
    Files.writeString(folder.resolve("http.yml"), example(examples, "basic_auth:"));
    Files.writeString(folder.resolve("secret"), "secret\n");
    run(Prometheus.promtool().toString(), "check", "web-config", "web.yml");
    String authority = Files.readString(folder.resolve("ca.pem"));
    try (VarveProcess varve =
        VarveProcess.in(folder, CONFIG)
            .withTls(ClientTls.context(authority, null, null, false))
            .start()) {
      String url = varve.uri("").toString();
      assertThat(varve.get("/api/v1/query?query=up").statusCode()).isEqualTo(401);
      try (Prometheus _ = Prometheus.start(folder.resolve("writer"), writer(url), List.of())) {
        Awaitility.await("what Prometheus wrote, as promtool reads it")
            .atMost(Duration.ofSeconds(60))
            .pollInterval(Duration.ofSeconds(1))
            .untilAsserted(() -> assertThat(promtool(url)).contains("up{", "=> 1"));
      }
      String line = "from_curl 7";
      String write = url + "/api/v1/import/prometheus";
      assertThat(curl("--data-binary", line, write)).isEqualTo("401");
      assertThat(curl("--cert", "client.pem", "--key", "client.key", "--data-binary", line, write))
          .isEqualTo("204");
      assertThat(curl("--cert", "client.pem", "--key", "client.key", url + "/metrics"))
          .isEqualTo("403");
      assertThat(curl(url + "/-/healthy")).isEqualTo("200");
      assertThat(curl(url.replace("https", "http") + "/-/healthy")).isEqualTo("000");
      findsEveryValueOfCollectd(varve);
      storesNothingOfAWrongPassword(varve);
      assertThat(varve.log()).doesNotContain("secret", "a wrong one");
    }
  }

  private void findsEveryValueOfCollectd(VarveProcess varve) throws Exception {
    Path files = Files.createDirectory(folder.resolve("collectd"));
    CollectdProcess agent = CollectdProcess.start(files, collectd(varve, "secret"));
    Instant begun = Instant.now();
    try (agent) {
      do {
        agent.run(Duration.ofMillis(500));
      } while (rows(files) < ROWS_MIN
          && Duration.between(begun, Instant.now()).compareTo(COLLECTD_TIME_MAX) < 0);
    }
    assertThat(agent.log()).doesNotContain("Error code: 4", "Error code: 5", "failed");
    List<Source> sources = CollectdValues.read(files.resolve("csv"));
    assertThat(rows(files)).as(agent.log()).isGreaterThanOrEqualTo(ROWS_MIN);
    varve.logIn("grafana", "secret");
    List<NavigableMap<Long, BigDecimal>> found =
        KairosQuery.all(varve, "default", sources.stream().map(Source::overHttp).toList());
    for (int i = 0; i < sources.size(); i++) {
      NavigableMap<Long, BigDecimal> values = found.get(i);
      assertThat(sources.get(i).rows())
          .as("%s in %s", sources.get(i), values)
          .hasSameSizeAs(values.entrySet())
          .allMatch(row ->
              row.times().stream()
                  .map(values::get)
                  .anyMatch(value -> value != null && row.isValue(value)));
    }
    assertThat(series(varve, "secret")).isEqualTo(sources.size());
  }

  private void storesNothingOfAWrongPassword(VarveProcess varve) throws Exception {
    Path files = Files.createDirectory(folder.resolve("refused"));
    CollectdProcess agent = CollectdProcess.start(files, collectd(varve, "a wrong one"));
    try (agent) {
      agent.run(REFUSED_TIME);
    }
    assertThat(rows(files)).as(agent.log()).isPositive();
    assertThat(agent.log()).contains("Error code: 401");
    assertThat(series(varve, "a wrong one")).isZero();
  }

  private static int rows(Path files) throws IOException {
    Path csv = files.resolve("csv");
    return Files.exists(csv)
        ? CollectdValues.read(csv).stream().mapToInt(source -> source.rows().size()).sum()
        : 0;
  }

  /** Returns the number of series that came with a password, which is also one of their tags. */
  private static int series(VarveProcess varve, String password) throws IOException {
    String selector = "last_over_time({proof=\"" + password + "\"}[10m])";
    HttpResponse<String> answer =
        varve.get("/api/v1/query?query=" + URLEncoder.encode(selector, StandardCharsets.UTF_8));
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    Map<String, Object> data = Json.members(Json.object(answer.body()).get("data"));
    return Json.elements(data.get("result")).size();
  }

  private String collectd(VarveProcess varve, String password) {
    return """
    LoadPlugin cpu
    LoadPlugin load
    LoadPlugin memory
    LoadPlugin uptime
    LoadPlugin write_http
    <Plugin write_http>
      <Node "varve">
        URL "%s"
        CACert "%s"
        VerifyPeer true
        VerifyHost true
        User "agent"
        Password "%s"
        Format KAIROSDB
        Attribute "proof" "%3$s"
        StoreRates false
        LogHttpError true
      </Node>
    </Plugin>
    """
        .formatted(varve.uri("/api/v1/datapoints"), folder.resolve("ca.pem"), password);
  }

  private String writer(String url) {
    return """
    global: {scrape_interval: 1s, scrape_timeout: 1s}
    scrape_configs:
    - {job_name: prometheus, static_configs: [{targets: ['127.0.0.1:PORT']}]}
    remote_write:
    - url: %s/api/v1/write
      basic_auth: {username: agent, password: secret}
      tls_config: {ca_file: %s}
      queue_config: {batch_send_deadline: 200ms}
    """
        .formatted(url, folder.resolve("ca.pem"));
  }

  private String promtool(String url) throws Exception {
    return run(
        Prometheus.promtool().toString(),
        "query",
        "instant",
        "--http.config.file=http.yml",
        url,
        "up");
  }

  /** Returns the status of the answer; 000 if there is none. */
  private String curl(String... arguments) throws Exception {
    List<String> command =
        new ArrayList<>(
            List.of("curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", "--cacert", "ca.pem"));
    command.addAll(List.of(arguments));
    return Checkout.run(new ProcessBuilder(command).directory(folder.toFile())).out();
  }

  private String run(String... command) throws Exception {
    return Checkout.run(new ProcessBuilder(command).directory(folder.toFile())).success();
  }

  private static List<String> examples() throws IOException {
    Path page = Checkout.root().resolve("docs/operations/security.md");
    Matcher blocks = Pattern.compile("(?s)```yaml\\n(.*?)```").matcher(Files.readString(page));
    List<String> found = new ArrayList<>();
    while (blocks.find()) {
      found.add(blocks.group(1));
    }
    return found;
  }

  private static String example(List<String> examples, String start) {
    return examples.stream().filter(text -> text.startsWith(start)).findFirst().orElseThrow();
  }

  private void makeCertificates() throws Exception {
    String newKey = "openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes ";
    openssl(newKey + "-x509 -days 2 -subj /CN=authority -keyout ca.key -out ca.pem");
    sign(newKey, "server", "DNS:localhost,IP:127.0.0.1", "serverAuth");
    sign(newKey, "client", "DNS:collector.example", "clientAuth");
  }

  private void sign(String newKey, String name, String names, String use) throws Exception {
    openssl(newKey + "-subj /CN=%1$s -keyout %1$s.key -out %1$s.csr".formatted(name));
    Files.writeString(
        folder.resolve(name + ".ext"),
        "subjectAltName=%s\nextendedKeyUsage=%s\n".formatted(names, use));
    openssl(
        "openssl x509 -req -in %1$s.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile %1$s.ext -out %1$s.pem"
            .formatted(name));
  }

  private void openssl(String command) throws Exception {
    run(command.split(" "));
  }
}
