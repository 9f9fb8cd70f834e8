package dev.varve.cli.config;

import dev.varve.model.Spelling;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads the members of a mapping, notes what is wrong with them and goes on, so that all problems
 * are found at once.
 */
final class ConfigReader {
  private static final Pattern SIZE =
      Pattern.compile("(\\d+)\\s*([KMGT]?)i?B?", Pattern.CASE_INSENSITIVE);
  private static final Pattern DURATION = Pattern.compile("(\\d+)\\s*(ms|s|m|h|d|w|y)");

  private final ConfigNode.Mapping mapping;
  private final String path;
  private final List<String> problems;
  private final List<String> known = new ArrayList<>();

  ConfigReader(ConfigNode.Mapping mapping, String path, List<String> problems) {
    this.mapping = mapping;
    this.path = path;
    this.problems = problems;
  }

  String where(String key) {
    ConfigNode node = mapping.members().get(key);
    return node == null ? mapping.where() : node.where();
  }

  boolean has(String key) {
    return mapping.members().containsKey(key);
  }

  void problem(String key, String text) {
    problems.add(name(key) + ": " + text + ", set in " + where(key));
  }

  @Nullable String text(String key) {
    known.add(key);
    return switch (mapping.members().get(key)) {
      case null -> null;
      case ConfigNode.Scalar scalar -> scalar.text();
      case ConfigNode other -> wrong(key, "is a " + kind(other) + ", a text is expected");
    };
  }

  String text(String key, String otherwise) {
    String text = text(key);
    return text == null ? otherwise : text;
  }

  /**
   * Bytes, written as {@code 256MB}, {@code 4GB} or a plain number; K, M, G and T are powers of
   * 1,024.
   */
  long size(String key, long otherwise) {
    String text = text(key);
    if (text == null) {
      return otherwise;
    }
    Matcher matcher = SIZE.matcher(text);
    if (!matcher.matches() || matcher.group(1).length() > 15) {
      wrong(key, "'" + text + "' is not a size (try 256MB or 4GB)");
      return otherwise;
    }
    int power = "KMGT".indexOf(matcher.group(2).toUpperCase(java.util.Locale.ROOT));
    return Long.parseLong(matcher.group(1)) << (matcher.group(2).isEmpty() ? 0 : 10 * (power + 1));
  }

  @Nullable Duration duration(String key) {
    String text = text(key);
    if (text == null) {
      return null;
    }
    Matcher matcher = DURATION.matcher(text);
    if (!matcher.matches() || matcher.group(1).length() > 9) {
      wrong(key, "'" + text + "' is not a duration (try 90s, 15m, 24h, 30d or 1y)");
      return null;
    }
    long count = Long.parseLong(matcher.group(1));
    return switch (matcher.group(2)) {
      case "ms" -> Duration.ofMillis(count);
      case "s" -> Duration.ofSeconds(count);
      case "m" -> Duration.ofMinutes(count);
      case "h" -> Duration.ofHours(count);
      case "d" -> Duration.ofDays(count);
      case "w" -> Duration.ofDays(7 * count);
      default -> Duration.ofDays(365 * count);
    };
  }

  int integer(String key, int min, int max, int otherwise) {
    String text = text(key);
    if (text == null) {
      return otherwise;
    }
    try {
      int value = Integer.parseInt(text);
      if (value >= min && value <= max) {
        return value;
      }
    } catch (NumberFormatException e) {
      // Said below, as for a number out of range.
    }
    wrong(key, "'" + text + "' is not a number from " + min + " to " + max);
    return otherwise;
  }

  /** One of some words. */
  String choice(String key, List<String> words, String otherwise) {
    String text = text(key, otherwise);
    if (!words.contains(text)) {
      wrong(key, "'" + text + "' is none of " + String.join(", ", words));
      return otherwise;
    }
    return text;
  }

  List<String> texts(String key) {
    known.add(key);
    return switch (mapping.members().get(key)) {
      case null -> List.of();
      case ConfigNode.Scalar scalar -> List.of(scalar.text().split("\\s*,\\s*"));
      case ConfigNode.Listing list ->
          list.items().stream()
              .map(item -> item instanceof ConfigNode.Scalar scalar ? scalar.text() : "")
              .toList();
      case ConfigNode other -> {
        wrong(key, "is a " + kind(other) + ", a list is expected");
        yield List.of();
      }
    };
  }

  Map<String, String> texts(String key, String ofWhat) {
    Map<String, String> read = new LinkedHashMap<>();
    ConfigReader below = below(key);
    for (String name : below.keys()) {
      String text = below.text(name);
      if (text != null) {
        read.put(name, text);
      }
    }
    return read;
  }

  /** The mappings of a list. */
  List<ConfigReader> list(String key) {
    known.add(key);
    List<ConfigReader> readers = new ArrayList<>();
    switch (mapping.members().get(key)) {
      case null -> {}
      case ConfigNode.Listing list -> {
        for (int i = 0; i < list.items().size(); i++) {
          if (list.items().get(i) instanceof ConfigNode.Mapping item) {
            readers.add(new ConfigReader(item, name(key) + "[" + i + "]", problems));
          } else {
            problem(key, "item " + i + " is not a mapping");
          }
        }
      }
      case ConfigNode other -> wrong(key, "is a " + kind(other) + ", a list is expected");
    }
    return readers;
  }

  ConfigReader below(String key) {
    known.add(key);
    ConfigNode node = mapping.members().get(key);
    if (node instanceof ConfigNode.Mapping below) {
      return new ConfigReader(below, name(key), problems);
    }
    if (node != null) {
      wrong(key, "is a " + kind(node) + ", a mapping is expected");
    }
    return new ConfigReader(ConfigNode.Mapping.empty(mapping.where()), name(key), problems);
  }

  List<String> keys() {
    return List.copyOf(mapping.members().keySet());
  }

  /** Notes every key that nobody asked for. */
  void refuseUnknown() {
    for (String key : mapping.members().keySet()) {
      if (!known.contains(key)) {
        problem(
            key, "is unknown (" + nearest(key) + "; known here: " + String.join(", ", known) + ")");
      }
    }
  }

  private String nearest(String key) {
    return known.isEmpty()
        ? "nothing is expected here"
        : "did you mean '%s'?".formatted(Spelling.nearest(key, known));
  }

  private @Nullable String wrong(String key, String text) {
    problem(key, text);
    return null;
  }

  private String name(String key) {
    return path.isEmpty() ? key : path + "." + key;
  }

  private static String kind(ConfigNode node) {
    return switch (node) {
      case ConfigNode.Scalar scalar -> "text";
      case ConfigNode.Listing list -> "list";
      case ConfigNode.Mapping map -> "mapping";
    };
  }
}
