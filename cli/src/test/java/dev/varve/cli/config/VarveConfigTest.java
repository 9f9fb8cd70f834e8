package dev.varve.cli.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.engine.config.DatasetConfig;
import dev.varve.model.GroupKey;
import dev.varve.model.Tags;
import dev.varve.query.limit.QueryLimits;
import dev.varve.query.running.QueryCapacity;
import dev.varve.server.ServerConfig;
import dev.varve.server.config.ConfigException;
import dev.varve.server.http.ConnectionLimits;
import dev.varve.server.http.WebAccess;
import dev.varve.server.queries.QueryOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class VarveConfigTest {
  @TempDir Path folder;

  private Path file(String yaml) throws IOException {
    return Files.writeString(folder.resolve("varve.yaml"), yaml);
  }

  @Test
  void withoutAnythingThereIsOneDatasetOnLoopback() {
    VarveConfig config = VarveConfig.read(null, Map.of(), Map.of());

    assertThat(config.engine().directory()).isEqualTo(Path.of("varve-data"));
    assertThat(config.engine().memory()).isEqualTo(256L << 20);
    assertThat(config.engine().defaultDataset()).isEqualTo("default");
    assertThat(config.engine().datasets()).hasSize(1);
    assertThat(
            config
                .engine()
                .datasets()
                .getFirst()
                .periods()
                .getFirst()
                .layouts()
                .getFirst()
                .identity()
                .name())
        .isEqualTo("blocks");
    assertThat(config.listeners()).containsExactly(ServerConfig.Listener.DEFAULTS);
  }

  @Test
  void readsWhatWritesMayBringAndRulesForIt() throws IOException {
    Path file =
        file(
            """
            write:
              body: 1MB
              decoded-body: 2MB
              labels: 3
              label-name: 10
              label-value: 20
              relabel:
                - {source_labels: [host], target_label: node}
                - {action: labeldrop, regex: host}
            """);

    VarveConfig config = VarveConfig.read(file, Map.of(), Map.of());

    assertThat(config.http().body()).isEqualTo(1 << 20);
    assertThat(config.http().decodedBody()).isEqualTo(2 << 20);
    assertThat(config.door().enter(GroupKey.of("m", Tags.of("host", "a"))).key())
        .isEqualTo(GroupKey.of("m", Tags.of("node", "a")));
    assertThat(config.door().enter(GroupKey.of("m", Tags.of("name-of-11-", "a"))).refusal())
        .isNotNull();
  }

  @Test
  void readsWhatWebPagesMayDo() throws IOException {
    Path file =
        file(
            """
            web:
              origins: ["HTTPS://Console.Example:443", "http://localhost:3000"]
              hosts: [Metrics.Example, "[::2]"]
              cors-origins: ["*"]
            """);
    assertThat(VarveConfig.read(file, Map.of(), Map.of()).web())
        .isEqualTo(
            new WebAccess(
                Set.of("https://console.example", "http://localhost:3000"),
                Set.of("metrics.example", "[::2]"),
                Set.of("*")));
    Path wrong =
        file(
            """
            web:
              origins: ["*", console.example, "https://console.example/", "null"]
              hosts: ["metrics.example:80"]
              cors_origins: []
            """);
    assertThatThrownBy(() -> VarveConfig.read(wrong, Map.of(), Map.of()))
        .hasMessageContaining("web.origins: '*' is no origin such as https://grafana.example.com")
        .hasMessageContaining("web.origins: 'console.example' is no origin")
        .hasMessageContaining("web.origins: 'https://console.example/' is no origin")
        .hasMessageContaining("web.origins: 'null' is no origin")
        .hasMessageContaining("web.hosts: 'metrics.example:80' is no host without a port")
        .hasMessageContaining("web.cors_origins: is unknown");
  }

  @Test
  void namesARuleThatIsWrongAndItsPlace() throws IOException {
    Path file =
        file(
            """
            write:
              relabel:
                - {target_label: a}
                - source_labels: [a]
                  action: hashmod
                  target_label: b
                - {target_label: a, regexp: b}
                - {target_label: a, regex: '('}
                - {action: labeldrop, target_label: a}
                - {action: labelmap, replacement: ''}
                - {action: drp}
                - {action: keepequal, target_label: a, separator: '+'}
            """);

    assertThatThrownBy(() -> VarveConfig.read(file, Map.of(), Map.of()))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining(
            "write.relabel[1].modulus: relabel configuration for hashmod requires non-zero modulus, set in varve.yaml line 4")
        .hasMessageContaining("write.relabel[3].regex: '(' is no 'regex'")
        .hasMessageContaining("write.relabel[4].target_label: labeldrop action requires only")
        .hasMessageContaining("write.relabel[5].replacement: \"\" is invalid 'replacement'")
        .hasMessageContaining("write.relabel[6].action: unknown relabel action \"drp\"")
        .hasMessageContaining("write.relabel[7].separator: keepequal action requires only")
        .hasMessageContaining("write.relabel[2].regexp: is unknown (did you mean 'regex'?");
  }

  @Test
  void readsWhatConnectionsMayTake() throws IOException {
    Path file =
        file(
            """
            connections: {max: 9, per-client: 3, lines: 2, reserve: 4, header: 5s, idle: 6s, lines-idle: 7m,
              min-rate: 2KB, grace: 8s, trusted-proxies: [10.0.0.0/8, "::1"]}
            """);
    ConnectionLimits limits =
        VarveConfig.read(file, Map.of("VARVE_CONNECTIONS_PER__CLIENT", "6"), Map.of())
            .http()
            .connections();
    assertThat(limits)
        .isEqualTo(
            new ConnectionLimits(
                9,
                6,
                2,
                4,
                Duration.ofSeconds(5),
                Duration.ofSeconds(6),
                Duration.ofMinutes(7),
                2048,
                Duration.ofSeconds(8),
                limits.proxies()));
    assertThat(limits.proxies()).hasToString("10.0.0.0/8,::1");
    Path wrong = file("connections: {per-clients: 3, header: 0s, trusted-proxies: [proxy]}");
    assertThatThrownBy(() -> VarveConfig.read(wrong, Map.of(), Map.of()))
        .hasMessageContaining("connections.per-clients: is unknown (did you mean 'per-client'?")
        .hasMessageContaining("connections.header: is no time at all")
        .hasMessageContaining("connections.trusted-proxies: 'proxy' is no network");
  }

  @Test
  void readsWhatQueriesMayTake() throws IOException {
    VarveConfig defaults = VarveConfig.read(null, Map.of(), Map.of());
    assertThat(defaults.queries()).isEqualTo(QueryOptions.DEFAULTS);
    assertThat(defaults.http().connections()).isEqualTo(ConnectionLimits.DEFAULTS);

    Path file =
        file(
            """
            connections: 50
            queries: {concurrency: 2, queue: 3, wait: 4s, time: 5s, series: 6, samples: 7, points: 8,
              steps: 9, memory: 10MB, pool: 11MB, slow: 12s, cells: 13, bytes: 14MB}
            """);
    VarveConfig config = VarveConfig.read(file, Map.of("VARVE_QUERIES_SERIES", "60"), Map.of());
    assertThat(config.http().connections()).isEqualTo(ConnectionLimits.ofMax(50));
    assertThat(config.queries())
        .isEqualTo(
            new QueryOptions(
                new QueryLimits(60, 7, 10 << 20, 8, 9, Duration.ofSeconds(5), 13, 14 << 20),
                new QueryCapacity(2, 3, Duration.ofSeconds(4), 11 << 20),
                Duration.ofSeconds(12)));

    Path wrong = file("queries: {concurrency: 0, memory: 5, serie: 1}");
    assertThatThrownBy(() -> VarveConfig.read(wrong, Map.of(), Map.of()))
        .hasMessageContaining("queries.concurrency: '0' is not a number from 1 to 10000")
        .hasMessageContaining("queries.memory: is less than 1MB")
        .hasMessageContaining("did you mean 'series'?");
  }

  @Test
  void readsEveryKeyOfADataset() throws IOException {
    Path file =
        file(
            """
            data: /var/lib/varve
            memory: 1GB
            listen:
              - {host: 127.0.0.1, port: 4243, dialects: [kairosdb], dataset: metrics}
            datasets:
              metrics:
                layout: buckets
                parameters: {bucket: 6h}
                retention: 30d
                duplicates: first
                resources: [host, pod]
                scans: allow
                periods:
                  - {from: 2030-01-01T00:00:00Z, layout: buckets}
            """);

    VarveConfig config = VarveConfig.read(file, Map.of(), Map.of());

    DatasetConfig dataset = config.engine().datasets().getFirst();
    assertThat(config.engine().defaultDataset()).isEqualTo("metrics");
    assertThat(config.engine().memory()).isEqualTo(1L << 30);
    assertThat(config.listeners().getFirst().port()).isEqualTo(4243);
    assertThat(dataset.retention()).isEqualTo(Duration.ofDays(30));
    assertThat(dataset.duplicates()).isEqualTo(DatasetConfig.Duplicates.FIRST);
    assertThat(dataset.resources()).containsExactlyInAnyOrder("host", "pod");
    assertThat(dataset.wholeTableScans()).isTrue();
    assertThat(dataset.periods()).hasSize(2);
    assertThat(dataset.periods().get(1).from()).isEqualTo(Instant.parse("2030-01-01T00:00:00Z"));
    assertThat(dataset.periods().getFirst().layouts().getFirst().identity().toString())
        .contains("6h");
  }

  @Test
  void readsWhatIsSaidOfTablesOfAnotherServer() throws IOException {
    Path file =
        file(
            """
            datasets:
              old:
                layout: opentsdb
                attach: co-write
                tables: {tsdb: prod-tsdb}
                home: {kind: memory, options: {a: b}}
                refresh: 3s
                rescan: 2h
              seen:
                layout: heroic
                attach: read-only
            """);

    List<DatasetConfig> datasets = VarveConfig.read(file, Map.of(), Map.of()).engine().datasets();

    assertThat(datasets.getFirst().attached())
        .isEqualTo(
            new DatasetConfig.Attached(
                DatasetConfig.Access.CO_WRITE,
                Map.of("tsdb", "prod-tsdb"),
                new DatasetConfig.StoreConfig("memory", Map.of("a", "b"))));
    assertThat(datasets.getFirst().refresh())
        .isEqualTo(new DatasetConfig.Refresh(Duration.ofSeconds(3), Duration.ofHours(2)));
    assertThat(datasets.get(1).isReadOnly()).isTrue();
    assertThat(datasets.get(1).home().kind()).isEqualTo("rocksdb");
    assertThat(datasets.get(1).refresh()).isEqualTo(DatasetConfig.Refresh.DEFAULTS);
  }

  @Test
  void refusesForeignTablesOfADatasetThatIsNotAttached() throws IOException {
    Path file =
        file(
            """
            datasets:
              metrics:
                attach: readonly
                tables: {tsdb: x}
            """);

    assertThatThrownBy(() -> VarveConfig.read(file, Map.of(), Map.of()))
        .hasMessageContaining(
            "datasets.metrics.attach: 'readonly' is none of no, read-only, co-write, set in varve.yaml line 3")
        .hasMessageContaining(
            "datasets.metrics.tables: is said of tables that another server has made, and needs attach");
  }

  @Test
  void aFlagIsStrongerThanTheEnvironmentAndThatStrongerThanTheFile() throws IOException {
    Path file = file("memory: 1GB\ndata: from-file\n");

    VarveConfig config =
        VarveConfig.read(
            file,
            Map.of("VARVE_MEMORY", "2GB", "VARVE_DATA", "from-environment"),
            Map.of("memory", "3GB"));

    assertThat(config.engine().memory()).isEqualTo(3L << 30);
    assertThat(config.engine().directory()).isEqualTo(Path.of("from-environment"));
  }

  @Test
  void takesNoVariableOfTheProgramForAKey() throws IOException {
    List<String> variables = new ArrayList<>();
    Matcher documented =
        Pattern.compile("(?m)^\\| `(VARVE_[A-Z0-9_]+)`").matcher(page("docs/configuration.md"));
    while (documented.find()) {
      variables.add(documented.group(1));
    }
    assertThat(variables)
        .contains("VARVE_HEAP", "VARVE_JAVA_OPTS", "VARVE_BUILD", "VARVE_AOT", "VARVE_JAVA_HOME")
        .contains("VARVE_CONFIG", "VARVE_LOG", "VARVE_TRACE", "VARVE_JAVA17_HOME");
    for (String variable : variables) {
      VarveConfig.read(null, Map.of(variable, "off"), Map.of());
    }
    // The page documents the variables of the launcher and of the log's configuration.
    Matcher read =
        Pattern.compile("VARVE_[A-Z0-9_]+")
            .matcher(page("varve") + page("cli/src/main/resources/logback.xml"));
    while (read.find()) {
      assertThat(variables).contains(read.group());
    }
  }

  @Test
  void readsTheExampleOfTheDocumentation() throws IOException {
    StringBuilder example = new StringBuilder();
    Matcher block =
        Pattern.compile("(?s)```yaml\\n(.*?)```").matcher(page("docs/configuration.md"));
    while (block.find()) {
      example.append(block.group(1));
    }
    Files.writeString(folder.resolve("prometheus.yml"), "scrape_configs: []\n");
    Files.writeString(folder.resolve("rollups.json"), ConfigKeysTest.ROLLUPS);
    VarveConfig config = VarveConfig.read(file(example.toString()), Map.of(), Map.of());
    assertThat(config.rules().alerting().alertmanagers()).hasSize(2);
    assertThat(config.heapDump()).isTrue();
  }

  private static String page(String name) throws IOException {
    Path folder = Path.of("").toAbsolutePath();
    while (!Files.exists(folder.resolve("mvnw"))) {
      folder = Objects.requireNonNull(folder.getParent());
    }
    return Files.readString(folder.resolve(name));
  }

  @Test
  void takesTextsOfTheEnvironmentAsTheyAre() throws IOException {
    Path file = file("datasets: {metrics: {store: {kind: cassandra}}}");
    String options = "VARVE_DATASETS_METRICS_STORE_OPTIONS_";
    VarveConfig config =
        VarveConfig.read(
            file,
            Map.of(
                options + "PASSWORD",
                "*a: b #c",
                options + "TLS__KEY__PASSWORD",
                "'[quoted]'",
                "VARVE_DATASETS_METRICS_RESOURCES",
                "[host, pod]"),
            Map.of());
    DatasetConfig metrics = config.engine().datasets().getFirst();
    assertThat(metrics.store().options())
        .isEqualTo(Map.of("password", "*a: b #c", "tls-key-password", "[quoted]"));
    assertThat(metrics.resources()).containsExactlyInAnyOrder("host", "pod");
  }

  @Test
  void takesNoKeyForUnknownBecauseTheLayoutIs() throws IOException {
    Path file =
        file(
            """
            datasets:
              metrics:
                layout: bucketz
                retention: 30d
                scans: allow
                attach: readonly
                store:
                  kind: cassandra
                  options: {port: 9042}
            """);

    assertThatThrownBy(() -> VarveConfig.read(file, Map.of(), Map.of()))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("there is no layout 'bucketz' (did you mean 'buckets'?)")
        .hasMessageContaining("'readonly' is none of no, read-only, co-write")
        .hasMessageNotContaining("is unknown");
  }

  @Test
  void namesAllProblemsAtOnceEachWithItsPlace() throws IOException {
    Path file =
        file(
            """
            memori: 1GB
            memory: 4GBB
            datasets:
              metrics:
                layout: buckets
                retention: soon
                duplicates: newest
            """);

    assertThatThrownBy(() -> VarveConfig.read(file, Map.of(), Map.of()))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("memori: is unknown (did you mean 'memory'?")
        .hasMessageContaining("set in varve.yaml line 1")
        .hasMessageContaining(
            "memory: '4GBB' is not a size (try 256MB or 4GB), set in varve.yaml line 2")
        .hasMessageContaining("datasets.metrics.retention: 'soon' is not a duration")
        .hasMessageContaining(
            "datasets.metrics.duplicates: 'newest' is none of last, first, max, min, set in varve.yaml line 7");
  }

  @Test
  void saysWhichLayoutIsUnknownAndWhereItWasNamed() {
    assertThatThrownBy(
            () -> VarveConfig.read(null, Map.of(), Map.of("datasets.a.layout", "bukets")))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("datasets.a.layout")
        .hasMessageContaining("--set datasets.a.layout");
  }

  @Test
  void refusesADefaultThatIsNoDataset() {
    assertThatThrownBy(() -> VarveConfig.read(null, Map.of(), Map.of("default", "other")))
        .hasMessageContaining("there is no dataset 'other'");
  }

  @Test
  void readsListenersOfFeeds() throws IOException {
    Path file =
        file(
            """
            listen:
              - {port: 4242}
              - {port: 2003, protocol: graphite, templates: ["a.* .host.measurement* x=1,y=2"]}
              - {port: 2004, protocol: graphite-pickle, dataset: default}
              - {port: 8094, protocol: influx, precision: s}
            """);

    assertThat(VarveConfig.read(file, Map.of(), Map.of()).listeners())
        .extracting(ServerConfig.Listener::feed)
        .containsExactly(
            null,
            new ServerConfig.Feed.Graphite(false, List.of("a.* .host.measurement* x=1,y=2")),
            new ServerConfig.Feed.Graphite(true, List.of()),
            new ServerConfig.Feed.Influx("s"));
    Path wrong = file("listen: [{port: 2003, protocol: grafite, dialects: [influx]}]\n");
    assertThatThrownBy(() -> VarveConfig.read(wrong, Map.of(), Map.of()))
        .hasMessageContaining(
            "listen[0].protocol: 'grafite' is none of http, graphite, graphite-pickle, influx");
  }

  @Test
  void readsWhatIsScraped() throws IOException {
    Path file =
        file(
            """
            scrape:
              dataset: default
              scrape_configs:
                - {job_name: node, static_configs: [{targets: [localhost:9100]}]}
            """);

    assertThat(VarveConfig.read(file, Map.of(), Map.of()).scrape()).isNotNull();
    Path wrong =
        file(
            """
            scrape:
              dataset: none
              scrape_configs:
                - {job_name: node, static_config: []}
            """);
    assertThatThrownBy(() -> VarveConfig.read(wrong, Map.of(), Map.of()))
        .hasMessageContaining("scrape.dataset: there is no dataset 'none'")
        .hasMessageContaining(
            "scrape.scrape_configs[0].static_config: is unknown (did you mean 'static_configs'?");
  }
}
