package dev.varve.server.opentsdb;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * OpenTSDB's error messages for lines of its telnet interface. It checks the words of a line in a
 * fixed order, and scripts look for its texts.
 */
final class LineFault {
  /** A number of at most 19 digits, or of at most 20 characters with a sign. */
  private static final int DIGITS_MAX = 19;

  /**
   * The positions of the words of a command.
   *
   * @param metric index of the metric; time and value follow
   * @param least minimum number of words, including the command
   * @param answered number of words in the answer
   */
  private record Form(int metric, int least, int answered) {}

  private static final Form PUT = new Form(1, 5, 4);
  private static final Form ROLLUP = new Form(2, 6, 7);
  private static final Form HISTOGRAM = new Form(1, 5, 5);

  private LineFault() {}

  /**
   * Returns OpenTSDB's message after {@code put: }; null if it accepts the line. The characters of
   * names are not checked.
   *
   * @param line the whole line; as in OpenTSDB, single spaces separate its words
   */
  static @Nullable String ofPut(String line) {
    String[] words = line.split(" ", -1);
    try {
      long time = time(words, PUT);
      Map<String, String> tags = tags(words, PUT.metric() + 3);
      number(words[PUT.metric() + 2], words[PUT.metric()], time);
      return tags.isEmpty() ? "illegal argument: " + withoutTags(words[PUT.metric()]) : null;
    } catch (NumberFormatException e) {
      return "invalid value: " + e.getMessage();
    } catch (IllegalArgumentException e) {
      return "illegal argument: " + e.getMessage();
    }
  }

  /**
   * Returns OpenTSDB's message after {@code rollup: } before it checks the roll-up itself; null for
   * none.
   */
  static @Nullable String ofRollup(String line) {
    String[] words = line.split(" ", -1);
    try {
      if (words.length >= ROLLUP.least() && words[1].isEmpty()) {
        throw new IllegalArgumentException("Missing interval or aggregator");
      }
      long time = time(words, ROLLUP);
      tags(words, ROLLUP.metric() + 3);
      number(words[ROLLUP.metric() + 2], words[ROLLUP.metric()], time);
      return null;
    } catch (NumberFormatException e) {
      return "invalid value: " + e.getMessage();
    } catch (IllegalArgumentException e) {
      return "illegal argument: " + e.getMessage();
    }
  }

  /**
   * Returns OpenTSDB's message after {@code histogram: } before it reads the buckets; null for
   * none.
   */
  static @Nullable String ofHistogram(String line) {
    String[] words = line.split(" ", -1);
    try {
      time(words, HISTOGRAM);
      boolean encoded = words[3].matches("[+-]?[0-9]{1,9}");
      if (words[encoded ? 4 : 3].isEmpty()) {
        throw new IllegalArgumentException("empty histogram value");
      }
      tags(words, encoded ? 5 : 4);
      return null;
    } catch (NumberFormatException e) {
      return "invalid value: " + e.getMessage();
    } catch (IllegalArgumentException e) {
      return "illegal argument: " + e.getMessage();
    }
  }

  /** Returns OpenTSDB's message about a point without tags. */
  static String withoutTags(String metric) {
    return "Need at least one tag (metric=%s, tags={})".formatted(metric);
  }

  /** Checks the number of words, the metric, the time and whether there is a value. */
  private static long time(String[] words, Form form) {
    if (words.length < form.least()) {
      throw new IllegalArgumentException(
          "not enough arguments (need least %d, got %d)"
              .formatted(form.answered(), words.length - 1));
    }
    if (words[form.metric()].isEmpty()) {
      throw new IllegalArgumentException("empty metric name");
    }
    long time = integer(words[form.metric() + 1].replace(".", ""));
    if (time <= 0) {
      throw new IllegalArgumentException("invalid timestamp: " + time);
    }
    if (!form.equals(HISTOGRAM) && words[form.metric() + 2].isEmpty()) {
      throw new IllegalArgumentException("empty value");
    }
    return time;
  }

  private static Map<String, String> tags(String[] words, int from) {
    // Texts show tags in the order of such a map.
    Map<String, String> tags = new HashMap<>();
    for (int i = from; i < words.length; i++) {
      if (words[i].isEmpty()) {
        continue;
      }
      String[] pair = words[i].split("=", -1);
      if (pair.length != 2 || pair[0].isEmpty() || pair[1].isEmpty()) {
        throw new IllegalArgumentException("invalid tag: " + words[i]);
      }
      String before = tags.putIfAbsent(pair[0], pair[1]);
      if (before != null && !before.equals(pair[1])) {
        throw new IllegalArgumentException("duplicate tag: %s, tags=%s".formatted(words[i], tags));
      }
    }
    return tags;
  }

  private static void number(String value, String metric, long time) {
    if (value.chars().noneMatch(c -> c == '.' || c == 'e' || c == 'E')) {
      integer(value);
      return;
    }
    double number = Double.parseDouble(value);
    if (Double.isInfinite(number)) {
      throw new IllegalArgumentException(
          "value is NaN or Infinite: %s for metric=%s timestamp=%d"
              .formatted(Double.toString(number), metric, time));
    }
  }

  /** Reads an integer as OpenTSDB does. */
  private static long integer(String text) {
    if (text.isEmpty()) {
      throw new NumberFormatException("Empty string");
    }
    boolean signed = text.charAt(0) == '+' || text.charAt(0) == '-';
    if (signed && text.length() == 1) {
      throw new NumberFormatException("Just a sign, no value: " + text);
    }
    if (text.length() > DIGITS_MAX + (signed ? 1 : 0)) {
      throw new NumberFormatException("Value too long: " + text);
    }
    for (int i = signed ? 1 : 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c < '0' || c > '9') {
        throw new NumberFormatException("Invalid character '%c' in %s".formatted(c, text));
      }
    }
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException e) {
      throw new NumberFormatException("Overflow in " + text);
    }
  }
}
