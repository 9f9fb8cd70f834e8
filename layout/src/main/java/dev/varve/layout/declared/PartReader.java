package dev.varve.layout.declared;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.ScalarNode;

/** Reads what parts of keys and of qualifiers have in common: a word, or a word with a body. */
final class PartReader {
  private final YamlReading yaml;

  PartReader(YamlReading yaml) {
    this.yaml = yaml;
  }

  /** Receives the kind of a part and its body, which is null for a mere word. */
  interface PartConsumer {
    void accept(String kind, @Nullable Node body);
  }

  /** Reads a part of a key or qualifier: a word, or a word with a body. */
  void part(Node item, List<String> kinds, PartConsumer consumer) {
    if (item instanceof ScalarNode) {
      Map<String, String> words = new HashMap<>();
      kinds.forEach(kind -> words.put(kind, kind));
      yaml.choice(item, words).ifPresent(kind -> consumer.accept(kind, null));
      return;
    }
    Map<String, Node> entries = yaml.mapping(item, kinds);
    if (entries.size() > 1) {
      yaml.fault(item, "expected one part per item: start each with '- '");
    }
    entries.forEach(consumer::accept);
  }

  /**
   * Returns the entries of a body; none without one.
   *
   * @param shorthand the key whose value may stand for the whole body
   */
  Map<String, Node> body(@Nullable Node body, String shorthand, String... more) {
    List<String> known = new ArrayList<>(List.of(more));
    known.addFirst(shorthand);
    return body == null ? Map.of() : yaml.mapping(body, shorthand, known);
  }

  /** Returns the text of an entry; null, with a fault, if it is missing. */
  @Nullable String text(Node item, Map<String, Node> entries, String key, String message) {
    Node node = entries.get(key);
    if (node == null) {
      yaml.fault(item, message);
      return null;
    }
    return yaml.text(node);
  }

  /** Returns the number of an entry; empty, with a fault, if it is missing or no number. */
  Optional<Integer> integer(Node item, Map<String, Node> entries, String key, String message) {
    Node node = entries.get(key);
    if (node == null) {
      yaml.fault(item, message);
      return Optional.empty();
    }
    return yaml.integer(node);
  }
}
