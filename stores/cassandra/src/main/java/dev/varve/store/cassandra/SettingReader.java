package dev.varve.store.cassandra;

import dev.varve.store.StoreException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads settings by name and keeps what is wrong with them, so that all of it is said at once. The
 * names asked for are the names that there are.
 */
final class SettingReader {
  private static final Pattern DURATION = Pattern.compile("(\\d{1,9})\\s*(ms|s|m|h|d)");

  private final Map<String, String> settings;
  private final Set<String> names = new LinkedHashSet<>();
  private final List<String> problems = new ArrayList<>();

  SettingReader(Map<String, String> settings) {
    this.settings = new TreeMap<>(settings);
  }

  /** The text of a setting; null where it is missing. */
  @Nullable String text(String name) {
    names.add(name);
    String text = settings.get(name);
    return text == null ? null : text.strip();
  }

  void problem(String problem) {
    problems.add(problem);
  }

  void wrong(String name, String text, String expected) {
    problem("option %s: '%s' is not %s".formatted(name, text, expected));
  }

  List<String> list(String name, String otherwise) {
    String text = text(name);
    List<String> parts = new ArrayList<>();
    for (String part : (text == null ? otherwise : text).split(",", -1)) {
      if (part.isBlank()) {
        wrong(name, String.valueOf(text), "a list of hosts, separated by commas");
        return List.of();
      }
      parts.add(part.strip());
    }
    return parts;
  }

  int number(String name, int otherwise, int min, int max) {
    String text = text(name);
    if (text == null) {
      return otherwise;
    }
    if (!text.matches("\\d{1,9}") || Integer.parseInt(text) < min || Integer.parseInt(text) > max) {
      wrong(name, text, "a number from %d to %d".formatted(min, max));
      return otherwise;
    }
    return Integer.parseInt(text);
  }

  boolean flag(String name, boolean otherwise) {
    return Boolean.parseBoolean(choice(name, String.valueOf(otherwise), List.of("true", "false")));
  }

  /** One of some words, in whatever case. */
  String choice(String name, String otherwise, List<String> choices) {
    String text = text(name);
    if (text == null) {
      return otherwise;
    }
    for (String choice : choices) {
      if (choice.equalsIgnoreCase(text)) {
        return choice;
      }
    }
    wrong(name, text, "one of " + String.join(", ", choices));
    return otherwise;
  }

  String matching(String name, String otherwise, String pattern, String expected) {
    String text = text(name);
    if (text == null) {
      return otherwise;
    }
    if (!text.matches(pattern)) {
      wrong(name, text, expected);
      return otherwise;
    }
    return text;
  }

  Duration duration(String name, Duration otherwise) {
    String text = text(name);
    if (text == null) {
      return otherwise;
    }
    Matcher matcher = DURATION.matcher(text.toLowerCase(Locale.ROOT));
    if (!matcher.matches()) {
      wrong(name, text, "a length of time such as 500ms, 10s, 5m, 12h or 10d");
      return otherwise;
    }
    long count = Long.parseLong(matcher.group(1));
    return switch (matcher.group(2)) {
      case "ms" -> Duration.ofMillis(count);
      case "s" -> Duration.ofSeconds(count);
      case "m" -> Duration.ofMinutes(count);
      case "h" -> Duration.ofHours(count);
      default -> Duration.ofDays(count);
    };
  }

  /** A file that can be read. */
  @Nullable Path file(String name) {
    String text = text(name);
    if (text == null) {
      return null;
    }
    Path path = Path.of(text);
    if (!Files.isReadable(path)) {
      wrong(name, text, "a file that can be read");
    }
    return path;
  }

  /**
   * Ends the reading.
   *
   * @throws StoreException naming everything that is wrong
   */
  void finish() {
    for (String name : settings.keySet()) {
      if (!names.contains(name)) {
        problems.add("unknown option '%s' (did you mean '%s'?)".formatted(name, nearest(name)));
      }
    }
    if (!problems.isEmpty()) {
      throw new StoreException("cassandra store: " + String.join("; ", problems));
    }
  }

  private String nearest(String unknown) {
    String best = "";
    for (String name : names) {
      if (best.isEmpty() || distance(unknown, name) < distance(unknown, best)) {
        best = name;
      }
    }
    return best;
  }

  /** How many letters must be put, taken or changed to turn one word into the other. */
  private static int distance(String a, String b) {
    int[] row = new int[b.length() + 1];
    for (int j = 0; j <= b.length(); j++) {
      row[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int change = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(change, Math.min(row[j], row[j - 1]) + 1);
      }
    }
    return row[b.length()];
  }
}
