package dev.varve.server.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.engine.Engine;
import dev.varve.engine.config.DatasetConfig;
import dev.varve.engine.config.DatasetConfig.PeriodConfig;
import dev.varve.engine.config.DatasetConfig.StoreConfig;
import dev.varve.engine.config.EngineConfig;
import dev.varve.layout.registry.Layouts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Unit tests of rules, run on a dataset. */
class RuleTestFileTest {
  private static final String RULES =
      """
      groups:
        - name: example
          rules:
            - record: job:up:count
              expr: count by (job) (up == 1)
            - alert: InstanceDown
              expr: up == 0
              for: 5m
              keep_firing_for: 2m
              labels: {severity: page, site: '{{ $externalLabels.site }}'}
              annotations:
                summary: 'Instance {{ $labels.instance }} down'
                link: '{{ $externalURL }}'
            - alert: Derived
              expr: job:up:count{job="b"} < 2
      """;

  @TempDir private Path folder;

  private List<String> run(String tests) throws IOException {
    Files.writeString(folder.resolve("rules.yml"), RULES);
    RuleTestFile file = RuleTestFile.read(Files.writeString(folder.resolve("tests.yml"), tests));
    List<String> failures = new ArrayList<>();
    for (RuleTestFile.Test test : file.tests()) {
      DatasetConfig dataset =
          new DatasetConfig(
              "test",
              new StoreConfig("memory", Map.of()),
              List.of(new PeriodConfig(Instant.MIN, List.of(Layouts.of("buckets", Map.of())))),
              null,
              DatasetConfig.Duplicates.LAST,
              Set.of(),
              false);
      Path data = Files.createTempDirectory(folder, "data");
      try (Engine engine =
          Engine.open(new EngineConfig(data, 64L << 20, List.of(dataset), "test"))) {
        failures.addAll(file.run(test, engine.defaultDataset()));
      }
    }
    return failures;
  }

  @Test
  void passesWhatIsAsItShouldBe() throws IOException {
    assertThat(
            run(
                """
                rule_files: [rul*.yml]
                evaluation_interval: 1m
                tests:
                  - name: down
                    interval: 1m
                    external_labels: {site: north}
                    external_url: http://varve.example
                    input_series:
                      - series: 'up{job="a", instance="one"}'
                        values: '1 1 0x7 1x9'
                      - series: 'up{job="b", instance="two"}'
                        values: '1+0x20'
                      - series: 'up{job="b", instance="three"}'
                        values: '1 _x3 1 stale'
                    alert_rule_test:
                      - {eval_time: 6m, alertname: InstanceDown}
                      - eval_time: 7m30s
                        alertname: InstanceDown
                        exp_alerts:
                          - exp_labels: {severity: page, job: a, instance: one, site: north}
                            exp_annotations: {summary: Instance one down, link: 'http://varve.example'}
                      - eval_time: 11m
                        alertname: InstanceDown
                        exp_alerts:
                          - exp_labels: {severity: page, job: a, instance: one, site: north}
                            exp_annotations: {summary: Instance one down, link: 'http://varve.example'}
                      - {eval_time: 12m, alertname: InstanceDown}
                      - {eval_time: 4m, alertname: Derived}
                      - {eval_time: 5m, alertname: Derived, exp_alerts: [{exp_labels: {job: b}}]}
                    promql_expr_test:
                      - expr: job:up:count
                        eval_time: 4m
                        exp_samples: [{labels: 'job:up:count{job="b"}', value: 2}]
                      - expr: 'ALERTS{alertname="InstanceDown"}'
                        eval_time: 7m
                        exp_samples:
                          - labels: 'ALERTS{alertname="InstanceDown", alertstate="firing", instance="one", job="a", severity="page", site="north"}'
                            value: 1
                      - {expr: 'ALERTS_FOR_STATE{alertname="InstanceDown"} > bool 0', eval_time: 13m}
                      - {expr: time(), eval_time: 90s, exp_samples: [{labels: '{}', value: 90}]}
                """))
        .isEmpty();
  }

  @Test
  void tellsWhatIsNot() throws IOException {
    assertThat(
            run(
                """
                rule_files: [rules.yml]
                tests:
                  - input_series: [{series: 'up{job="b"}', values: '1x5'}]
                    alert_rule_test:
                      - {eval_time: 2m, alertname: Derived}
                    promql_expr_test:
                      - {expr: up, eval_time: 1m, exp_samples: [{labels: 'up{job="b"}', value: 2}]}
                """))
        .containsExactly(
            "alertname: Derived, time: 120s, exp: [], got: [{alertname=Derived, job=b} {}]",
            "expr: \"up\", time: 60s, exp: [up{job=\"b\"} 2], got: [up{job=\"b\"} 1]");
  }

  @Test
  void tellsAllThatCannotBeRead() {
    assertThatThrownBy(() ->
            run(
                """
                rule_files: [none.yml]
                tests:
                  - input_series: [{series: 'up{job=~"b"}', values: '1 two'}]
                    promql_expr_test:
                      - {expr: 'sum('}
                      - {expr: up, exp_samples: [{labels: 'up{', value: 1x3}]}
                    alert_rule_test: [{eval_time: 5m}]
                    external_url: 'a b'
                """))
        .hasMessageContaining("there is no rule file")
        .hasMessageContaining("'up{job=~\"b\"}' names more than one series")
        .hasMessageContaining("'two' is not a value")
        .hasMessageContaining("unclosed left parenthesis")
        .hasMessageContaining("labels: 1:4: parse error: unexpected end of input")
        .hasMessageContaining("value: '1x3' is not a number")
        .hasMessageContaining("external_url: 'a b' is not a valid URL")
        .hasMessageContaining("alertname: is missing");
  }
}
