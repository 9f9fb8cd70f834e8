package dev.varve.server.rules;

import dev.varve.engine.Dataset;
import dev.varve.engine.request.WriteResult;
import dev.varve.model.BatchBuilder;
import dev.varve.model.GroupKey;
import dev.varve.model.Series;
import dev.varve.query.limit.QueryLimits;
import dev.varve.query.promql.PromQl;
import dev.varve.query.promql.PromQlException;
import dev.varve.query.promql.eval.Labels;
import dev.varve.query.promql.eval.PromQlEvaluationException;
import dev.varve.query.promql.eval.PromResult;
import dev.varve.query.promql.eval.PromSettings;
import dev.varve.query.promql.eval.ValueText;
import dev.varve.query.running.QueryCapacity;
import dev.varve.query.running.RunningQueries;
import dev.varve.rules.AlertState;
import dev.varve.rules.GroupStatus;
import dev.varve.rules.RuleGroup;
import dev.varve.rules.RuleRehearsal;
import dev.varve.rules.RuleSettings;
import dev.varve.rules.RuleStore;
import dev.varve.server.config.ConfigException;
import dev.varve.server.config.ConfigNode;
import dev.varve.server.config.ConfigReader;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A file of unit tests for rules, in the format of <a
 * href="https://prometheus.io/docs/prometheus/3.5/configuration/unit_testing_rules/">{@code
 * promtool test rules}</a>. Histograms are not supported.
 *
 * @param order names of groups in the order of evaluation
 * @param fuzzy whether adjacent doubles compare as equal
 */
public record RuleTestFile(
    List<RuleGroup> groups,
    Duration evaluationInterval,
    List<String> order,
    boolean fuzzy,
    List<Test> tests) {
  private static final Duration MINUTE = Duration.ofMinutes(1);

  /**
   * A test.
   *
   * @param interval between values, and of groups that specify none
   */
  public record Test(
      String name,
      Duration interval,
      List<Input> input,
      List<AlertCheck> alerts,
      List<QueryCheck> queries,
      SortedMap<String, String> externalLabels,
      URI externalUrl) {}

  /** A series with a sequence of values. */
  record Input(String series, String values, String where) {}

  /** The alerts of a name that must be firing at a time. */
  record AlertCheck(Duration at, String name, List<Labelled> expected) {}

  record Labelled(SortedMap<String, String> labels, SortedMap<String, String> annotations) {
    @Override
    public String toString() {
      return labels + " " + annotations;
    }
  }

  /** The expected result of an expression at a time. */
  record QueryCheck(Duration at, String expr, List<Sample> expected) {}

  record Sample(Labels labels, double value) {
    @Override
    public String toString() {
      return labels + " " + ValueText.of(value);
    }
  }

  /**
   * Reads a file and the rule files that it names.
   *
   * @throws ConfigException with all errors
   */
  public static RuleTestFile read(Path file) throws IOException {
    List<String> problems = new ArrayList<>();
    ConfigNode root;
    try {
      root = ConfigNode.parse(Files.readString(file), file.toString(), true);
    } catch (NoSuchFileException e) {
      throw new ConfigException(List.of("there is no file '" + file + "'"));
    }
    if (!(root instanceof ConfigNode.Mapping mapping)) {
      throw new ConfigException(List.of(root.where() + ": a mapping with 'tests' is expected"));
    }
    ConfigReader reader = new ConfigReader(mapping, "", problems);
    Path folder = file.toAbsolutePath().getParent();
    List<Path> named = reader.paths("rule_files", folder == null ? Path.of("") : folder);
    List<RuleGroup> groups = new ArrayList<>();
    try {
      groups.addAll(RuleFiles.read(RuleFiles.find(named), MINUTE));
    } catch (ConfigException e) {
      problems.addAll(e.problems());
    }
    Duration evaluation = duration(reader, "evaluation_interval", MINUTE);
    List<Test> tests = new ArrayList<>();
    for (ConfigReader item : reader.list("tests")) {
      tests.add(test(item, evaluation, tests.size()));
    }
    RuleTestFile read =
        new RuleTestFile(
            groups,
            evaluation,
            reader.texts("group_eval_order"),
            reader.choice("fuzzy_compare", List.of("true", "false"), "false").equals("true"),
            tests);
    reader.refuseUnknown();
    if (!problems.isEmpty()) {
      throw new ConfigException(problems);
    }
    return read;
  }

  private static Duration duration(ConfigReader reader, String key, Duration otherwise) {
    Duration read = reader.duration(key);
    return read == null || read.isZero() ? otherwise : read;
  }

  private static Test test(ConfigReader reader, Duration evaluation, int number) {
    List<Input> input = new ArrayList<>();
    for (ConfigReader item : reader.list("input_series")) {
      String series = item.text("series", "");
      String values = item.text("values", "");
      check(item, "series", () -> InputSeries.labels(series));
      check(item, "values", () -> InputSeries.values(values, (value, at) -> {}));
      item.refuseUnknown();
      input.add(new Input(series, values, item.where("series")));
    }
    List<AlertCheck> alerts = new ArrayList<>();
    for (ConfigReader item : reader.list("alert_rule_test")) {
      alerts.add(alertCheck(item));
    }
    List<QueryCheck> queries = new ArrayList<>();
    for (ConfigReader item : reader.list("promql_expr_test")) {
      queries.add(queryCheck(item));
    }
    Test test =
        new Test(
            reader.text("name", "unnamed#" + number),
            duration(reader, "interval", evaluation),
            input,
            alerts,
            queries,
            new TreeMap<>(reader.texts("external_labels", "labels")),
            url(reader, "external_url"));
    reader.refuseUnknown();
    return test;
  }

  private static URI url(ConfigReader reader, String key) {
    String text = reader.text(key, "");
    try {
      return new URI(text);
    } catch (URISyntaxException e) {
      reader.problem(key, "'" + text + "' is not a valid URL: " + e.getReason());
      return URI.create("");
    }
  }

  private static void check(ConfigReader reader, String key, Runnable reading) {
    checked(
        reader,
        key,
        () -> {
          reading.run();
          return true;
        });
  }

  /** Returns what the supplier reads; null, with a problem recorded, if it throws. */
  private static <T> @Nullable T checked(ConfigReader reader, String key, Supplier<T> reading) {
    try {
      return reading.get();
    } catch (IllegalArgumentException | PromQlException e) {
      reader.problem(key, String.valueOf(e.getMessage()));
      return null;
    }
  }

  private static AlertCheck alertCheck(ConfigReader reader) {
    String name = reader.text("alertname", "");
    if (name.isEmpty()) {
      reader.problem("alertname", "is missing");
    }
    List<Labelled> expected = new ArrayList<>();
    for (ConfigReader item : reader.list("exp_alerts")) {
      SortedMap<String, String> labels = new TreeMap<>(item.texts("exp_labels", "labels"));
      labels.put("alertname", name);
      expected.add(
          new Labelled(labels, new TreeMap<>(item.texts("exp_annotations", "annotations"))));
      item.refuseUnknown();
    }
    AlertCheck check = new AlertCheck(duration(reader, "eval_time", Duration.ZERO), name, expected);
    reader.refuseUnknown();
    return check;
  }

  private static QueryCheck queryCheck(ConfigReader reader) {
    String expr = reader.text("expr", "");
    check(reader, "expr", () -> PromQl.parse(expr));
    List<Sample> expected = new ArrayList<>();
    for (ConfigReader item : reader.list("exp_samples")) {
      String labels = item.text("labels", "{}");
      String value = item.text("value", "0");
      Map<String, String> named = checked(item, "labels", () -> InputSeries.labels(labels));
      Double number = checked(item, "value", () -> InputSeries.number(value));
      if (named != null && number != null) {
        expected.add(new Sample(Labels.of(named), number));
      }
      item.refuseUnknown();
    }
    QueryCheck check = new QueryCheck(duration(reader, "eval_time", Duration.ZERO), expr, expected);
    reader.refuseUnknown();
    return check;
  }

  /**
   * Runs a test.
   *
   * @param dataset an empty dataset
   * @return the failures; empty if the test passes
   */
  public List<String> run(Test test, Dataset dataset) {
    try (RunningQueries queries =
        new RunningQueries(QueryCapacity.DEFAULTS, ended -> {}, Clock.systemUTC())) {
      return run(
          test,
          new DatasetRules(
              dataset,
              queries,
              QueryLimits.DEFAULTS,
              (written, dialect, result, coerced, nanos) -> {}));
    }
  }

  private List<String> run(Test test, RuleStore store) {
    List<String> failures = new ArrayList<>();
    load(test, store, failures);
    if (failures.isEmpty()) {
      evaluate(test, store, failures);
    }
    if (failures.stream().noneMatch(failure -> failure.startsWith("rule: "))) {
      test.queries().forEach(check -> ask(check, store, failures));
    }
    return failures;
  }

  private static void load(Test test, RuleStore store, List<String> failures) {
    for (Input input : test.input()) {
      GroupKey key = InputSeries.key(InputSeries.labels(input.series()));
      BatchBuilder batch = new BatchBuilder();
      InputSeries.values(
          input.values(),
          (value, at) ->
              batch.group(key).add(Series.DEFAULT_FIELD, at * test.interval().toMillis(), value));
      if (!batch.isEmpty()) {
        WriteResult result = store.write(batch.build());
        if (result.refused() > 0) {
          failures.add(input.where() + ": " + result.rejections().getFirst().refusal().message());
        }
      }
    }
  }

  private void evaluate(Test test, RuleStore store, List<String> failures) {
    RuleSettings defaults = RuleSettings.DEFAULTS;
    RuleSettings settings =
        new RuleSettings(
            defaults.queryOffset(),
            defaults.timeout(),
            defaults.promql(),
            defaults.outageTolerance(),
            defaults.forGracePeriod(),
            defaults.resendDelay(),
            test.externalUrl(),
            test.externalLabels());
    List<RuleGroup> ordered = new ArrayList<>(groups);
    ordered.sort(Comparator.comparingInt(group -> Math.max(0, order.indexOf(group.name()))));
    RuleRehearsal rules = new RuleRehearsal(ordered, store, settings);
    TreeSet<Duration> due = new TreeSet<>();
    test.alerts().forEach(check -> due.add(check.at()));
    Duration last = due.isEmpty() ? Duration.ZERO : due.getLast();
    for (QueryCheck check : test.queries()) {
      last = check.at().compareTo(last) > 0 ? check.at() : last;
    }
    for (Duration at = Duration.ZERO; at.compareTo(last) <= 0; at = at.plus(evaluationInterval)) {
      rules.evaluate(Instant.EPOCH.plus(at));
      if (noteErrors(rules, at, failures)) {
        return;
      }
      Duration next = at.plus(evaluationInterval);
      for (AlertCheck check : test.alerts()) {
        if (check.at().compareTo(at) >= 0 && check.at().compareTo(next) < 0) {
          compare(check, rules, failures);
        }
      }
    }
  }

  private static boolean noteErrors(RuleRehearsal rules, Duration at, List<String> failures) {
    boolean any = false;
    for (GroupStatus group : rules.groups()) {
      for (GroupStatus.RuleStatus rule : group.rules()) {
        if (!rule.error().isEmpty()) {
          failures.add(
              "rule: %s, time: %s, err: %s".formatted(rule.rule().name(), text(at), rule.error()));
          any = true;
        }
      }
    }
    return any;
  }

  private static String text(Duration duration) {
    return duration.toMillis() % 1000 == 0
        ? duration.toSeconds() + "s"
        : duration.toMillis() + "ms";
  }

  private static void compare(AlertCheck check, RuleRehearsal rules, List<String> failures) {
    List<String> actual = new ArrayList<>();
    for (GroupStatus group : rules.groups()) {
      for (GroupStatus.RuleStatus rule : group.rules()) {
        if (rule.rule().name().equals(check.name())) {
          rule.alerts().stream()
              .filter(alert -> alert.state() == AlertState.FIRING)
              .map(alert ->
                  new Labelled(new TreeMap<>(alert.labels().toMap()), alert.annotations())
                      .toString())
              .forEach(actual::add);
        }
      }
    }
    List<String> expected =
        check.expected().stream()
            .map(
                alert -> new Labelled(plain(alert.labels()), plain(alert.annotations())).toString())
            .sorted()
            .toList();
    actual.sort(Comparator.naturalOrder());
    if (!actual.equals(expected)) {
      failures.add(
          "alertname: %s, time: %s, exp: %s, got: %s"
              .formatted(check.name(), text(check.at()), expected, actual));
    }
  }

  /** Removes empty values: a label with an empty value counts as missing. */
  private static SortedMap<String, String> plain(Map<String, String> labels) {
    SortedMap<String, String> plain = new TreeMap<>(labels);
    plain.values().removeIf(String::isEmpty);
    return plain;
  }

  private void ask(QueryCheck check, RuleStore store, List<String> failures) {
    PromSettings limits = new PromSettings(PromSettings.DEFAULTS.lookback(), evaluationInterval);
    List<Sample> actual = new ArrayList<>();
    try {
      PromResult result =
          store.instant(check.expr(), Instant.EPOCH.plus(check.at()), limits, known -> {});
      switch (result) {
        case PromResult.Vector vector ->
            vector.elements().forEach(e -> actual.add(new Sample(e.labels(), e.value())));
        case PromResult.Scalar scalar -> actual.add(new Sample(Labels.NONE, scalar.value()));
        case PromResult.Text _, PromResult.Matrix _ ->
            throw new PromQlFailed("the expression returns neither a vector nor a scalar");
      }
    } catch (PromQlFailed | PromQlEvaluationException e) {
      failures.add(
          "expr: \"%s\", time: %s, err: %s"
              .formatted(check.expr(), text(check.at()), e.getMessage()));
      return;
    }
    List<Sample> expected = new ArrayList<>(check.expected());
    Comparator<Sample> byLabels = Comparator.comparing(Sample::labels);
    actual.sort(byLabels);
    expected.sort(byLabels);
    if (!same(actual, expected)) {
      failures.add(
          "expr: \"%s\", time: %s, exp: %s, got: %s"
              .formatted(check.expr(), text(check.at()), expected, actual));
    }
  }

  private static final class PromQlFailed extends RuntimeException {
    private static final long serialVersionUID = 1;

    PromQlFailed(String message) {
      super(message);
    }
  }

  private boolean same(List<Sample> actual, List<Sample> expected) {
    if (actual.size() != expected.size()) {
      return false;
    }
    for (int i = 0; i < actual.size(); i++) {
      double a = actual.get(i).value();
      double b = expected.get(i).value();
      boolean equal =
          a == b
              || (Double.isNaN(a) && Double.isNaN(b))
              || (fuzzy && (Math.nextUp(a) == b || Math.nextDown(a) == b));
      if (!equal || !actual.get(i).labels().equals(expected.get(i).labels())) {
        return false;
      }
    }
    return true;
  }
}
