package dev.varve.server.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.varve.rules.Rule;
import dev.varve.rules.RuleGroup;
import dev.varve.server.config.ConfigException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Valid and invalid rule files. */
class RuleFilesTest {
  private static final Duration MINUTE = Duration.ofMinutes(1);

  @TempDir private Path folder;

  private Path file(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text);
  }

  private List<String> problems(String text) throws IOException {
    Path file = file("bad.yml", text);
    ConfigException bad =
        catchThrowableOfType(ConfigException.class, () -> RuleFiles.read(List.of(file), MINUTE));
    return bad == null ? List.of() : bad.problems().stream().map(this::plain).toList();
  }

  private String plain(String problem) {
    return problem.replace(folder + "/", "");
  }

  @Test
  void readsWhatPrometheusReads() throws IOException {
    Path file =
        file(
            "good.yml",
            """
            groups:
              - name: node
                interval: 30s
                query_offset: 1m
                limit: 10
                labels: {team: infra, n: 1}
                rules:
                  - record: job:up:sum
                    expr: sum(up)by(job)
                    labels:
                      team: ops
                      gone: ''
                  - alert: Down
                    expr: |
                      up == 0
                    for: 1h30m
                    keep_firing_for: 5m
                    labels: {severity: 'page {{ $value }}'}
                    annotations:
                      summary: "{{ $labels.job }} is down"
              - name: empty
                rules:
            """);
    List<RuleGroup> groups = RuleFiles.read(List.of(file), MINUTE);
    assertThat(groups).hasSize(2);
    RuleGroup node = groups.getFirst();
    assertThat(node.file()).isEqualTo(file.toString());
    assertThat(node.interval()).isEqualTo(Duration.ofSeconds(30));
    assertThat(node.queryOffset()).isEqualTo(MINUTE);
    assertThat(node.limit()).isEqualTo(10);
    Rule.Recording record = (Rule.Recording) node.rules().getFirst();
    assertThat(record.query()).isEqualTo("sum by (job) (up)");
    assertThat(record.labels()).isEqualTo(Map.of("team", "ops", "n", "1", "gone", ""));
    Rule.Alerting alert = (Rule.Alerting) node.rules().get(1);
    assertThat(alert.hold()).isEqualTo(Duration.ofMinutes(90));
    assertThat(alert.keepFiringFor()).isEqualTo(Duration.ofMinutes(5));
    assertThat(alert.labels())
        .isEqualTo(Map.of("team", "infra", "n", "1", "severity", "page {{ $value }}"));
    assertThat(groups.get(1).interval()).isEqualTo(MINUTE);
    assertThat(groups.get(1).queryOffset()).isNull();
  }

  @Test
  void readsAnchorsAndMerges() throws IOException {
    Path file =
        file(
            "merged.yml",
            """
            groups:
              - name: a
                rules:
                  - &base {alert: One, expr: up == 0, labels: {severity: page}}
                  - {<<: *base, alert: Two}
            """);
    List<Rule> rules = RuleFiles.read(List.of(file), MINUTE).getFirst().rules();
    assertThat(rules).extracting(Rule::name).containsExactly("One", "Two");
    assertThat(rules.get(1).labels()).containsEntry("severity", "page");
  }

  @Test
  void findsAllThatIsWrongAtOnce() throws IOException {
    assertThat(
            problems(
                """
                groups:
                  - name: a
                    interval: 5x
                    limits: 3
                    rules:
                      - record: x
                        alert: y
                        expr: up
                      - expr: up
                      - record: a
                        expr: sum(
                        for: 5m
                        annotations: {a: b}
                      - record: 'a{b="c"}'
                        expr: up
                      - record: z
                      - alert: Bad
                        expr: up
                        labels: {__name__: z, fine: '{{ $labels.x }}'}
                        annotations: {summary: '{{ nothing }}'}
                  - name: a
                  - rules: []
                grups: []
                """))
        .containsExactlyInAnyOrder(
            "groups[0].interval: '5x' is not a duration (try 90s, 15m, 1h30m, 30d or 1y), set in bad.yml line 3",
            "groups[0].rules[0].alert: only one of 'record' and 'alert' can be set, set in bad.yml line 7",
            "groups[0].rules[1].record: one of 'record' and 'alert' has to be set, set in bad.yml line 9",
            "groups[0].rules[2].expr: could not parse expression: 1:5: parse error: unclosed left parenthesis, set in bad.yml line 11",
            "groups[0].rules[2].for: is only allowed in alerting rules, set in bad.yml line 12",
            "groups[0].rules[2].annotations: is only allowed in alerting rules, set in bad.yml line 13",
            "groups[0].rules[3].record: 'a{b=\"c\"}' contains braces: a name is expected, labels belong in 'labels', set in bad.yml line 14",
            "groups[0].rules[4].expr: is missing: every rule has one, set in bad.yml line 16",
            "groups[0].rules[5].labels: '__name__' is not a label name that can be set, set in bad.yml line 19",
            "groups[0].rules[5].annotations.summary: template: __alert_Bad:1: function \"nothing\" not defined, set in bad.yml line 20",
            "groups[0].limits: is unknown (did you mean 'limit'?; known here: name, interval, query_offset, limit, labels, rules), set in bad.yml line 4",
            "groups[1].name: 'a' occurs twice in this file, set in bad.yml line 21",
            "groups[2].name: is missing: every group has one, set in bad.yml line 22",
            "grups: is unknown (did you mean 'groups'?; known here: groups), set in bad.yml line 23");
  }

  @Test
  void tellsOfFilesThatAreNone() throws IOException {
    assertThat(problems("groups: [")).singleElement().asString().startsWith("bad.yml line ");
    assertThat(problems("- a"))
        .containsExactly("bad.yml line 1: a rule file is a mapping with the key 'groups'");
    assertThat(problems("groups:\n- &a {name: a, rules: [*a]}"))
        .containsExactly("bad.yml line 2: an anchor (&) stands for what it is part of");
    assertThat(problems("")).isEmpty();
    assertThatThrownBy(() -> RuleFiles.read(List.of(folder.resolve("none.yml")), MINUTE))
        .hasMessageContaining("there is no rule file '");
  }

  @Test
  void findsFilesByPattern() throws IOException {
    Path b = file("b.yml", "");
    Path a = file("a.yml", "");
    file("c.txt", "");
    assertThat(RuleFiles.find(List.of(folder.resolve("*.yml"), b))).containsExactly(a, b);
    assertThat(RuleFiles.find(List.of(folder.resolve("none/*.yml")))).isEmpty();
    assertThatThrownBy(() -> RuleFiles.find(List.of(folder.resolve("a[.yml"))))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("'a[.yml' is not a valid file pattern: ");
  }
}
