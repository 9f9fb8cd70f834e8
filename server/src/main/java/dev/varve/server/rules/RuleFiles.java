package dev.varve.server.rules;

import dev.varve.query.promql.PromQl;
import dev.varve.query.promql.PromQlException;
import dev.varve.rules.Rule;
import dev.varve.rules.RuleGroup;
import dev.varve.rules.template.Template;
import dev.varve.rules.template.TemplateException;
import dev.varve.server.config.ConfigException;
import dev.varve.server.config.ConfigNode;
import dev.varve.server.config.ConfigReader;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.PatternSyntaxException;
import org.jspecify.annotations.Nullable;

/**
 * Reads rule files as <a
 * href="https://prometheus.io/docs/prometheus/3.5/configuration/recording_rules/">Prometheus
 * 3.5</a> does, strictly: unknown keys are errors. All errors are reported at once.
 */
public final class RuleFiles {
  private static final Set<String> NOTHING = Set.of("", "~", "null", "Null", "NULL");

  static final Duration LONGEST = Duration.ofDays(36_500);

  private final Duration interval;
  private final List<String> problems = new ArrayList<>();
  private final List<RuleGroup> groups = new ArrayList<>();

  private RuleFiles(Duration interval) {
    this.interval = interval;
  }

  /**
   * Returns the files that match patterns, sorted and unique. A pattern may match none; a plain
   * path is returned whether or not the file exists.
   *
   * @throws ConfigException if a folder cannot be read or a pattern is invalid
   */
  public static List<Path> find(List<Path> patterns) {
    Set<Path> found = new TreeSet<>();
    for (Path pattern : patterns) {
      String name = String.valueOf(pattern.getFileName());
      Path folder = pattern.getParent() == null ? Path.of("") : pattern.getParent();
      if (!name.matches(".*[*?\\[].*")) {
        found.add(pattern);
        continue;
      }
      try (DirectoryStream<Path> files =
          Files.newDirectoryStream(folder, name.replaceAll("([{}])", "\\\\$1"))) {
        files.forEach(found::add);
      } catch (NoSuchFileException | NotDirectoryException e) {
        // Treated as a pattern without matches.
      } catch (PatternSyntaxException e) {
        throw new ConfigException(
            List.of("'" + name + "' is not a valid file pattern: " + e.getDescription()));
      } catch (IOException e) {
        throw new ConfigException(List.of("cannot read the folder '" + folder + "': " + e));
      }
    }
    return List.copyOf(found);
  }

  /**
   * Reads files.
   *
   * @param interval interval of groups that specify none
   * @throws ConfigException with all errors of all files
   */
  public static List<RuleGroup> read(List<Path> files, Duration interval) {
    RuleFiles reading = new RuleFiles(interval);
    for (Path file : files) {
      reading.read(file);
    }
    if (!reading.problems.isEmpty()) {
      throw new ConfigException(reading.problems);
    }
    return List.copyOf(reading.groups);
  }

  private void read(Path file) {
    String text;
    try {
      text = Files.readString(file);
    } catch (NoSuchFileException e) {
      problems.add("there is no rule file '" + file + "'");
      return;
    } catch (IOException e) {
      problems.add("cannot read the rule file '" + file + "': " + e.getMessage());
      return;
    }
    try {
      ConfigNode root = stated(ConfigNode.parse(text, file.toString(), true), false);
      if (root instanceof ConfigNode.Mapping mapping) {
        file(new ConfigReader(mapping, "", problems), file.toString());
      } else if (!isNothing(root)) {
        problems.add(root.where() + ": a rule file is a mapping with the key 'groups'");
      }
    } catch (ConfigException e) {
      problems.addAll(e.problems());
    }
  }

  /**
   * Returns a node without keys that have no value, and with the content of {@code <<} merged in.
   *
   * @param labels whether the node contains labels, where an empty value removes a label
   */
  private static ConfigNode stated(ConfigNode node, boolean labels) {
    return switch (node) {
      case ConfigNode.Scalar scalar -> scalar;
      case ConfigNode.Listing list ->
          new ConfigNode.Listing(
              list.items().stream().map(item -> stated(item, false)).toList(), list.where());
      case ConfigNode.Mapping mapping -> {
        Map<String, ConfigNode> members = new LinkedHashMap<>();
        mapping
            .members()
            .forEach((key, value) -> {
              if (!key.equals("<<") && (labels || !isNothing(value))) {
                members.put(key, stated(value, key.equals("labels") || key.equals("annotations")));
              }
            });
        switch (mapping.members().get("<<")) {
          case ConfigNode.Mapping merged -> merge(merged, members);
          case ConfigNode.Listing several -> several.items().forEach(item -> merge(item, members));
          case ConfigNode.Scalar _ -> {}
          case null -> {}
        }
        yield new ConfigNode.Mapping(members, mapping.where());
      }
    };
  }

  private static void merge(ConfigNode from, Map<String, ConfigNode> into) {
    if (stated(from, false) instanceof ConfigNode.Mapping mapping) {
      mapping.members().forEach(into::putIfAbsent);
    }
  }

  private static boolean isNothing(ConfigNode node) {
    return node instanceof ConfigNode.Scalar scalar && NOTHING.contains(scalar.text());
  }

  private void file(ConfigReader reader, String file) {
    Set<String> names = new HashSet<>();
    for (ConfigReader item : reader.list("groups")) {
      group(item, file, names);
    }
    reader.refuseUnknown();
  }

  private void group(ConfigReader reader, String file, Set<String> names) {
    String name = reader.text("name", "");
    if (name.isEmpty()) {
      reader.problem("name", "is missing: every group has one");
    } else if (!names.add(name)) {
      reader.problem("name", "'" + name + "' occurs twice in this file");
    }
    Duration own = duration(reader, "interval");
    Duration offset = duration(reader, "query_offset");
    int limit = reader.integer("limit", 0, Integer.MAX_VALUE, 0);
    Map<String, String> labels = reader.texts("labels", "labels");
    checkLabels(reader, labels);
    List<Rule> rules = new ArrayList<>();
    for (ConfigReader item : reader.list("rules")) {
      Rule rule = rule(item, labels);
      if (rule != null) {
        rules.add(rule);
      }
    }
    reader.refuseUnknown();
    groups.add(
        new RuleGroup(
            file, name, own == null || own.isZero() ? interval : own, offset, limit, rules));
  }

  /** Reads a duration that fits into 64 bits of nanoseconds. */
  private static @Nullable Duration duration(ConfigReader reader, String key) {
    Duration read = reader.duration(key);
    if (read != null && read.compareTo(LONGEST) > 0) {
      reader.problem(key, "is longer than 100 years");
      return null;
    }
    return read;
  }

  private static void checkLabels(ConfigReader reader, Map<String, String> labels) {
    for (String name : labels.keySet()) {
      if (name.isEmpty() || name.equals("__name__")) {
        reader.problem("labels", "'" + name + "' is not a label name that can be set");
      }
    }
  }

  private static @Nullable Rule rule(ConfigReader reader, Map<String, String> ofGroup) {
    String record = reader.text("record", "");
    String alert = reader.text("alert", "");
    String expr = expression(reader);
    Duration hold = duration(reader, "for");
    Duration keepFiringFor = duration(reader, "keep_firing_for");
    Map<String, String> labels = reader.texts("labels", "labels");
    Map<String, String> annotations = reader.texts("annotations", "annotations");
    checkLabels(reader, labels);
    reader.refuseUnknown();
    if (record.isEmpty() == alert.isEmpty()) {
      reader.problem(
          record.isEmpty() ? "record" : "alert",
          record.isEmpty()
              ? "one of 'record' and 'alert' has to be set"
              : "only one of 'record' and 'alert' can be set");
      return null;
    }
    SortedMap<String, String> all = new TreeMap<>(ofGroup);
    all.putAll(labels);
    if (alert.isEmpty()) {
      checkRecord(reader, record);
      return expr == null ? null : new Rule.Recording(record, expr, all);
    }
    checkTemplates(reader, "labels", alert, labels);
    checkTemplates(reader, "annotations", alert, annotations);
    return expr == null
        ? null
        : new Rule.Alerting(
            alert,
            expr,
            hold == null ? Duration.ZERO : hold,
            keepFiringFor == null ? Duration.ZERO : keepFiringFor,
            all,
            new TreeMap<>(annotations));
  }

  private static @Nullable String expression(ConfigReader reader) {
    String expr = reader.text("expr", "");
    if (expr.isEmpty()) {
      reader.problem("expr", "is missing: every rule has one");
      return null;
    }
    try {
      PromQl.parse(expr);
      return expr;
    } catch (PromQlException e) {
      reader.problem("expr", "could not parse expression: " + e.getMessage());
      return null;
    }
  }

  private static void checkRecord(ConfigReader reader, String record) {
    for (String key : List.of("for", "keep_firing_for", "annotations")) {
      if (reader.has(key)) {
        reader.problem(key, "is only allowed in alerting rules");
      }
    }
    if (record.indexOf('{') >= 0 || record.indexOf('}') >= 0) {
      reader.problem(
          "record",
          "'" + record + "' contains braces: a name is expected, labels belong in 'labels'");
    }
  }

  private static void checkTemplates(
      ConfigReader reader, String key, String alert, Map<String, String> texts) {
    ConfigReader below = reader.below(key);
    texts.forEach((name, text) -> {
      if (name.isEmpty()) {
        reader.problem(key, "a name is empty");
      }
      try {
        Template.ofAlert(alert, text);
      } catch (TemplateException e) {
        below.problem(name, String.valueOf(e.getMessage()));
      }
    });
  }

  /**
   * Returns rules that occur more than once, with their number: rules of the same name and labels
   * in one set of groups.
   */
  public static Map<String, Integer> duplicates(List<RuleGroup> groups) {
    Map<String, Integer> counts = new TreeMap<>();
    for (RuleGroup group : groups) {
      for (Rule rule : group.rules()) {
        counts.merge(rule.name() + " " + rule.labels(), 1, Integer::sum);
      }
    }
    counts.values().removeIf(count -> count == 1);
    return Collections.unmodifiableMap(counts);
  }
}
