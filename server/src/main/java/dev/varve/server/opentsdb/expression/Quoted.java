package dev.varve.server.opentsdb.expression;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations in quotes, the parameters of some functions. Single and double quotes are alike. */
final class Quoted {
  private static final Pattern DURATION = Pattern.compile("(['\"])([0-9]{1,9})\\s*([a-z]*)\\s*\\1");

  private static final long SECOND = 1000;
  private static final long DAY = 86_400 * SECOND;

  private Quoted() {}

  /** Returns whether a text is in quotes. */
  static boolean is(String text) {
    return text.length() > 1
        && (text.charAt(0) == '\'' || text.charAt(0) == '"')
        && text.charAt(0) == text.charAt(text.length() - 1);
  }

  /**
   * Parses the parameter of {@code shift}.
   *
   * @return milliseconds, at least 1
   */
  static long shift(String text) {
    Matcher parts = DURATION.matcher(text.strip());
    if (!is(text.strip())) {
      throw new IllegalArgumentException("Invalid timeshift parameter: eg '10min'");
    }
    if (!parts.matches()) {
      throw new IllegalArgumentException("Invalid Parameter: " + text);
    }
    long unit =
        switch (parts.group(3)) {
          case "sec" -> SECOND;
          case "min" -> 60 * SECOND;
          case "hr" -> 3600 * SECOND;
          case "day", "days" -> DAY;
          case "week", "weeks" -> 7 * DAY;
          default -> throw new IllegalArgumentException("unknown time unit=" + parts.group(3));
        };
    return positive(Long.parseLong(parts.group(2)) * unit, "timeshift <= 0");
  }

  /**
   * Parses the window of {@code movingAverage}.
   *
   * @return milliseconds, at least 1
   */
  static long window(String text) {
    Matcher parts = DURATION.matcher(text);
    if (!parts.matches()) {
      throw new IllegalArgumentException("Invalid moving window parameter: " + text);
    }
    long unit =
        switch (parts.group(3)) {
          case "day", "d" -> DAY;
          case "hr", "hour", "h" -> 3600 * SECOND;
          case "min", "m" -> 60 * SECOND;
          case "sec", "s" -> SECOND;
          default ->
              throw new IllegalArgumentException(
                  "Unknown time unit=%s in window=%s".formatted(parts.group(3), text));
        };
    return positive(
        Long.parseLong(parts.group(2)) * unit,
        "Moving average window must be an integer greater than zero");
  }

  private static long positive(long millis, String ifNot) {
    if (millis <= 0) {
      throw new IllegalArgumentException(ifNot);
    }
    return millis;
  }
}
