package dev.varve.server.config;

import dev.varve.model.Spelling;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads the members of a mapping. It records problems and continues, so that all of them are found
 * at once.
 */
public final class ConfigReader {
  private static final Pattern SIZE =
      Pattern.compile("(\\d+)\\s*([KMGT]?)i?B?", Pattern.CASE_INSENSITIVE);
  private static final Pattern DURATION =
      Pattern.compile(
          "(?:(\\d{1,6})y)?(?:(\\d{1,6})w)?(?:(\\d{1,6})d)?(?:(\\d{1,9})h)?(?:(\\d{1,9})m)?(?:(\\d{1,9})s)?(?:(\\d{1,12})ms)?");

  private static final long[] UNIT_MILLIS = {
    31_536_000_000L, 604_800_000L, 86_400_000L, 3_600_000L, 60_000L, 1_000L, 1L,
  };

  private final ConfigNode.Mapping mapping;
  private final String path;
  private final List<String> problems;
  private final List<String> known = new ArrayList<>();

  public ConfigReader(ConfigNode.Mapping mapping, String path, List<String> problems) {
    this.mapping = mapping;
    this.path = path;
    this.problems = problems;
  }

  public String where(String key) {
    ConfigNode node = mapping.members().get(key);
    return node == null ? mapping.where() : node.where();
  }

  public boolean has(String key) {
    return mapping.members().containsKey(key);
  }

  /** Returns whether the value of a key is a mapping. */
  public boolean isMapping(String key) {
    return mapping.members().get(key) instanceof ConfigNode.Mapping;
  }

  public void problem(String key, String text) {
    // The invalid value may be a URL with a password.
    problems.add(name(key) + ": " + Url.redacted(text) + ", set in " + where(key));
  }

  public @Nullable String text(String key) {
    known.add(key);
    return switch (mapping.members().get(key)) {
      case null -> null;
      case ConfigNode.Scalar scalar -> scalar.text();
      case ConfigNode other -> wrong(key, "is a " + kind(other) + ", a text is expected");
    };
  }

  public String text(String key, String otherwise) {
    String text = text(key);
    return text == null ? otherwise : text;
  }

  /**
   * Reads a size in bytes, written as {@code 256MB}, {@code 4GB} or a plain number; K, M, G and T
   * are powers of 1,024.
   */
  public long size(String key, long otherwise) {
    String text = text(key);
    if (text == null) {
      return otherwise;
    }
    Matcher matcher = SIZE.matcher(text);
    if (!matcher.matches() || matcher.group(1).length() > 15) {
      wrong(key, "'" + text + "' is not a size (try 256MB or 4GB)");
      return otherwise;
    }
    int power = "KMGT".indexOf(matcher.group(2).toUpperCase(Locale.ROOT));
    int shift = matcher.group(2).isEmpty() ? 0 : 10 * (power + 1);
    long count = Long.parseLong(matcher.group(1));
    if (count > Long.MAX_VALUE >> shift) {
      wrong(key, "'" + text + "' is more bytes than there are");
      return otherwise;
    }
    return count << shift;
  }

  public @Nullable Duration duration(String key) {
    String text = text(key);
    if (text == null) {
      return null;
    }
    Duration read = parseDuration(text);
    if (read == null) {
      wrong(key, "'" + text + "' is not a duration (try 90s, 15m, 1h30m, 30d or 1y)");
    }
    return read;
  }

  /**
   * Parses a duration in Prometheus' format: numbers with units, the largest first, such as {@code
   * 1h30m}; a year has 365 days. Null if the text is not a duration.
   */
  public static @Nullable Duration parseDuration(String text) {
    Matcher matcher = DURATION.matcher(text);
    if (text.isEmpty() || !matcher.matches()) {
      return text.equals("0") ? Duration.ZERO : null;
    }
    long millis = 0;
    for (int unit = 0; unit < UNIT_MILLIS.length; unit++) {
      String count = matcher.group(unit + 1);
      if (count != null) {
        millis += Long.parseLong(count) * UNIT_MILLIS[unit];
      }
    }
    return Duration.ofMillis(millis);
  }

  public int integer(String key, int min, int max, int otherwise) {
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
      // Reported below, like a number out of range.
    }
    wrong(key, "'" + text + "' is not a number from " + min + " to " + max);
    return otherwise;
  }

  /** Reads one of several words. */
  public String choice(String key, List<String> words, String otherwise) {
    String text = text(key, otherwise);
    if (!words.contains(text)) {
      wrong(key, "'" + text + "' is none of " + String.join(", ", words));
      return otherwise;
    }
    return text;
  }

  public List<String> texts(String key) {
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

  /** Reads a path and resolves it against a folder; null if the key is absent. */
  public @Nullable Path path(String key, Path folder) {
    String text = text(key);
    return text == null ? null : resolved(key, text, folder);
  }

  /** Reads paths and resolves them against a folder. */
  public List<Path> paths(String key, Path folder) {
    List<Path> paths = new ArrayList<>();
    for (String text : texts(key)) {
      Path path = resolved(key, text, folder);
      if (path != null) {
        paths.add(path);
      }
    }
    return paths;
  }

  private @Nullable Path resolved(String key, String text, Path folder) {
    try {
      return folder.resolve(text);
    } catch (InvalidPathException e) {
      problem(key, "is no path: " + e.getReason());
      return null;
    }
  }

  public Map<String, String> texts(String key, String ofWhat) {
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

  /** Reads the mappings of a list. */
  public List<ConfigReader> list(String key) {
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

  public ConfigReader below(String key) {
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

  public List<String> keys() {
    return List.copyOf(mapping.members().keySet());
  }

  /** Accepts keys without reading them. */
  public void passOver(List<String> keys) {
    known.addAll(keys);
  }

  /** Records a problem for every key that was not read. */
  public void refuseUnknown() {
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
