package dev.varve.server.relabel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

class RelabellingTest {
  private static final RelabelConfig NOTHING_SAID =
      new RelabelConfig(null, null, null, null, null, null, null);

  /** Rules, labels and the result recorded from Prometheus. */
  record Recorded(
      List<RelabelConfig> rules,
      Map<String, String> labels,
      @Nullable Map<String, String> result) {}

  @ParameterizedTest
  @MethodSource("recorded")
  void doesAsPrometheusDid(Recorded recorded) {
    assertThat(Relabelling.of(recorded.rules()).apply(recorded.labels()))
        .isEqualTo(recorded.result());
  }

  @Test
  void everyActionIsAmongTheRecorded() throws IOException {
    assertThat(recorded())
        .flatExtracting(Recorded::rules)
        .extracting(rule -> rule.action() == null ? "replace" : rule.action())
        .contains(
            Arrays.stream(RelabelConfig.Action.values())
                .map(RelabelConfig.Action::word)
                .toArray(String[]::new));
  }

  static List<Recorded> recorded() throws IOException {
    try (InputStream in =
        Objects.requireNonNull(
            RelabellingTest.class.getResourceAsStream("/relabel/prometheus.jsonl"))) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .filter(line -> !line.startsWith("#"))
          .map(RelabellingTest::read)
          .toList();
    }
  }

  private static Recorded read(String line) {
    try (JsonParser json = new JsonFactory().createParser(ObjectReadContext.empty(), line)) {
      json.nextToken();
      List<RelabelConfig> rules = new ArrayList<>();
      Map<String, String> labels = new TreeMap<>();
      Map<String, String> result = null;
      while (json.nextToken() == JsonToken.PROPERTY_NAME) {
        String name = json.currentName();
        JsonToken value = json.nextToken();
        switch (name) {
          case "rules" -> {
            while (json.nextToken() == JsonToken.START_OBJECT) {
              rules.add(rule(json));
            }
          }
          case "labels" -> labels = texts(json);
          default -> result = value == JsonToken.VALUE_NULL ? null : texts(json);
        }
      }
      return new Recorded(rules, labels, result);
    }
  }

  private static RelabelConfig rule(JsonParser json) {
    List<String> sources = null;
    Map<String, String> said = new TreeMap<>();
    while (json.nextToken() == JsonToken.PROPERTY_NAME) {
      String name = json.currentName();
      if (json.nextToken() == JsonToken.START_ARRAY) {
        sources = new ArrayList<>();
        while (json.nextToken() != JsonToken.END_ARRAY) {
          sources.add(json.getString());
        }
      } else {
        said.put(name, json.getString());
      }
    }
    return new RelabelConfig(
        sources,
        said.get("separator"),
        said.get("regex"),
        said.get("modulus"),
        said.get("target_label"),
        said.get("replacement"),
        said.get("action"));
  }

  private static Map<String, String> texts(JsonParser json) {
    Map<String, String> texts = new TreeMap<>();
    while (json.nextToken() == JsonToken.PROPERTY_NAME) {
      String name = json.currentName();
      json.nextToken();
      texts.put(name, json.getString());
    }
    return texts;
  }

  @Test
  void noRuleLeavesLabelsAsTheyAre() {
    assertThat(Relabelling.NONE.apply(Map.of("a", "b", "empty", ""))).isEqualTo(Map.of("a", "b"));
    assertThat(Relabelling.of(List.of()).isEmpty()).isTrue();
  }

  @Test
  void anEmptyRegexIsSaidAndFitsNothingElse() {
    RelabelConfig rule = new RelabelConfig(List.of("a"), null, "", null, null, null, "drop");
    Relabelling rules = Relabelling.of(List.of(rule));
    assertThat(rules.apply(Map.of("b", "x"))).isNull();
    assertThat(rules.apply(Map.of("a", "x"))).isNotNull();
  }

  @Test
  void saysWhatIsWrongWithARule() {
    refused("target_label", NOTHING_SAID);
    refused("unknown relabel action \"repalce\"", action("repalce", "a", null));
    refused("relabel action cannot be empty", action("", "a", null));
    refused("requires non-zero modulus", action("hashmod", "a", null));
    refused("requires non-zero modulus", action("hashmod", "a", "0"));
    refused("'-1' is no 'modulus'", action("hashmod", "a", "-1"));
    refused("requires 'target_label' value", action("lowercase", null, null));
    refused("requires only 'regex'", action("labeldrop", "a", null));
    refused("requires only 'source_labels'", action("keepequal", "a", "5"));
    refused(
        "'replacement' can not be set for uppercase",
        new RelabelConfig(List.of("a"), null, null, null, "b", "x", "uppercase"));
    refused(
        "requires only 'source_labels'",
        new RelabelConfig(List.of("a"), null, "(.*)", null, "b", null, "dropequal"));
    refused(
        "invalid 'replacement' for labelmap",
        new RelabelConfig(null, null, "a", null, null, "", "labelmap"));
    refused("'(' is no 'regex'", new RelabelConfig(null, null, "(", null, "a", null, null));
    refused(
        "more than 10000 steps",
        new RelabelConfig(null, null, "((a{900}){900}){900}", null, "a", null, null));
  }

  private static RelabelConfig action(
      String action, @Nullable String target, @Nullable String modulus) {
    return new RelabelConfig(null, null, null, modulus, target, null, action);
  }

  private static void refused(String message, RelabelConfig rule) {
    RelabelConfig good = new RelabelConfig(null, null, null, null, "a", null, null);
    assertThatThrownBy(() -> Relabelling.of(List.of(good, rule)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("rule 1: ")
        .hasMessageContaining(message);
  }
}
