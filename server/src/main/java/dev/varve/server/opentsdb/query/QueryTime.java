package dev.varve.server.opentsdb.query;

import java.time.DateTimeException;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.format.ResolverStyle;
import java.time.temporal.ChronoField;
import java.util.Locale;
import java.util.TimeZone;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Times and durations in the notations of OpenTSDB's queries. */
public final class QueryTime {
  private static final Pattern MILLIS = Pattern.compile("[0-9]+ms");
  private static final Pattern DOTTED = Pattern.compile("[0-9]{10}\\.[0-9]{1,3}");

  /** A number with at most this many digits is in seconds. */
  private static final int SECOND_DIGITS = 10;

  private static final int INT64_DIGITS = 19;

  private QueryTime() {}

  /**
   * Parses a time: a number of seconds or milliseconds, {@code 1500000000.123}, {@code 5ms}, {@code
   * now}, {@code 1h-ago}, or a date such as {@code 2013/01/31-23:59:59}.
   *
   * @param zone the zone of dates; null or empty for UTC
   * @param now the current time in milliseconds since 1970
   * @return milliseconds since 1970
   * @throws IllegalArgumentException with OpenTSDB's message if the text is not a time
   */
  public static long parse(String text, @Nullable String zone, long now) {
    if (MILLIS.matcher(text).matches()) {
      return integer(text.substring(0, text.length() - 2));
    }
    String lower = text.toLowerCase(Locale.ROOT);
    if (lower.equals("now")) {
      return now;
    }
    if (lower.endsWith("-ago")) {
      return now - duration(text.substring(0, text.length() - 4));
    }
    return text.contains("/") || text.contains(":") ? date(text, zone) : number(text);
  }

  private static long date(String text, @Nullable String zone) {
    boolean dash = text.contains("-");
    String pattern =
        switch (text.length()) {
          case 10 -> "uuuu/MM/dd";
          case 16 -> dash ? "uuuu/MM/dd-HH:mm" : "uuuu/MM/dd HH:mm";
          case 19 -> dash ? "uuuu/MM/dd-HH:mm:ss" : "uuuu/MM/dd HH:mm:ss";
          default -> throw new IllegalArgumentException("Invalid absolute date: " + text);
        };
    TimeZone of = zone == null || zone.isEmpty() ? TimeZone.getTimeZone("UTC") : zone(zone);
    if (of == null) {
      throw new IllegalArgumentException("Invalid timezone name: " + zone);
    }
    // Days and months out of range count on, as in OpenTSDB.
    DateTimeFormatter format =
        new DateTimeFormatterBuilder()
            .appendPattern(pattern)
            .parseDefaulting(ChronoField.HOUR_OF_DAY, 0)
            .toFormatter(Locale.ROOT)
            .withResolverStyle(ResolverStyle.LENIENT);
    try {
      return LocalDateTime.parse(text, format).atZone(of.toZoneId()).toInstant().toEpochMilli();
    } catch (DateTimeException e) {
      throw new IllegalArgumentException(
          "Invalid date: %1$s. Unparseable date: \"%1$s\"".formatted(text), e);
    }
  }

  /** Returns a time zone; null if there is none of that name. */
  static @Nullable TimeZone zone(String name) {
    TimeZone zone = TimeZone.getTimeZone(name);
    // For an unknown name Java returns GMT.
    return zone.getID().equals(name) ? zone : null;
  }

  private static long number(String text) {
    if (text.contains(".")) {
      if (!DOTTED.matcher(text).matches()) {
        throw new IllegalArgumentException(
            "Invalid time: %s. Millisecond timestamps must be in the format <seconds>.<ms> where the milliseconds are limited to 3 digits"
                .formatted(text));
      }
      return Long.parseLong(text.replace(".", ""));
    }
    try {
      long time = integer(text);
      if (time < 0) {
        throw new IllegalArgumentException(
            "Invalid time: %s. Negative timestamps are not supported.".formatted(text));
      }
      return text.length() <= SECOND_DIGITS ? 1000 * time : time;
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("Invalid time: %s. %s".formatted(text, e.getMessage()), e);
    }
  }

  private static long integer(String text) {
    boolean signed = text.startsWith("-") || text.startsWith("+");
    if (signed && text.length() == 1) {
      throw new NumberFormatException("Just a sign, no value: " + text);
    }
    if (text.length() > (signed ? INT64_DIGITS + 1 : INT64_DIGITS)) {
      throw new NumberFormatException("Value too long: " + text);
    }
    for (int i = signed ? 1 : 0; i < text.length(); i++) {
      if (text.charAt(i) < '0' || text.charAt(i) > '9') {
        throw new NumberFormatException(
            "Invalid character '%s' in %s".formatted(text.charAt(i), text));
      }
    }
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException e) {
      throw new NumberFormatException("Overflow in " + text);
    }
  }

  /**
   * Parses a duration: a whole number and a unit, one of {@code ms s m h d w n y}. A month has 30
   * days, a year 365.
   *
   * @return milliseconds, at least 1
   * @throws IllegalArgumentException with OpenTSDB's message if the text is not a duration
   */
  public static long duration(String text) {
    int digits = 0;
    while (digits < text.length() && Character.isDigit(text.charAt(digits))) {
      digits++;
    }
    if (digits == text.length()) {
      throw new IllegalArgumentException(
          "Invalid duration, must have an integer and unit: " + text);
    }
    long count;
    try {
      count = Long.parseLong(text.substring(0, digits));
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("Invalid duration (number): " + text, e);
    }
    if (count <= 0) {
      throw new IllegalArgumentException("Zero or negative duration: " + text);
    }
    try {
      return Math.multiplyExact(count, unit(text));
    } catch (ArithmeticException e) {
      throw new IllegalArgumentException("Duration must be < Long.MAX_VALUE ms: " + text, e);
    }
  }

  /** Returns the unit that a duration ends with, in milliseconds. */
  private static long unit(String text) {
    return switch (Character.toLowerCase(text.charAt(text.length() - 1))) {
      case 's' -> text.charAt(text.length() - 2) == 'm' ? 1 : 1000;
      case 'm' -> 60_000;
      case 'h' -> 3_600_000;
      case 'd' -> 86_400_000;
      case 'w' -> 604_800_000;
      case 'n' -> 2_592_000_000L;
      case 'y' -> 31_536_000_000L;
      default -> throw new IllegalArgumentException("Invalid duration (suffix): " + text);
    };
  }
}
