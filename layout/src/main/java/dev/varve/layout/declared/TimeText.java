package dev.varve.layout.declared;

import java.time.Duration;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations in human notation: {@code 15m}, {@code 1d}, {@code 500ms}. */
final class TimeText {
  private static final Pattern LENGTH = Pattern.compile("([0-9]{1,18})(ns|us|ms|s|m|h|d|w)");

  private static final String[] UNITS = {"w", "d", "h", "m", "s", "ms", "us", "ns"};
  private static final Duration[] LENGTHS = {
    Duration.ofDays(7),
    Duration.ofDays(1),
    Duration.ofHours(1),
    Duration.ofMinutes(1),
    Duration.ofSeconds(1),
    Duration.ofMillis(1),
    Duration.ofNanos(1_000),
    Duration.ofNanos(1)
  };

  private TimeText() {}

  /** Returns empty if the text is not a duration, is zero, or overflows 64 bits of nanoseconds. */
  static Optional<Duration> parse(String text) {
    Matcher matcher = LENGTH.matcher(text);
    if (!matcher.matches()) {
      return Optional.empty();
    }
    long count = Long.parseLong(matcher.group(1));
    for (int i = 0; i < UNITS.length; i++) {
      if (UNITS[i].equals(matcher.group(2))) {
        Duration length = LENGTHS[i].multipliedBy(count);
        boolean fits = length.compareTo(Duration.ofNanos(Long.MAX_VALUE)) <= 0;
        return fits && !length.isZero() ? Optional.of(length) : Optional.empty();
      }
    }
    return Optional.empty();
  }

  /** Returns the shortest text in whole units; weeks are written as days. */
  static String of(Duration length) {
    for (int i = 1; i < UNITS.length; i++) {
      long unit = LENGTHS[i].toNanos();
      if (length.toNanos() % unit == 0) {
        return length.toNanos() / unit + UNITS[i];
      }
    }
    throw new IllegalStateException("every length is a number of nanoseconds");
  }
}
