package dev.varve.server.opentsdb.rollup;

import dev.varve.layout.opentsdb.RollupConfig;
import dev.varve.layout.opentsdb.RollupInterval;
import dev.varve.server.config.ConfigException;
import dev.varve.server.config.ConfigNode;
import dev.varve.server.config.ConfigReader;
import dev.varve.server.opentsdb.aggregator.Aggregator;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Reads the configuration of roll-ups, the JSON that OpenTSDB takes as {@code tsd.rollups.config}.
 */
public final class RollupFile {
  private RollupFile() {}

  /**
   * Reads a configuration.
   *
   * @param name of the file, in messages
   * @throws ConfigException with all problems
   */
  public static RollupConfig read(String text, String name) {
    if (!(ConfigNode.parse(text, name, true) instanceof ConfigNode.Mapping root)) {
      throw new ConfigException(List.of(name + ": roll-ups are configured by a JSON object"));
    }
    List<String> problems = new ArrayList<>();
    ConfigReader reader = new ConfigReader(root, "", problems);
    Map<String, Integer> numbers = new LinkedHashMap<>();
    ConfigReader ids = reader.below("aggregationIds");
    for (String aggregator : ids.keys()) {
      if (Aggregator.of(aggregator.toLowerCase(Locale.ROOT)) == null) {
        ids.problem(aggregator, "No such aggregator found for " + aggregator);
      }
      numbers.put(aggregator, ids.integer(aggregator, 0, 127, 0));
    }
    List<RollupInterval> intervals = new ArrayList<>();
    for (ConfigReader item : reader.list("intervals")) {
      try {
        intervals.add(interval(item));
      } catch (IllegalArgumentException e) {
        item.problem("interval", String.valueOf(e.getMessage()));
      }
    }
    if (!problems.isEmpty()) {
      throw new ConfigException(problems);
    }
    try {
      return new RollupConfig(numbers, intervals);
    } catch (IllegalArgumentException e) {
      throw new ConfigException(List.of(name + ": " + e.getMessage()));
    }
  }

  private static RollupInterval interval(ConfigReader item) {
    return RollupInterval.of(
        item.text("interval", ""),
        item.text("table", ""),
        item.text("preAggregationTable", ""),
        item.text("rowSpan", ""),
        item.choice("defaultInterval", List.of("true", "false"), "false").equals("true"));
  }
}
