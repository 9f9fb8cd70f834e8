package dev.varve.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Tests what operators see, and what other users of the machine do not. */
@Execution(ExecutionMode.CONCURRENT)
class OperatorIT {
  /** A part of every secret. */
  private static final String SECRET = "hunter2";

  private static final String CONFIG =
      """
      data: data
      listen: [{host: 127.0.0.1, port: PORT}, {host: 0.0.0.0, port: 0}]
      allow-anonymous: true
      rules:
        files: [rules.yml]
        alertmanagers:
          - {url: 'http://me-hunter2:pw-hunter2@127.0.0.1:1/am'}
          - {url: 'http://me-hunter2@127.0.0.1:1/other'}
      scrape:
        global: {scrape_interval: 1s}
        scrape_configs:
          - job_name: basic
            basic_auth: {username: me, password: hunter2}
            static_configs: [{targets: ['127.0.0.1:1']}]
          - job_name: bearer
            authorization: {credentials: hunter2}
            static_configs: [{targets: ['127.0.0.1:1']}]
      """;

  private static final String STORES =
      """
      datasets:
        far:
          layout: buckets
          store:
            kind: cassandra
            options: {user: me, password: hunter2, tls-key-password: hunter2}
      """;

  private static final String RULES =
      """
      groups:
        - name: g
          interval: 1s
          rules: [{alert: Always, expr: vector(1)}]
      """;

  @Test
  void showsNoSecretAndLetsNobodyElseIn() throws Exception {
    Path folder = Checkout.fresh("operator");
    Files.writeString(folder.resolve("rules.yml"), RULES);
    try (VarveProcess server = VarveProcess.in(folder, CONFIG).start()) {
      Awaitility.await("an alert that could not be sent")
          .atMost(Duration.ofSeconds(40))
          .until(() -> server.log().contains("127.0.0.1:1/am/api/v2/alerts: 1 alerts not sent"));
      String metrics = server.get("/metrics").body();
      assertThat(metrics)
          .contains("alertmanager=\"http://***@127.0.0.1:1/am/api/v2/alerts\"")
          .contains("varve_build_info{java=\"25")
          .contains(
              "varve_data_disk_free_bytes ", "varve_catalog_memory_bytes{dataset=\"default\"}")
          .contains("varve_query_memory_max_bytes ", "varve_write_bytes_max ")
          .contains("varve_store_block_cache_max_bytes{");
      assertThat(server.log())
          .contains("listening on 0.0.0.0:0, beyond this machine, with allow-anonymous")
          .contains("http://***@127.0.0.1:1/am/api/v2/alerts");
      for (String path :
          List.of(
              "/api/v1/targets",
              "/api/v1/rules",
              "/api/v1/alerts",
              "/api/v1/alertmanagers",
              "/api/v1/status/config",
              "/api/v1/status/buildinfo",
              "/api/v1/status/queries")) {
        assertThat(server.get(path).body()).as(path).doesNotContain(SECRET);
      }
      assertThat(metrics + server.log()).doesNotContain(SECRET);
      assertThat(server.log()).doesNotContain("others on this machine may enter");
      assertPrivate(folder.resolve("data"));
      Checkout.Outcome told =
          Checkout.run(folder, "query", "varve_build_info", "--last", "10m", "--data", "data");
      assertThat(told.success()).contains("25");
    }
  }

  private static void assertPrivate(Path data) throws IOException {
    try (Stream<Path> all = Files.walk(data)) {
      for (Path path : all.toList()) {
        String mode = PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
        assertThat(mode).as("%s", path).endsWith("------");
      }
    }
  }

  @Test
  void printsNoSecretOfTheConfiguration() throws Exception {
    Path folder = Checkout.fresh("operator-config");
    Files.writeString(folder.resolve("rules.yml"), RULES);
    for (String config : List.of(CONFIG.replace("PORT", "0"), STORES)) {
      Files.writeString(folder.resolve("varve.yaml"), config);
      for (String output : List.of("table", "json")) {
        Checkout.Outcome shown = Checkout.run(folder, "config", "--output", output);
        assertThat(shown.success()).doesNotContain(SECRET);
        assertThat(shown.err()).doesNotContain(SECRET);
      }
    }
    for (String wrong :
        List.of(
            "rules.alertmanagers=[{url: 'ftp://me:hunter2@host'}]",
            "rules.alertmanagers=[{url: 'http://me:hun/ter2hunter2@ho st'}]",
            "rules.external-url=http://me:hunter2@host",
            "scrape.scrape_configs=[{job_name: j, static_configs: [{targets: ['me:hunter2@host']}]}]")) {
      Checkout.Outcome refused = Checkout.run(folder, "config", "--set", wrong);
      assertThat(refused.exitCode()).as("%s", refused).isEqualTo(1);
      assertThat(refused.err()).as(wrong).doesNotContain(SECRET);
    }
    Checkout.Outcome unreachable =
        Checkout.run(folder, "queries", "--server", "http://me:hunter2@127.0.0.1:1");
    assertThat(unreachable.exitCode()).isEqualTo(1);
    assertThat(unreachable.err()).contains("http://***@127.0.0.1:1").doesNotContain(SECRET);
  }

  @Test
  void takesEveryVariableThatIsDocumented() throws Exception {
    Path folder = Checkout.fresh("operator-variables");
    Path config = Files.writeString(folder.resolve("other.yaml"), "memory: 77MB\n");
    ProcessBuilder command = Checkout.varve(folder, "config", "--output", "csv");
    Map<String, String> variables = command.environment();
    variables.put("VARVE_CONFIG", config.toString());
    variables.put("VARVE_LOG", "DEBUG");
    variables.put("VARVE_HEAP", "96m");
    variables.put("VARVE_JAVA_OPTS", "-XX:TieredStopAtLevel=1 -Xlog:gc+heap=debug:stderr");
    variables.put("VARVE_JAVA_HOME", System.getProperty("java.home"));
    variables.put("VARVE_BUILD", "off");
    variables.put("VARVE_AOT", "off");
    variables.put("VARVE_TRACE", "1");
    Checkout.Outcome shown = Checkout.run(command);
    assertThat(shown.success()).contains("memory,80740352");
    assertThat(shown.err()).as("what Java was told").contains("Maximum heap 100663296");
  }

  @Test
  void warnsOfADirectoryThatIsOpenToOthers() throws Exception {
    Path folder = Checkout.fresh("operator-open");
    Path data = Files.createDirectory(folder.resolve("data"));
    Files.setPosixFilePermissions(data, PosixFilePermissions.fromString("rwxr-xr-x"));
    try (VarveProcess server =
        VarveProcess.in(folder, "data: data\nlisten: [{port: PORT}]\n").start()) {
      assertThat(server.log())
          .contains("others on this machine may enter the data directory")
          .contains("chmod -R go= ")
          .doesNotContain("nothing is authenticated");
    }
  }
}
