package dev.varve.server.config;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;

/**
 * A part of a configuration with its place: {@code varve.yaml line 12}, {@code --set memory} or
 * {@code environment VARVE_MEMORY}.
 */
public sealed interface ConfigNode {
  String where();

  record Scalar(String text, String where) implements ConfigNode {}

  record Listing(List<ConfigNode> items, String where) implements ConfigNode {}

  record Mapping(Map<String, ConfigNode> members, String where) implements ConfigNode {
    public static Mapping empty(String where) {
      return new Mapping(new LinkedHashMap<>(), where);
    }
  }

  /**
   * Parses YAML.
   *
   * @param source name of the text in messages
   * @param numbered whether messages include line numbers
   * @throws ConfigException if it is not YAML
   */
  static ConfigNode parse(String text, String source, boolean numbered) {
    try {
      Optional<Node> root =
          new Compose(LoadSettings.builder().setLabel(source).build()).composeString(text);
      return root.isPresent() ? convert(root.get(), source, numbered) : Mapping.empty(source);
    } catch (MarkedYamlEngineException e) {
      String line = e.getProblemMark().map(mark -> " line " + (mark.getLine() + 1)).orElse("");
      throw new ConfigException(List.of(source + line + ": " + e.getProblem()));
    } catch (YamlEngineException | NumberFormatException e) {
      // Of characters that no YAML holds, in lines of its own; of an escape that lacks its digits.
      throw new ConfigException(
          List.of(source + ": " + String.valueOf(e.getMessage()).replace('\n', ' ')));
    }
  }

  private static ConfigNode convert(Node node, String source, boolean numbered) {
    String where =
        numbered
            ? node.getStartMark()
                .map(mark -> source + " line " + (mark.getLine() + 1))
                .orElse(source)
            : source;
    if (node.isRecursive()) {
      throw new ConfigException(List.of(where + ": an anchor (&) stands for what it is part of"));
    }
    return switch (node) {
      case ScalarNode scalar -> new Scalar(scalar.getValue(), where);
      case SequenceNode sequence -> {
        List<ConfigNode> items = new ArrayList<>();
        sequence.getValue().forEach(item -> items.add(convert(item, source, numbered)));
        yield new Listing(items, where);
      }
      case MappingNode mapping -> {
        Map<String, ConfigNode> members = new LinkedHashMap<>();
        for (NodeTuple tuple : mapping.getValue()) {
          if (!(tuple.getKeyNode() instanceof ScalarNode key)) {
            throw new ConfigException(List.of(where + ": a key is a text"));
          }
          if (members.put(key.getValue(), convert(tuple.getValueNode(), source, numbered))
              != null) {
            throw new ConfigException(
                List.of(where + ": key '" + key.getValue() + "' comes twice"));
          }
        }
        yield new Mapping(members, where);
      }
      default ->
          throw new ConfigException(
              List.of(where + ": only texts, lists and mappings are read here"));
    };
  }

  /**
   * Returns a copy of a mapping with one value set, and creates mappings on the way if necessary.
   *
   * @param anyCase whether keys match case-insensitively
   */
  static Mapping with(Mapping root, List<String> path, ConfigNode value, boolean anyCase) {
    Map<String, ConfigNode> members = new LinkedHashMap<>(root.members());
    String key = path.getFirst();
    if (anyCase) {
      key =
          members.keySet().stream()
              .filter(path.getFirst()::equalsIgnoreCase)
              .findFirst()
              .orElse(key);
    }
    if (path.size() == 1) {
      members.put(key, value);
    } else {
      Mapping below =
          members.get(key) instanceof Mapping mapping ? mapping : Mapping.empty(value.where());
      members.put(key, with(below, path.subList(1, path.size()), value, anyCase));
    }
    return new Mapping(members, root.where());
  }
}
