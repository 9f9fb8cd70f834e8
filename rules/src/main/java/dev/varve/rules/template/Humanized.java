package dev.varve.rules.template;

import dev.varve.formats.number.GoNumber;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.ChronoField;
import java.util.Locale;

/** Formats numbers for people, with four significant digits. */
final class Humanized {
  private static final String[] LARGE = {"k", "M", "G", "T", "P", "E", "Z", "Y"};
  private static final String[] LARGE_1024 = {"ki", "Mi", "Gi", "Ti", "Pi", "Ei", "Zi", "Yi"};
  private static final String[] SMALL = {"m", "u", "n", "p", "f", "a", "z", "y"};

  /** Go's format of a time. */
  private static final DateTimeFormatter TIME =
      new DateTimeFormatterBuilder()
          .appendPattern("uuuu-MM-dd HH:mm:ss")
          .appendFraction(ChronoField.NANO_OF_SECOND, 0, 9, true)
          .appendLiteral(" +0000 UTC")
          .toFormatter(Locale.ROOT)
          .withZone(ZoneOffset.UTC);

  private Humanized() {}

  static String number(double value) {
    if (value == 0 || !Double.isFinite(value)) {
      return four(value);
    }
    return Math.abs(value) >= 1 ? large(value, 1000, LARGE) : small(value);
  }

  static String number1024(double value) {
    return Math.abs(value) <= 1 || !Double.isFinite(value)
        ? four(value)
        : large(value, 1024, LARGE_1024);
  }

  static String percentage(double value) {
    return four(value * 100) + "%";
  }

  /** Formats a duration in seconds, as {@code 1d 2h 3m 4s} or {@code 1.5ms}. */
  static String duration(double value) {
    if (!Double.isFinite(value)) {
      return four(value);
    }
    if (value == 0) {
      return four(value) + "s";
    }
    if (Math.abs(value) < 1) {
      return small(value) + "s";
    }
    double size = Math.abs(value);
    long whole = (long) size;
    long seconds = whole % 60;
    long minutes = whole / 60 % 60;
    long hours = whole / 3600 % 24;
    long days = whole / 86400;
    String text;
    if (days != 0) {
      text = "%dd %dh %dm %ds".formatted(days, hours, minutes, seconds);
    } else if (hours != 0) {
      text = "%dh %dm %ds".formatted(hours, minutes, seconds);
    } else if (minutes != 0) {
      text = "%dm %ds".formatted(minutes, seconds);
    } else {
      text = four(size) + "s";
    }
    return value < 0 ? "-" + text : text;
  }

  /** Formats a time in seconds since 1970, to the millisecond. */
  static String timestamp(double value) throws Failure.Refused {
    if (!Double.isFinite(value)) {
      return four(value);
    }
    double nanos = value * 1e9;
    if (nanos > Long.MAX_VALUE || nanos < Long.MIN_VALUE) {
      throw new Failure.Refused(
          GoNumber.text(value)
              + " cannot be represented as a nanoseconds timestamp since it overflows int64");
    }
    try {
      return TIME.format(Instant.ofEpochMilli((long) nanos / 1_000_000));
    } catch (DateTimeException e) {
      throw new Failure.Refused(GoNumber.text(value) + " is no time");
    }
  }

  private static String large(double value, int step, String[] prefixes) {
    double rest = value;
    String prefix = "";
    for (String next : prefixes) {
      if (Math.abs(rest) < step) {
        break;
      }
      prefix = next;
      rest /= step;
    }
    return four(rest) + prefix;
  }

  private static String small(double value) {
    double rest = value;
    String prefix = "";
    for (String next : SMALL) {
      if (Math.abs(rest) >= 1) {
        break;
      }
      prefix = next;
      rest *= 1000;
    }
    return four(rest) + prefix;
  }

  private static String four(double value) {
    return GoNumber.general(value, 4);
  }
}
