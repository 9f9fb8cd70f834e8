package dev.varve.store.adapter;

import dev.varve.model.Spelling;
import dev.varve.store.StoreException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Reads the options of a store by name and collects all errors, so that they are reported at once.
 * The names that callers ask for define the known options.
 *
 * <p>A missing or invalid option yields its default; {@link #finish} then rejects the options as a
 * whole.
 */
public final class OptionReader {
  private static final Pattern DURATION = Pattern.compile("(\\d{1,9})\\s*(ms|s|m|h|d)");
  private static final Pattern SIZE = Pattern.compile("(\\d{1,15})\\s*(b|kb|mb|gb|)");

  private final String store;
  private final Map<String, String> options;
  private final Set<String> names = new LinkedHashSet<>();
  private final List<String> wrong = new ArrayList<>();

  /**
   * Creates a reader.
   *
   * @param store kind of the store, for messages
   */
  public OptionReader(String store, Map<String, String> options) {
    this.store = store;
    this.options = new TreeMap<>(options);
  }

  public boolean has(String name) {
    return options.containsKey(name);
  }

  /**
   * Returns the text of an option, stripped of surrounding whitespace, or null if it is missing.
   */
  public @Nullable String text(String name) {
    names.add(name);
    String text = options.get(name);
    return text == null ? null : text.strip();
  }

  /** Returns the text of an option if it matches a regular expression, or null if it is missing. */
  public @Nullable String text(String name, String pattern, String expected) {
    return read(
            name, text -> text.matches(pattern) ? Optional.of(text) : Optional.empty(), expected)
        .orElse(null);
  }

  public String text(String name, String pattern, String expected, String otherwise) {
    String text = text(name, pattern, expected);
    return text == null ? otherwise : text;
  }

  /** Returns a comma-separated list of non-blank words. */
  public List<String> list(String name, String expected, List<String> otherwise) {
    return read(
            name,
            text -> {
              List<String> parts = Stream.of(text.split(",", -1)).map(String::strip).toList();
              return parts.contains("") ? Optional.empty() : Optional.of(parts);
            },
            expected)
        .orElse(otherwise);
  }

  /** Returns a number within inclusive bounds. */
  public int number(String name, int least, int most, int otherwise) {
    return read(
            name,
            text -> {
              int number = text.matches("\\d{1,9}") ? Integer.parseInt(text) : -1;
              return number < least || number > most ? Optional.empty() : Optional.of(number);
            },
            "a number from %d to %d".formatted(least, most))
        .orElse(otherwise);
  }

  public boolean flag(String name, boolean otherwise) {
    return read(
            name,
            text ->
                text.matches("true|false") ? Optional.of(text.equals("true")) : Optional.empty(),
            "true or false")
        .orElse(otherwise);
  }

  /** Returns one of several words, compared case-insensitively, as spelled in {@code choices}. */
  public String choice(String name, List<String> choices, String otherwise) {
    return read(
            name,
            text -> choices.stream().filter(text::equalsIgnoreCase).findFirst(),
            "one of " + String.join(", ", choices))
        .orElse(otherwise);
  }

  /** Returns one of the constants of an enum, compared case-insensitively. */
  public <E extends Enum<E>> E choice(String name, E[] choices, E otherwise) {
    return read(
            name,
            text -> Stream.of(choices).filter(c -> c.name().equalsIgnoreCase(text)).findFirst(),
            "one of "
                + Stream.of(choices)
                    .map(choice -> choice.name().toLowerCase(Locale.ROOT))
                    .collect(Collectors.joining(", ")))
        .orElse(otherwise);
  }

  /**
   * Returns a duration of at least a millisecond, such as {@code 500ms}, {@code 10s}, {@code 12h}.
   */
  public Duration duration(String name, Duration most, Duration otherwise) {
    return duration(name, Duration.ofMillis(1), most, otherwise);
  }

  public Duration duration(String name, Duration least, Duration most, Duration otherwise) {
    return read(
            name,
            text -> duration(text).filter(d -> d.compareTo(least) >= 0 && d.compareTo(most) <= 0),
            "a duration such as 500ms, 10s, 2m, 12h or 10d, from %s to %s"
                .formatted(shown(least), shown(most)))
        .orElse(otherwise);
  }

  private static Optional<Duration> duration(String text) {
    Matcher matcher = DURATION.matcher(text.toLowerCase(Locale.ROOT));
    if (!matcher.matches()) {
      return Optional.empty();
    }
    long count = Long.parseLong(matcher.group(1));
    return Optional.of(
        switch (matcher.group(2)) {
          case "ms" -> Duration.ofMillis(count);
          case "s" -> Duration.ofSeconds(count);
          case "m" -> Duration.ofMinutes(count);
          case "h" -> Duration.ofHours(count);
          default -> Duration.ofDays(count);
        });
  }

  private static String shown(Duration duration) {
    if (duration.toMillis() % 1000 != 0) {
      return duration.toMillis() + "ms";
    }
    long seconds = duration.toSeconds();
    return seconds > 0 && seconds % 86_400 == 0 ? seconds / 86_400 + "d" : seconds + "s";
  }

  /** Returns a number of bytes, such as {@code 65536}, {@code 64KB} or {@code 1 gb}. */
  public long bytes(String name, long least, String expected, long otherwise) {
    return read(name, text -> size(text).filter(size -> size >= least), expected).orElse(otherwise);
  }

  private static Optional<Long> size(String text) {
    Matcher matcher = SIZE.matcher(text.toLowerCase(Locale.ROOT));
    if (!matcher.matches()) {
      return Optional.empty();
    }
    int shift =
        switch (matcher.group(2)) {
          case "kb" -> 10;
          case "mb" -> 20;
          case "gb" -> 30;
          default -> 0;
        };
    long count = Long.parseLong(matcher.group(1));
    return count > Long.MAX_VALUE >> shift ? Optional.empty() : Optional.of(count << shift);
  }

  /** Returns the path of a readable file, or null if the option is missing. */
  public @Nullable Path file(String name) {
    return read(
            name,
            text -> {
              Path path = Path.of(text);
              return Files.isReadable(path) && Files.isRegularFile(path)
                  ? Optional.of(path)
                  : Optional.empty();
            },
            "a readable file")
        .orElse(null);
  }

  private <T> Optional<T> read(String name, Function<String, Optional<T>> parser, String expected) {
    String text = text(name);
    if (text == null) {
      return Optional.empty();
    }
    Optional<T> value = parser.apply(text);
    if (value.isEmpty()) {
      wrong(name, text, expected);
    }
    return value;
  }

  /** Reports that an option's text is not what was expected. */
  public void wrong(String name, String text, String expected) {
    wrong("option %s: '%s' is not %s".formatted(name, text, expected));
  }

  /** Reports another error, such as options that contradict each other. */
  public void wrong(String what) {
    wrong.add(what);
  }

  /**
   * Ends the reading.
   *
   * @throws StoreException listing all errors, unknown options first
   */
  public void finish() {
    List<String> all = new ArrayList<>();
    for (String name : options.keySet()) {
      if (!names.contains(name)) {
        all.add(
            "unknown option '%s' (did you mean '%s'?)"
                .formatted(name, Spelling.nearest(name, names)));
      }
    }
    all.addAll(wrong);
    if (!all.isEmpty()) {
      throw new StoreException("%s store: %s".formatted(store, String.join("; ", all)));
    }
  }
}
