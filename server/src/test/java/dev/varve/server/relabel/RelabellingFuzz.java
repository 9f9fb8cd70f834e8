package dev.varve.server.relabel;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.varve.server.config.ConfigException;
import dev.varve.server.config.ConfigNode;
import dev.varve.server.config.ConfigReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Fuzzes relabelling rules as configured under {@code relabel}, followed by a line {@code ---} and
 * the labels to apply them to, one {@code name=value} per line.
 */
public final class RelabellingFuzz {
  private RelabellingFuzz() {}

  /** Runs one input; called by fuzzers. */
  public static void fuzzerTestOneInput(byte[] input) {
    String[] parts = new String(input, UTF_8).split("\n---\n", 2);
    Map<String, String> labels = labels(parts.length < 2 ? "" : parts[1]);
    Map<String, String> before = Map.copyOf(labels);
    Relabelling rules = rules(parts[0]);
    SortedMap<String, String> after = rules.apply(labels);
    if (!labels.equals(before)) {
      throw new AssertionError("the labels that were given are changed");
    }
    if (after != null && (after.containsKey("") || after.containsValue(""))) {
      throw new AssertionError("an empty name or value is left: " + after);
    }
  }

  private static Relabelling rules(String yaml) {
    try {
      List<String> problems = new ArrayList<>();
      if (!(ConfigNode.parse(yaml, "fuzz", true) instanceof ConfigNode.Mapping mapping)) {
        return Relabelling.NONE;
      }
      return RelabelReader.read(new ConfigReader(mapping, "", problems), "relabel");
    } catch (ConfigException e) {
      return Relabelling.NONE;
    }
  }

  /** Labels as received: none has an empty name. */
  private static Map<String, String> labels(String lines) {
    Map<String, String> labels = new TreeMap<>();
    lines
        .lines()
        .map(line -> line.split("=", 2))
        .filter(pair -> pair.length == 2 && !pair[0].isEmpty())
        .forEach(pair -> labels.put(pair[0], pair[1]));
    return labels;
  }
}
