package dev.varve.server.scrape;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.server.config.ConfigException;
import dev.varve.server.config.ConfigNode;
import dev.varve.server.config.ConfigReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ScrapeReaderTest {
  @TempDir Path folder;

  private final List<String> problems = new ArrayList<>();

  private @Nullable Scrapes read(String yaml) {
    ConfigNode node = ConfigNode.parse(yaml, "varve.yaml", true);
    return ScrapeReader.read(
        new ConfigReader((ConfigNode.Mapping) node, "scrape", problems), folder);
  }

  private ScrapeConfig first(String yaml) {
    ScrapeConfig job = Objects.requireNonNull(read(yaml)).jobs().getFirst();
    assertThat(problems).isEmpty();
    return job;
  }

  private static Target target(ScrapeConfig job) {
    return Target.of(job, job.targets()).active().getFirst();
  }

  @Test
  void hasPrometheusDefaults() {
    ScrapeConfig job =
        first("scrape_configs: [{job_name: a, static_configs: [{targets: ['h:1']}]}]");
    assertThat(job.interval()).isEqualTo(Duration.ofMinutes(1));
    assertThat(job.timeout()).isEqualTo(Duration.ofSeconds(10));
    assertThat(job.honorLabels()).isFalse();
    assertThat(job.honorTimestamps()).isTrue();
    Target target = target(job);
    assertThat(target.url()).hasToString("http://h:1/metrics");
    assertThat(target.labels()).isEqualTo(Map.of("job", "a", "instance", "h:1"));
    assertThat(target.discovered())
        .containsEntry("__scrape_interval__", "1m")
        .containsEntry("__scrape_timeout__", "10s")
        .containsEntry("__scheme__", "http")
        .containsEntry("__metrics_path__", "/metrics")
        .containsEntry("__address__", "h:1");
  }

  @Test
  void scrapesOnceIn100YearsAtLeast() {
    ScrapeConfig job =
        first(
            """
            scrape_configs:
            - job_name: a
              scrape_interval: 36500d
              static_configs:
              - {targets: ['h:1']}
              - {targets: ['h:2'], labels: {__scrape_interval__: 36501d}}
            """);
    Target.All all = Target.of(job, job.targets());
    assertThat(all.active()).hasSize(1);
    assertThat(all.active().getFirst().offset(1)).isLessThan(Duration.ofDays(36_500));
    assertThat(all.problems()).singleElement().asString().contains("longer than 100 years");

    read("scrape_configs: [{job_name: a, scrape_interval: 36501d}]");
    assertThat(problems).singleElement().asString().contains("longer than 100 years");
  }

  @Test
  void namesAPatternThatIsNone() {
    read(
        "scrape_configs: [{job_name: a, file_sd_configs: [{files: ['a[.json', 'b{.yml', c.yml]}]}]");
    assertThat(problems)
        .hasSize(2)
        .anyMatch(problem -> problem.contains("'a[.json' is not a valid file pattern: "))
        .anyMatch(problem -> problem.contains("'b{.yml' is not a valid file pattern: "));
  }

  /** A typical configuration for the blackbox exporter. */
  @Test
  void relabelsTargets() {
    ScrapeConfig job =
        first(
            """
            global: {scrape_interval: 1h30m}
            scrape_configs:
              - job_name: probe
                metrics_path: probe
                scheme: https
                params: {module: [http_2xx], target: [x, y]}
                static_configs:
                  - {targets: [example.org], labels: {__scrape_timeout__: 3s}}
                relabel_configs:
                  - {source_labels: [__address__], target_label: __param_target}
                  - {source_labels: [__param_target], target_label: instance}
                  - {target_label: __address__, replacement: 'box:9115'}
            """);
    Target target = target(job);
    assertThat(target.url())
        .hasToString("https://box:9115/probe?module=http_2xx&target=example.org&target=y");
    assertThat(target.labels()).isEqualTo(Map.of("job", "probe", "instance", "example.org"));
    assertThat(target.timeout()).isEqualTo(Duration.ofSeconds(3));
    assertThat(Target.text(target.interval())).isEqualTo("1h30m");
  }

  @Test
  void spreadsTargetsOverTheirInterval() {
    ScrapeConfig job =
        first(
            "scrape_configs: [{job_name: a, static_configs: [{targets: ['a:1', 'b:1', 'c:1']}]}]");
    List<Duration> offsets =
        Target.of(job, job.targets()).active().stream()
            .map(target -> target.offset(1_700_000_000_123_456_789L))
            .toList();
    assertThat(offsets)
        .doesNotHaveDuplicates()
        .allSatisfy(offset -> assertThat(offset).isBetween(Duration.ZERO, Duration.ofMinutes(1)));
    Duration later = target(job).offset(1_700_000_001_123_456_789L);
    assertThat(later.minus(offsets.getFirst()))
        .isIn(Duration.ofSeconds(-1), Duration.ofSeconds(59));
  }

  @Test
  void readsAFileOfPrometheusAsItIs() throws IOException {
    Files.writeString(
        folder.resolve("prometheus.yml"),
        """
        global: {scrape_interval: 15s, evaluation_interval: 15s, external_labels: {site: x}}
        rule_files: [rules.yml]
        alerting: {alertmanagers: []}
        scrape_configs:
          - job_name: node
            file_sd_configs: [{files: [targets/*.yml], refresh_interval: 5m}]
            authorization: {credentials_file: token}
            tls_config: {insecure_skip_verify: true}
        """);
    ScrapeConfig job = first("{file: prometheus.yml, dataset: metrics}");
    assertThat(job.interval()).isEqualTo(Duration.ofSeconds(15));
    assertThat(job.files())
        .containsExactly(new ScrapeConfig.TargetFiles(folder.resolve("targets/*.yml")));
    assertThat(job.credentials())
        .isEqualTo(new ScrapeConfig.Credentials.Header("Bearer", "", folder.resolve("token")));
    assertThat(job.tls().insecure()).isTrue();
  }

  /** As in Prometheus, a job can replace a global limit but not remove it. */
  @Test
  void globalLimitsAreThoseOfJobsThatHaveNone() {
    List<ScrapeConfig> jobs =
        Objects.requireNonNull(
                read(
                    """
                    global:
                      sample_limit: 1000
                      label_limit: 20
                      label_name_length_limit: 30
                      label_value_length_limit: 40
                      body_size_limit: 1MB
                      evaluation_interval: 15s
                      rule_query_offset: 1m
                      external_labels: {site: x}
                      query_log_file: queries.log
                      runtime: {gogc: 75}
                    scrape_configs:
                      - {job_name: a}
                      - {job_name: b, sample_limit: 7, label_limit: 0, body_size_limit: 10MB}
                    """))
            .jobs();
    assertThat(problems).isEmpty();
    assertThat(jobs)
        .extracting(ScrapeConfig::limits)
        .containsExactly(
            new ScrapeConfig.Limits(1000, 20, 30, 40, 1 << 20),
            new ScrapeConfig.Limits(7, 20, 30, 40, 10 << 20));
  }

  @Test
  void refusesWhatItDoesNotDoForAllJobs() throws IOException {
    Files.writeString(
        folder.resolve("prometheus.yml"),
        """
        global: {target_limit: 5, scrape_protocols: [PrometheusProto], metric_name_validation_scheme: legacy}
        scrape_config_files: [more/*.yml]
        scrape_configs: [{job_name: a}]
        """);
    read("file: prometheus.yml");
    assertThat(String.join("\n", problems))
        .contains("global.target_limit: is unknown")
        .contains("global.scrape_protocols: is unknown")
        .contains("global.metric_name_validation_scheme: is unknown")
        .contains("scrape_config_files: is not supported");
  }

  @Test
  void namesAllThatIsWrong() {
    assertThat(
            read(
                """
                scrape_configs:
                  - {job_name: a, scrape_timeout: 2m}
                  - {job_name: a, kubernetes_sd_configs: []}
                  - {scheme: ftp}
                  - job_name: b
                    relabel_configs: [{action: drp}]
                    static_configs: [{targets: ['http://x/']}]
                    basic_auth: {username: u, password: p, password_file: f}
                    authorization: {credentials: c}
                """))
        .isNotNull();
    assertThat(problems)
        .anySatisfy(
            p -> assertThat(p).startsWith("scrape.scrape_configs[0].scrape_timeout: is longer"))
        .anySatisfy(p ->
            assertThat(p).startsWith("scrape.scrape_configs[1].kubernetes_sd_configs: is unknown"))
        .anySatisfy(p -> assertThat(p).contains("'a' occurs twice").contains("line 3"))
        .anySatisfy(p -> assertThat(p).startsWith("scrape.scrape_configs[2].job_name: is missing"))
        .anySatisfy(
            p -> assertThat(p).startsWith("scrape.scrape_configs[2].scheme: 'ftp' is none of"))
        .anySatisfy(p ->
            assertThat(p).contains("relabel_configs[0].action: unknown relabel action \"drp\""))
        .anySatisfy(p -> assertThat(p).contains("'http://x/' is not a valid hostname"))
        .anySatisfy(
            p -> assertThat(p).contains("password_file: cannot be combined with 'password'"))
        .anySatisfy(
            p -> assertThat(p).contains("authorization: cannot be combined with 'basic_auth'"));
  }

  @Test
  void namesWhatIsWrongWithAFileOfTargets() throws IOException {
    Path file = Files.writeString(folder.resolve("t.yml"), "targets: [x]\n");
    assertThatThrownBy(() -> ScrapeReader.targets(file))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("t.yml: a file of targets is a list");
    Files.writeString(file, "- targets: [a:1]\n  lables: {x: y}\n");
    assertThatThrownBy(() -> ScrapeReader.targets(file))
        .hasMessageContaining("lables: is unknown (did you mean 'labels'?");
  }

  @Test
  void tellsOfTargetsThatCannotBeAsked() {
    ScrapeConfig job =
        first("scrape_configs: [{job_name: a, static_configs: [{targets: [a_b:1, '']}]}]");
    assertThat(Target.of(job, job.targets()).problems())
        .containsExactly(
            "target 'a_b:1': 'a_b:1' is not a valid host name: only letters, digits, - and . are allowed",
            "target '': no address");
  }
}
