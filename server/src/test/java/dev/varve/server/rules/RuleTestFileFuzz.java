package dev.varve.server.rules;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.varve.query.promql.Quoting;
import dev.varve.query.promql.eval.ValueText;
import dev.varve.server.FuzzJson;
import dev.varve.server.config.ConfigException;
import dev.varve.server.rules.RuleTestFile.AlertCheck;
import dev.varve.server.rules.RuleTestFile.Input;
import dev.varve.server.rules.RuleTestFile.Labelled;
import dev.varve.server.rules.RuleTestFile.QueryCheck;
import dev.varve.server.rules.RuleTestFile.Sample;
import dev.varve.server.rules.RuleTestFile.Test;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/**
 * Fuzzes files of unit tests for rules, next to a rule file {@code rules.yml}. Tests must be the
 * same after they are printed as JSON, which is YAML, and read again; an invalid file must yield
 * problems.
 */
public final class RuleTestFileFuzz {
  private static final String RULES = "groups: [{name: a, rules: [{record: b, expr: c}]}]";
  private static @Nullable Path file;

  private RuleTestFileFuzz() {}

  /** Runs one input; called by fuzzers. */
  public static void fuzzerTestOneInput(byte[] input) throws IOException {
    RuleTestFile read;
    try {
      read = plain(read(input));
    } catch (ConfigException e) {
      if (e.problems().isEmpty() || e.problems().contains("")) {
        throw new AssertionError("refused without a reason", e);
      }
      return;
    } catch (CharacterCodingException e) {
      // A file that is not UTF-8 cannot be read.
      return;
    }
    String printed = FuzzJson.printed(json -> print(read, json));
    try {
      if (!plain(read(printed.getBytes(UTF_8))).equals(read)) {
        throw new AssertionError("printed as other tests: " + printed);
      }
    } catch (ConfigException e) {
      throw new AssertionError("printed as " + printed, e);
    }
  }

  private static RuleTestFile read(byte[] text) throws IOException {
    Path known = file;
    if (known == null) {
      Path folder = Files.createTempDirectory("varve-fuzz");
      folder.toFile().deleteOnExit();
      Path rules = Files.writeString(folder.resolve("rules.yml"), RULES);
      rules.toFile().deleteOnExit();
      known = folder.resolve("tests.yaml");
      known.toFile().deleteOnExit();
      file = known;
    }
    Files.write(known, text);
    return RuleTestFile.read(known);
  }

  /** Removes the rules, which come from other files, and the line numbers of series. */
  private static RuleTestFile plain(RuleTestFile read) {
    List<Test> tests =
        read.tests().stream()
            .map(test ->
                new Test(
                    test.name(),
                    test.interval(),
                    test.input().stream()
                        .map(input -> new Input(input.series(), input.values(), ""))
                        .toList(),
                    test.alerts(),
                    test.queries(),
                    test.externalLabels(),
                    test.externalUrl()))
            .toList();
    return new RuleTestFile(
        List.of(), read.evaluationInterval(), read.order(), read.fuzzy(), tests);
  }

  private static void print(RuleTestFile read, JsonGenerator json) {
    json.writeStartObject();
    print("evaluation_interval", read.evaluationInterval(), json);
    json.writeArrayPropertyStart("group_eval_order");
    read.order().forEach(json::writeString);
    json.writeEndArray();
    json.writeStringProperty("fuzzy_compare", Boolean.toString(read.fuzzy()));
    print("tests", read.tests(), RuleTestFileFuzz::print, json);
    json.writeEndObject();
  }

  private static void print(Test test, JsonGenerator json) {
    json.writeStringProperty("name", test.name());
    print("interval", test.interval(), json);
    print("input_series", test.input(), RuleTestFileFuzz::print, json);
    print("alert_rule_test", test.alerts(), RuleTestFileFuzz::print, json);
    print("promql_expr_test", test.queries(), RuleTestFileFuzz::print, json);
    print("external_labels", test.externalLabels(), json);
    json.writeStringProperty("external_url", test.externalUrl().toString());
  }

  private static void print(Input input, JsonGenerator json) {
    json.writeStringProperty("series", input.series());
    json.writeStringProperty("values", input.values());
  }

  private static void print(AlertCheck check, JsonGenerator json) {
    print("eval_time", check.at(), json);
    json.writeStringProperty("alertname", check.name());
    print("exp_alerts", check.expected(), RuleTestFileFuzz::print, json);
  }

  private static void print(Labelled alert, JsonGenerator json) {
    print("exp_labels", alert.labels(), json);
    print("exp_annotations", alert.annotations(), json);
  }

  private static void print(QueryCheck check, JsonGenerator json) {
    print("eval_time", check.at(), json);
    json.writeStringProperty("expr", check.expr());
    print("exp_samples", check.expected(), RuleTestFileFuzz::print, json);
  }

  private static void print(Sample sample, JsonGenerator json) {
    StringJoiner labels = new StringJoiner(",", "{", "}");
    sample
        .labels()
        .toMap()
        .forEach((name, value) -> labels.add(Quoting.quoted(name) + "=" + Quoting.quoted(value)));
    json.writeStringProperty("labels", labels.toString());
    json.writeStringProperty("value", ValueText.of(sample.value()));
  }

  private static <T> void print(
      String name, List<T> items, BiConsumer<T, JsonGenerator> item, JsonGenerator json) {
    json.writeArrayPropertyStart(name);
    for (T each : items) {
      json.writeStartObject();
      item.accept(each, json);
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  private static void print(String name, Duration duration, JsonGenerator json) {
    json.writeStringProperty(name, duration.toMillis() + "ms");
  }

  private static void print(String name, Map<String, String> texts, JsonGenerator json) {
    json.writeObjectPropertyStart(name);
    texts.forEach(json::writeStringProperty);
    json.writeEndObject();
  }
}
