package dev.varve.store.bigtable;

import dev.varve.store.StoreException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads settings by name, and gathers all that is wrong with them, to say it at once. */
final class Settings {
  private static final Pattern DURATION = Pattern.compile("(\\d{1,9})\\s*(ms|s|m|h)");

  private final Map<String, String> settings;
  private final List<String> wrong = new ArrayList<>();

  Settings(Map<String, String> settings, List<String> names) {
    this.settings = new TreeMap<>(settings);
    for (String name : this.settings.keySet()) {
      if (!names.contains(name)) {
        wrong.add("unknown option '%s' (did you mean '%s'?)".formatted(name, nearest(name, names)));
      }
    }
  }

  boolean has(String name) {
    return settings.containsKey(name);
  }

  void refuse(String reason) {
    wrong.add(reason);
  }

  /**
   * Ends the reading.
   *
   * @throws StoreException naming all that is wrong
   */
  void finish(String store) {
    if (!wrong.isEmpty()) {
      throw new StoreException(store + ": " + String.join("; ", wrong));
    }
  }

  @Nullable String text(String name, String pattern, String expected) {
    return read(
        name, text -> text.matches(pattern) ? Optional.of(text) : Optional.empty(), expected, null);
  }

  int number(String name, int from, int to, int otherwise) {
    Integer number =
        read(
            name,
            text ->
                text.matches("\\d{1,9}")
                    ? within(Integer.parseInt(text), from, to)
                    : Optional.empty(),
            "a number from %d to %d".formatted(from, to),
            otherwise);
    return number == null ? otherwise : number;
  }

  private static Optional<Integer> within(int number, int from, int to) {
    return number < from || number > to ? Optional.empty() : Optional.of(number);
  }

  boolean flag(String name, boolean otherwise) {
    Boolean flag =
        read(
            name,
            text ->
                text.matches("true|false") ? Optional.of(text.equals("true")) : Optional.empty(),
            "true or false",
            otherwise);
    return flag == null ? otherwise : flag;
  }

  Duration duration(String name, Duration otherwise) {
    Duration duration =
        read(name, Settings::duration, "a time such as 500ms, 30s or 2m, and not 0", otherwise);
    return duration == null ? otherwise : duration;
  }

  private static Optional<Duration> duration(String text) {
    Matcher matcher = DURATION.matcher(text);
    if (!matcher.matches()) {
      return Optional.empty();
    }
    long count = Long.parseLong(matcher.group(1));
    Duration duration =
        switch (matcher.group(2)) {
          case "ms" -> Duration.ofMillis(count);
          case "s" -> Duration.ofSeconds(count);
          case "m" -> Duration.ofMinutes(count);
          default -> Duration.ofHours(count);
        };
    return duration.isZero() || duration.compareTo(Duration.ofDays(1)) > 0
        ? Optional.empty()
        : Optional.of(duration);
  }

  @Nullable Path file(String name) {
    return read(
        name,
        text -> {
          Path path = Path.of(text);
          return Files.isReadable(path) && Files.isRegularFile(path)
              ? Optional.of(path)
              : Optional.empty();
        },
        "a file that can be read",
        null);
  }

  private <T> @Nullable T read(
      String name, Function<String, Optional<T>> parser, String expected, @Nullable T otherwise) {
    String text = settings.get(name);
    if (text == null) {
      return otherwise;
    }
    Optional<T> value = parser.apply(text.strip());
    if (value.isEmpty()) {
      wrong.add("option %s: '%s' is not %s".formatted(name, text, expected));
      return otherwise;
    }
    return value.get();
  }

  private static String nearest(String unknown, List<String> names) {
    String best = names.getFirst();
    for (String name : names) {
      if (distance(unknown, name) < distance(unknown, best)) {
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
