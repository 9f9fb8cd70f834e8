package dev.varve.server.rules;

import dev.varve.rules.Rule;
import dev.varve.rules.RuleGroup;
import dev.varve.server.FuzzJson;
import dev.varve.server.config.ConfigException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/**
 * Fuzzes rule files. Groups must be the same after they are printed as JSON, which is YAML, and
 * read again; an invalid file must yield problems.
 */
public final class RuleFilesFuzz {
  private static @Nullable Path file;

  private RuleFilesFuzz() {}

  /** Runs one input; called by fuzzers. */
  public static void fuzzerTestOneInput(byte[] input) throws IOException {
    List<RuleGroup> groups;
    try {
      groups = read(input);
    } catch (ConfigException e) {
      if (e.problems().isEmpty() || e.problems().contains("")) {
        throw new AssertionError("refused without a reason", e);
      }
      return;
    }
    String printed = FuzzJson.printed(json -> print(groups, json));
    try {
      if (!read(printed.getBytes(StandardCharsets.UTF_8)).equals(groups)) {
        throw new AssertionError("printed as other rules: " + printed);
      }
    } catch (ConfigException e) {
      throw new AssertionError("printed as " + printed, e);
    }
  }

  private static List<RuleGroup> read(byte[] text) throws IOException {
    Path known = file;
    if (known == null) {
      known = Files.createTempFile("varve-fuzz", ".yml");
      known.toFile().deleteOnExit();
      file = known;
    }
    Files.write(known, text);
    return RuleFiles.read(List.of(known), Duration.ofMinutes(1));
  }

  private static void print(List<RuleGroup> groups, JsonGenerator json) {
    json.writeStartObject();
    json.writeArrayPropertyStart("groups");
    groups.forEach(group -> print(group, json));
    json.writeEndArray();
    json.writeEndObject();
  }

  private static void print(RuleGroup group, JsonGenerator json) {
    json.writeStartObject();
    json.writeStringProperty("name", group.name());
    print("interval", group.interval(), json);
    if (group.queryOffset() != null) {
      print("query_offset", group.queryOffset(), json);
    }
    json.writeNumberProperty("limit", group.limit());
    json.writeArrayPropertyStart("rules");
    group.rules().forEach(rule -> print(rule, json));
    json.writeEndArray();
    json.writeEndObject();
  }

  private static void print(Rule rule, JsonGenerator json) {
    json.writeStartObject();
    switch (rule) {
      case Rule.Recording recording -> json.writeStringProperty("record", recording.name());
      case Rule.Alerting alerting -> {
        json.writeStringProperty("alert", alerting.name());
        print("for", alerting.hold(), json);
        print("keep_firing_for", alerting.keepFiringFor(), json);
        print("annotations", alerting.annotations(), json);
      }
    }
    json.writeStringProperty("expr", rule.query());
    print("labels", rule.labels(), json);
    json.writeEndObject();
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
