package dev.varve.query.promql;

import dev.varve.formats.number.GoNumber;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;

/** Parses and formats durations as Prometheus does: a year has 365 days, a day 24 hours. */
public final class Durations {
  /** Seconds that fit into 64 bits of nanoseconds, about 292 years. */
  private static final double SECONDS_MAX = 0x1p63 / 1e9;

  /** From the largest to the smallest, in the required order. */
  private enum Unit {
    YEAR("y", 365L * 24 * 60 * 60 * 1000),
    WEEK("w", 7L * 24 * 60 * 60 * 1000),
    DAY("d", 24L * 60 * 60 * 1000),
    HOUR("h", 60L * 60 * 1000),
    MINUTE("m", 60L * 1000),
    SECOND("s", 1000),
    MILLISECOND("ms", 1);

    private final String text;
    private final long millis;

    Unit(String text, long millis) {
      this.text = text;
      this.millis = millis;
    }

    static Unit of(String text, String whole) {
      for (Unit unit : values()) {
        if (unit.text.equals(text)) {
          return unit;
        }
      }
      throw new IllegalArgumentException(
          "unknown unit %s in duration %s".formatted(Quoting.quoted(text), Quoting.quoted(whole)));
    }
  }

  private Durations() {}

  /**
   * Parses a token such as {@code 1h30m} to seconds.
   *
   * @throws IllegalArgumentException with the reason if the token is invalid
   */
  static double seconds(String text) {
    long millis = 0;
    Unit last = null;
    int at = 0;
    while (at < text.length()) {
      int digits = end(text, at, true);
      int units = end(text, digits, false);
      if (digits == at || units == digits) {
        throw new IllegalArgumentException("not a valid duration string: " + Quoting.quoted(text));
      }
      Unit unit = Unit.of(text.substring(digits, units), text);
      if (last != null && unit.compareTo(last) <= 0) {
        throw new IllegalArgumentException("not a valid duration string: " + Quoting.quoted(text));
      }
      last = unit;
      millis = added(millis, text.substring(at, digits), unit);
      at = units;
    }
    return seconds(millis);
  }

  private static int end(String text, int start, boolean digits) {
    int at = start;
    while (at < text.length() && Character.isDigit(text.charAt(at)) == digits) {
      at++;
    }
    return at;
  }

  private static long added(long millis, String count, Unit unit) {
    try {
      long sum = Math.addExact(millis, Math.multiplyExact(Long.parseLong(count), unit.millis));
      if (sum <= Long.MAX_VALUE / 1_000_000) {
        return sum;
      }
    } catch (ArithmeticException | NumberFormatException e) {
      // What exceeds 64 bits also exceeds the range of nanoseconds.
    }
    throw new IllegalArgumentException("duration out of range");
  }

  private static double seconds(long millis) {
    long whole = millis / 1000;
    return whole + millis % 1000 / 1e3;
  }

  /** Returns whether a duration in seconds is within the 292 years. */
  static boolean inRange(double seconds) {
    return Math.abs(seconds) <= SECONDS_MAX;
  }

  /**
   * Parses a text such as {@code 1h30m}.
   *
   * @throws IllegalArgumentException if the text is not a duration
   */
  public static Duration parse(String text) {
    if (text.isEmpty()) {
      throw new IllegalArgumentException("empty duration string");
    }
    return of(seconds(text));
  }

  /**
   * Converts seconds to a duration, using their shortest decimal form, rounded to the nanosecond.
   */
  static Duration of(double seconds) {
    if (seconds == (int) seconds) {
      return Duration.ofSeconds((int) seconds);
    }
    BigDecimal exact = new BigDecimal(Double.toString(seconds)).setScale(9, RoundingMode.HALF_UP);
    BigDecimal nanos = exact.remainder(BigDecimal.ONE).movePointRight(9);
    return Duration.ofSeconds(exact.longValue(), nanos.longValue());
  }

  /** Formats a range or an offset; as a number of seconds if it is finer than a millisecond. */
  public static String text(Duration duration) {
    boolean exact = duration.getNano() % 1_000_000 == 0;
    return exact
        ? text(duration.toMillis())
        : GoNumber.plain(duration.getSeconds() + duration.getNano() / 1e9);
  }

  /** Formats a number of seconds that was written as a duration. */
  static String text(double seconds) {
    String sign = Math.copySign(1, seconds) < 0 ? "-" : "";
    return sign + text(Math.round(Math.abs(seconds) * 1000));
  }

  private static String text(long millis) {
    if (millis == 0) {
      return "0s";
    }
    StringBuilder out = new StringBuilder();
    long rest = millis;
    if (millis < 0) {
      out.append('-');
      rest = -millis;
    }
    for (Unit unit : Unit.values()) {
      // 90d is more readable than 12w6d.
      boolean wholeOnly = unit == Unit.YEAR || unit == Unit.WEEK;
      long count = wholeOnly && rest % unit.millis != 0 ? 0 : rest / unit.millis;
      if (count > 0) {
        out.append(count).append(unit.text);
        rest -= count * unit.millis;
      }
    }
    return out.toString();
  }
}
