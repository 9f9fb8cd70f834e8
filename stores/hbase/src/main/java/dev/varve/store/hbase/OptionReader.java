package dev.varve.store.hbase;

import dev.varve.store.StoreException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Reads options by name and notes all that is wrong with them. */
final class OptionReader {
  private static final Pattern DURATION = Pattern.compile("(\\d{1,9})\\s*(ms|s|m)");

  private final Map<String, String> options;
  private final List<String> wrong = new ArrayList<>();

  OptionReader(Map<String, String> options, List<String> known) {
    this.options = options;
    for (String name : options.keySet()) {
      if (!known.contains(name)) {
        wrong("unknown option '%s' (did you mean '%s'?)".formatted(name, nearest(name, known)));
      }
    }
  }

  void wrong(String what) {
    wrong.add(what);
  }

  void throwIfWrong(String kind) {
    if (!wrong.isEmpty()) {
      throw new StoreException(kind + " store: " + String.join("; ", wrong));
    }
  }

  Optional<String> text(String name) {
    return Optional.ofNullable(options.get(name)).map(String::strip);
  }

  String text(String name, String pattern, String expected, String otherwise) {
    String text = text(name).orElse(otherwise);
    return text.matches(pattern) ? text : refuse(name, text, expected, otherwise);
  }

  int number(String name, int least, int most, int otherwise) {
    String text = text(name).orElse(String.valueOf(otherwise));
    int number = text.matches("\\d{1,9}") ? Integer.parseInt(text) : -1;
    return number >= least && number <= most
        ? number
        : refuse(name, text, "a number from %d to %d".formatted(least, most), otherwise);
  }

  Duration duration(String name, Duration otherwise) {
    Optional<String> text = text(name);
    if (text.isEmpty()) {
      return otherwise;
    }
    Matcher matcher = DURATION.matcher(text.get());
    if (!matcher.matches() || matcher.group(1).matches("0+")) {
      return refuse(name, text.get(), "a time such as 500ms, 10s or 2m", otherwise);
    }
    long count = Long.parseLong(matcher.group(1));
    return switch (matcher.group(2)) {
      case "ms" -> Duration.ofMillis(count);
      case "s" -> Duration.ofSeconds(count);
      default -> Duration.ofMinutes(count);
    };
  }

  <E extends Enum<E>> E choice(String name, E[] choices, E otherwise) {
    String text = text(name).orElse(otherwise.name());
    for (E choice : choices) {
      if (choice.name().equalsIgnoreCase(text)) {
        return choice;
      }
    }
    return refuse(
        name,
        text,
        Arrays.stream(choices).map(HBaseOptions::lower).collect(Collectors.joining(", ")),
        otherwise);
  }

  private <T> T refuse(String name, String text, String expected, T otherwise) {
    wrong("option %s: '%s' is not %s".formatted(name, text, expected));
    return otherwise;
  }

  private static String nearest(String unknown, List<String> known) {
    String best = known.getFirst();
    for (String name : known) {
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
