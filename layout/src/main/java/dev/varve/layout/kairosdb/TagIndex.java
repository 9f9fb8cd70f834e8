package dev.varve.layout.kairosdb;

import dev.varve.layout.KeyBytes;
import dev.varve.layout.Parameters;
import dev.varve.model.Bytes;
import dev.varve.model.Tags;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The metrics whose row keys are indexed by tag, and the indexed tags of each.
 *
 * <p>The text form lists metrics separated by {@code ;} or {@code ,}, each followed by its tags in
 * parentheses, separated by {@code ,}: {@code cpu(host,dc);mem}. A metric without tags, or with the
 * tag {@code *}, is indexed by all of its tags. The metric {@code *} means all metrics by all tags
 * and overrides all other entries. A backslash escapes the next character; blanks around names are
 * ignored.
 *
 * @param tagsOf the indexed tags by metric; an empty set means all tags
 */
record TagIndex(Map<String, Set<String>> tagsOf) {
  static final TagIndex NONE = new TagIndex(Map.of());

  private static final String EVERY = "*";

  /** All metrics by all tags. */
  static final TagIndex EVERYTHING = new TagIndex(Map.of(EVERY, Set.of()));

  private static final String SPECIAL = "\\;,()";

  /** Parses the text of a parameter; a blank text means no index. */
  static TagIndex parse(String text, Parameters parameters) {
    return text.isBlank() ? NONE : new TagIndex(new Parser(text, parameters).metrics());
  }

  /** Returns the canonical text form: equal indexes have equal texts. */
  @Override
  public String toString() {
    List<String> metrics = new ArrayList<>();
    tagsOf.forEach((metric, tags) ->
        metrics.add(
            escape(metric)
                + (tags.isEmpty()
                    ? ""
                    : "(" + String.join(",", tags.stream().map(TagIndex::escape).toList()) + ")")));
    return String.join(";", metrics);
  }

  private static String escape(String name) {
    StringBuilder escaped = new StringBuilder();
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      escaped.append(c == ' ' || SPECIAL.indexOf(c) >= 0 ? "\\" : "").append(c);
    }
    return escaped.toString();
  }

  /** Returns whether rows of the metric that have this tag are indexed by it. */
  boolean covers(String metric, String tag) {
    Set<String> tags = tagsOf.get(metric);
    return tagsOf.containsKey(EVERY) || (tags != null && (tags.isEmpty() || tags.contains(tag)));
  }

  /** Returns the value of column {@code single_tag_pair}; it has no escapes. */
  static String pair(String name, String value) {
    return name + "=" + value;
  }

  /** Returns the pairs under which a key is indexed; empty if it is not indexed. */
  List<String> pairs(String metric, Tags tags) {
    List<String> pairs = new ArrayList<>();
    if (!tagsOf.isEmpty()) {
      tags.forEach((name, value) -> {
        if (covers(metric, name)) {
          pairs.add(pair(name, value));
        }
      });
    }
    return pairs;
  }

  /**
   * Returns column {@code tag_collection_hash}: the hash of the concatenated indexed names and
   * values.
   */
  int hash(String metric, Tags tags) {
    KeyBytes hashed = new KeyBytes();
    tags.forEach((name, value) -> {
      if (covers(metric, name)) {
        hashed.utf8(name).utf8(value);
      }
    });
    return murmur3(hashed.toBytes());
  }

  /**
   * MurmurHash3_x86_32 with seed 0 (Appleby, public domain). Gives the same result as Guava's
   * {@code murmur3_32().newHasher()} for strings added as UTF-8.
   */
  private static int murmur3(Bytes bytes) {
    int hash = 0;
    int whole = bytes.length() & ~3;
    for (int i = 0; i < whole; i += 4) {
      int block =
          (bytes.at(i) & 0xff)
              | ((bytes.at(i + 1) & 0xff) << 8)
              | ((bytes.at(i + 2) & 0xff) << 16)
              | ((bytes.at(i + 3) & 0xff) << 24);
      hash = Integer.rotateLeft(hash ^ scramble(block), 13) * 5 + 0xe6546b64;
    }
    int tail = 0;
    for (int i = bytes.length() - 1; i >= whole; i--) {
      tail = (tail << 8) | (bytes.at(i) & 0xff);
    }
    hash ^= scramble(tail) ^ bytes.length();
    hash = (hash ^ (hash >>> 16)) * 0x85ebca6b;
    hash = (hash ^ (hash >>> 13)) * 0xc2b2ae35;
    return hash ^ (hash >>> 16);
  }

  private static int scramble(int block) {
    return Integer.rotateLeft(block * 0xcc9e2d51, 15) * 0x1b873593;
  }

  private static final class Parser {
    private final String text;
    private final Parameters parameters;
    private int at;

    private Parser(String text, Parameters parameters) {
      this.text = text;
      this.parameters = parameters;
    }

    private Map<String, Set<String>> metrics() {
      Map<String, Set<String>> metrics = new TreeMap<>();
      while (true) {
        int start = at;
        String metric = name("metric");
        Set<String> tags = peek() == '(' ? tags() : new TreeSet<>();
        if (metrics.put(metric, tags) != null) {
          throw refused(start, "metric '" + metric + "' comes twice");
        }
        if (at == text.length()) {
          return metrics.containsKey(EVERY) ? Map.of(EVERY, Set.of()) : metrics;
        }
        if (peek() != ';' && peek() != ',') {
          throw refused(at, "';' should separate the metrics");
        }
        at++;
      }
    }

    private Set<String> tags() {
      Set<String> tags = new TreeSet<>();
      do {
        at++;
        tags.add(name("tag"));
      } while (peek() == ',');
      if (peek() != ')') {
        throw refused(at, "')' should end the tags");
      }
      at++;
      skipBlanks();
      return tags.contains(EVERY) ? new TreeSet<>() : tags;
    }

    private String name(String what) {
      skipBlanks();
      int start = at;
      StringBuilder name = new StringBuilder();
      int kept = 0;
      while (at < text.length() && (peek() == '\\' || SPECIAL.indexOf(peek()) < 0)) {
        boolean escaped = peek() == '\\';
        if (escaped && ++at == text.length()) {
          throw refused(at, "expected a character after the backslash");
        }
        name.append(text.charAt(at));
        if (escaped || text.charAt(at) != ' ') {
          kept = name.length();
        }
        at++;
      }
      name.setLength(kept);
      if (name.isEmpty()) {
        throw refused(start, "expected a " + what);
      }
      return name.toString();
    }

    private void skipBlanks() {
      while (peek() == ' ') {
        at++;
      }
    }

    /** Returns the next character, or NUL at the end. */
    private char peek() {
      return at < text.length() ? text.charAt(at) : 0;
    }

    private RuntimeException refused(int place, String reason) {
      return parameters.refused(
          "layout kairosdb: tagIndexed '%s', character %d: %s (try metric1(tag1,tag2);metric2)"
              .formatted(text, place + 1, reason));
    }
  }
}
