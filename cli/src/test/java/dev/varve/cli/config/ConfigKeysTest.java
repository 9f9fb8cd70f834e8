package dev.varve.cli.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.varve.cli.Main;
import dev.varve.server.config.ConfigException;
import dev.varve.server.config.ConfigNode;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The program reads, prints, explains and documents the keys of the table. */
class ConfigKeysTest {
  /** Users choose the names below these keys. */
  private static final Set<String> FREE =
      Set.of(
          "datasets.NAME.parameters",
          "datasets.NAME.periods[].parameters",
          "datasets.NAME.store.options",
          "datasets.NAME.home.options",
          "datasets.NAME.tables",
          "rules.external-labels");

  /** These sections have Prometheus' keys. */
  private static final Set<String> OF_PROMETHEUS =
      Set.of("write.relabel", "rules.alert-relabel", "scrape.global", "scrape.scrape_configs");

  /** A file of OpenTSDB's roll-ups. */
  static final String ROLLUPS =
      """
      {"aggregationIds": {"sum": 0, "count": 1},
       "intervals": [
         {"interval": "1m", "table": "tsdb", "preAggregationTable": "tsdb-agg", "rowSpan": "1h",
          "defaultInterval": true},
         {"interval": "1h", "table": "hours", "preAggregationTable": "hours-agg", "rowSpan": "1d"}]}
      """;

  @TempDir private Path folder;

  private VarveConfig read(String yaml) throws IOException {
    Path file = Files.writeString(folder.resolve("varve.yaml"), yaml);
    return VarveConfig.read(file, Map.of(), Map.of());
  }

  /** Returns the keys of each section, by the section's name. */
  private static Map<String, Set<String>> sections() {
    Map<String, Set<String>> sections = new TreeMap<>();
    for (String name : ConfigKeys.names()) {
      String rest = name;
      int dot = rest.lastIndexOf('.');
      while (dot >= 0) {
        add(sections, rest.substring(0, dot), rest.substring(dot + 1));
        rest = rest.substring(0, dot);
        dot = rest.lastIndexOf('.');
      }
      add(sections, "", rest);
    }
    // Users choose the names of datasets.
    sections.remove("datasets");
    sections.remove("rules.datasets");
    return sections;
  }

  private static void add(Map<String, Set<String>> sections, String section, String key) {
    sections.computeIfAbsent(section, name -> new TreeSet<>()).add(key.replace("[]", ""));
  }

  /** An unknown key is refused with a list of the known ones. */
  @Test
  void holdsTheKeysThatAreRead() throws IOException {
    for (Map.Entry<String, Set<String>> section : sections().entrySet()) {
      // Every protocol has its own keys.
      Set<String> ofProtocols = Set.of("templates", "precision");
      String yaml = "{unknown-key: 1}";
      List<String> steps =
          section.getKey().isEmpty() ? List.of() : List.of(section.getKey().split("\\."));
      for (String step : steps.reversed()) {
        yaml =
            step.endsWith("[]")
                ? "{" + step.replace("[]", "") + ": [" + yaml + "]}"
                : "{" + step + ": " + yaml + "}";
      }
      String whole = yaml;
      ConfigException refused = catchThrowableOfType(ConfigException.class, () -> read(whole));
      assertThat(refused).as(yaml).isNotNull();
      Matcher known =
          Pattern.compile("unknown-key: is unknown \\(.*known here: ([^)]*)\\)")
              .matcher(String.valueOf(refused.getMessage()));
      assertThat(known.find()).as("%s: %s", yaml, refused.getMessage()).isTrue();
      assertThat(new TreeSet<>(List.of(known.group(1).split(", "))))
          .as("keys of '%s'", section.getKey())
          .isEqualTo(without(section.getValue(), ofProtocols));
    }
  }

  private static Set<String> without(Set<String> keys, Set<String> some) {
    Set<String> rest = new TreeSet<>(keys);
    rest.removeAll(some);
    return rest;
  }

  @Test
  void holdsTheKeysThatAreDocumented() throws IOException {
    Set<String> documented = new TreeSet<>();
    collect(ConfigNode.parse(documentation(), "docs", true), "", documented);
    // The example uses a file instead.
    documented.addAll(Set.of("scrape.global", "scrape.scrape_configs"));
    assertThat(documented).isEqualTo(new TreeSet<>(ConfigKeys.names()));
  }

  private static void collect(ConfigNode node, String path, Set<String> into) {
    switch (node) {
      case ConfigNode.Mapping mapping when isSection(path) ->
          mapping
              .members()
              .forEach((key, below) ->
                  collect(below, path.isEmpty() ? key : path + "." + chosen(path, key), into));
      case ConfigNode.Listing list when isSection(path) && isOfMappings(list) ->
          list.items().forEach(item -> collect(item, path + "[]", into));
      case ConfigNode other -> into.add(path);
    }
  }

  private static boolean isSection(String path) {
    return !FREE.contains(path) && !OF_PROMETHEUS.contains(path);
  }

  private static boolean isOfMappings(ConfigNode.Listing list) {
    return list.items().stream().anyMatch(item -> item instanceof ConfigNode.Mapping);
  }

  private static String chosen(String path, String key) {
    return path.equals("datasets") || path.equals("rules.datasets") ? "NAME" : key;
  }

  @Test
  void printsEverySectionOfTheExample() throws IOException {
    Files.writeString(
        folder.resolve("prometheus.yml"),
        "scrape_configs: [{job_name: node, static_configs: [{targets: ['127.0.0.1:9100']}]}]\n");
    Files.writeString(folder.resolve("rollups.json"), ROLLUPS);
    Files.createDirectory(folder.resolve("rules"));
    for (String file : List.of("rules/site.yml", "other.yml")) {
      Files.writeString(folder.resolve(file), "groups: [{name: g, rules: []}]\n");
    }
    Map<String, Object> printed = new TreeMap<>();
    ConfigKeys.print(
        read(documentation().replace("companions: []", "companions: [tall-narrow]")), printed::put);
    assertThat(printed.keySet())
        .contains(
            "data",
            "listen[0]",
            "listen[0].dataset",
            "listen[1].templates",
            "listen[2].precision",
            "write.memory",
            "write.relabel",
            "scrape.dataset",
            "scrape.node",
            "queries.pool",
            "datasets.metrics.companions[0]",
            "datasets.metrics.periods[0].from",
            "datasets.theirs.tables.data_points",
            "datasets.theirs.home",
            "rules.files",
            "rules.datasets.theirs",
            "rules.external-labels.site",
            "rules.alertmanagers[0].password-file",
            "rules.alertmanagers[1].token-file",
            "rules.alert-relabel");
  }

  @Test
  void areListedByTheHelp() {
    StringWriter out = new StringWriter();
    Main.commandLine().setOut(new PrintWriter(out)).execute("config", "--help");
    String help = out.toString();
    for (String name : ConfigKeys.names()) {
      int dot = name.lastIndexOf('.');
      String section = dot < 0 ? "top" : name.substring(0, dot);
      Matcher keys =
          Pattern.compile("(?m)^  " + Pattern.quote(section) + ":([^:]*)(^  \\S|\\z)")
              .matcher(help);
      assertThat(keys.find()).as(section).isTrue();
      assertThat(keys.group(1).split("[,\\s]+")).as(section).contains(name.substring(dot + 1));
    }
  }

  private static String documentation() throws IOException {
    List<String> blocks = new ArrayList<>();
    Matcher block =
        Pattern.compile("(?s)```yaml\\n(.*?)```")
            .matcher(Files.readString(Path.of("../docs/configuration.md")));
    while (block.find()) {
      blocks.add(block.group(1));
    }
    return String.join("", blocks);
  }
}
