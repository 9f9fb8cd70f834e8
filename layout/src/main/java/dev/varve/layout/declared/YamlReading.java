package dev.varve.layout.declared;

import dev.varve.layout.LayoutParameter;
import dev.varve.model.Spelling;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;

/**
 * Reads a YAML text and collects faults, each with line and column, while reading continues.
 * Scalars may contain parameters, such as {@code ${bucket}}.
 */
final class YamlReading {
  /** Maximum characters of a text with its parameters. */
  private static final int SUBSTITUTED_MAX = 64 << 10;

  private static final Pattern PARAMETER = Pattern.compile("\\$\\{([^}]*)}");

  private final List<Fault> faults = new ArrayList<>();
  private final Map<String, String> values = new HashMap<>();
  private final Map<String, Node> places = new HashMap<>();

  /**
   * Parses a text and returns its root.
   *
   * @throws DeclarationException if it is not YAML or not a mapping
   */
  MappingNode root(String text) {
    try {
      Optional<Node> root =
          new Compose(LoadSettings.builder().setLabel("layout").build()).composeString(text);
      if (root.isPresent() && root.get() instanceof MappingNode mapping) {
        return mapping;
      }
      faults.add(
          new Fault("line 1", "a layout must be a mapping that starts with 'layout: its name'"));
    } catch (MarkedYamlEngineException e) {
      String where = e.getProblemMark().map(YamlReading::place).orElse("line 1");
      faults.add(new Fault(where, "not YAML: " + e.getProblem()));
    } catch (YamlEngineException | NumberFormatException e) {
      // Thrown for escapes without their digits.
      faults.add(new Fault("line 1", "not YAML: " + e.getMessage()));
    }
    throw new DeclarationException("layout", faults);
  }

  /**
   * Ends the reading.
   *
   * @throws DeclarationException with all faults found, if any
   */
  void check(String subject) {
    if (!faults.isEmpty()) {
      throw new DeclarationException(subject, faults);
    }
  }

  /** Returns the faults so far; callers may add to the list. */
  List<Fault> faults() {
    return faults;
  }

  void fault(Node node, String message) {
    faults.add(new Fault(place(node), message));
  }

  /** Records the node that a path in {@link DeclarationRules} refers to. */
  void mark(String path, Node node) {
    places.put(path, node);
  }

  /** Returns the position of a path, or of the nearest enclosing one. */
  String placeOf(String path) {
    String at = path;
    while (!places.containsKey(at) && at.indexOf('.') >= 0) {
      at = at.substring(0, at.lastIndexOf('.'));
    }
    Node node = places.get(at);
    return node == null ? "line 1" : place(node);
  }

  private static String place(Node node) {
    return node.getStartMark().map(YamlReading::place).orElse("line 1");
  }

  private static String place(Mark mark) {
    return "line %d, column %d".formatted(mark.getLine() + 1, mark.getColumn() + 1);
  }

  /**
   * Reads the parameters that a section declares.
   *
   * @param node the section; null if there is none
   */
  List<LayoutParameter> parameters(@Nullable Node node) {
    List<LayoutParameter> declared = new ArrayList<>();
    Map<String, Node> section = node == null ? Map.of() : mapping(node);
    section.forEach((name, body) -> {
      Map<String, Node> parts = mapping(body, List.of("default", "about"));
      Node fallback = parts.get("default");
      Node about = parts.get("about");
      declared.add(
          new LayoutParameter(
              name, fallback == null ? null : text(fallback), about == null ? "" : text(about)));
    });
    return declared;
  }

  /** Sets the parameters to the given values, or else to their defaults. */
  void settle(List<LayoutParameter> declared, Map<String, String> given) {
    for (LayoutParameter parameter : declared) {
      String value = given.getOrDefault(parameter.name(), parameter.defaultValue());
      if (value == null) {
        faults.add(
            new Fault(
                "",
                "parameter '%s' must be given: %s".formatted(parameter.name(), parameter.about())));
        value = "";
      }
      values.put(parameter.name(), value);
    }
    for (String name : new TreeSet<>(given.keySet())) {
      if (!values.containsKey(name)) {
        faults.add(
            new Fault("", "there is no parameter '" + name + "'" + instead(name, values.keySet())));
      }
    }
  }

  /**
   * Returns the text of a scalar with parameters substituted; empty, with a fault, for anything
   * else.
   */
  String text(Node node) {
    if (!(node instanceof ScalarNode scalar)) {
      fault(node, "expected a single value");
      return "";
    }
    Matcher matcher = PARAMETER.matcher(scalar.getValue());
    StringBuilder text = new StringBuilder();
    while (matcher.find()) {
      String name = matcher.group(1);
      String value = values.get(name);
      if (value == null) {
        fault(node, "there is no parameter '%s'%s".formatted(name, instead(name, values.keySet())));
        value = "";
      }
      if (text.length() + value.length() > SUBSTITUTED_MAX) {
        fault(node, "is longer than %,d characters with its parameters".formatted(SUBSTITUTED_MAX));
        return "";
      }
      matcher.appendReplacement(text, Matcher.quoteReplacement(value));
    }
    return matcher.appendTail(text).toString();
  }

  /** Returns a whole number; empty, with a fault, for anything else. */
  Optional<Long> number(Node node) {
    String text = text(node);
    if (!text.matches("-?[0-9]{1,18}")) {
      fault(node, "'%s' is not a whole number".formatted(text));
      return Optional.empty();
    }
    return Optional.of(Long.parseLong(text));
  }

  /** Like {@link #number}, within the range of an int. */
  Optional<Integer> integer(Node node) {
    Optional<Long> number = number(node);
    if (number.isPresent() && number.get() != number.get().intValue()) {
      fault(node, "%d is too large".formatted(number.get()));
      return Optional.empty();
    }
    return number.map(Long::intValue);
  }

  /** Returns a length of time; empty, with a fault, for anything else. */
  Optional<Duration> duration(Node node) {
    String text = text(node);
    Optional<Duration> length = TimeText.parse(text);
    if (length.isEmpty()) {
      fault(node, "'%s' is not a duration (try 15m, 1h or 30d)".formatted(text));
    }
    return length;
  }

  /** Maps one of several words to its meaning; empty, with a fault, for anything else. */
  <T> Optional<T> choice(Node node, Map<String, T> words) {
    String text = text(node);
    T meaning = words.get(text);
    if (meaning == null) {
      List<String> known = words.keySet().stream().sorted().toList();
      fault(
          node,
          "'%s' is not one of %s%s"
              .formatted(text, String.join(", ", known), instead(text, known)));
    }
    return Optional.ofNullable(meaning);
  }

  /** Returns the nodes of a sequence; a scalar counts as a sequence of one. */
  List<Node> sequence(Node node) {
    if (node instanceof SequenceNode sequence) {
      return sequence.getValue();
    }
    if (node instanceof ScalarNode) {
      return List.of(node);
    }
    fault(node, "expected a list");
    return List.of();
  }

  List<String> texts(Node node) {
    return sequence(node).stream().map(this::text).toList();
  }

  /** Returns the entries of a mapping in order, whatever their keys. */
  Map<String, Node> mapping(Node node) {
    Map<String, Node> entries = new LinkedHashMap<>();
    if (!(node instanceof MappingNode mapping)) {
      fault(node, "expected a mapping");
      return entries;
    }
    for (NodeTuple tuple : mapping.getValue()) {
      String key = text(tuple.getKeyNode());
      if (entries.putIfAbsent(key, tuple.getValueNode()) != null) {
        fault(tuple.getKeyNode(), "'%s' appears twice".formatted(key));
      }
    }
    return entries;
  }

  /** Returns the entries of a mapping with known keys; unknown keys are faults. */
  Map<String, Node> mapping(Node node, List<String> known) {
    Map<String, Node> entries = mapping(node);
    if (node instanceof MappingNode mapping) {
      for (NodeTuple tuple : mapping.getValue()) {
        String key = text(tuple.getKeyNode());
        if (!known.contains(key)) {
          fault(tuple.getKeyNode(), "unknown key '%s'%s".formatted(key, instead(key, known)));
          entries.remove(key);
        }
      }
    }
    return entries;
  }

  /** Passes on the entry of a key, if there is one. */
  static void ifGiven(Map<String, Node> map, String key, Consumer<Node> action) {
    Node node = map.get(key);
    if (node != null) {
      action.accept(node);
    }
  }

  /**
   * Like {@link #mapping}; a scalar counts as the single entry {@code shorthand}, and an empty one
   * as no entry.
   */
  Map<String, Node> mapping(Node node, String shorthand, List<String> known) {
    if (node instanceof ScalarNode scalar) {
      return scalar.getValue().isEmpty() ? Map.of() : Map.of(shorthand, node);
    }
    return mapping(node, known);
  }

  /** Returns a suggestion for an unknown name, in words; empty if no names are known. */
  static String instead(String name, Collection<String> known) {
    return known.isEmpty() ? "" : " (did you mean '%s'?)".formatted(Spelling.nearest(name, known));
  }
}
