package dev.varve.server.heroic.series;

import dev.varve.server.heroic.error.HeroicError;
import dev.varve.server.heroic.json.Node;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A range of times in ms since 1970. Queries exclude its start.
 *
 * @param start at least 0
 * @param end at least {@code start}
 */
public record DateRange(long start, long end) {
  /** Minimum time between the end of a shifted range and now, in ms. */
  private static final long SHIFT_TOLERANCE = 10_000;

  public DateRange {
    if (start < 0) {
      throw HeroicError.of("start must be a positive number");
    }
    if (end < start) {
      throw HeroicError.of("start (%d) must come before end (%d)".formatted(start, end));
    }
  }

  /**
   * Reads a range.
   *
   * @param now in ms since 1970
   * @return null if it is empty, which counts as absent
   */
  public static @Nullable DateRange of(Node node, long now) {
    Node type = node.required("type");
    return switch (type.text()) {
      case "absolute" -> {
        long start = node.required("start").whole();
        long end = node.required("end").whole();
        yield end <= start ? null : new DateRange(start, end);
      }
      case "relative" -> {
        Node unit = node.get("unit");
        long value = node.required("value").whole();
        TimeUnit given = unit == null ? TimeUnit.DAYS : unit(unit);
        yield value <= 0 ? null : new DateRange(now - given.toMillis(value), now);
      }
      default ->
          throw HeroicError.json(
              "no type of a range: '%s'; there are absolute and relative".formatted(type.text()),
              type.path());
    };
  }

  private DateRange rounded(long interval) {
    return interval <= 0 ? this : new DateRange(start - start % interval, end - end % interval);
  }

  /**
   * Returns the range with both ends rounded down to multiples of the cadence. If it then ends less
   * than ten seconds before now, it is moved back by whole cadences, since points may still arrive.
   *
   * @param cadence in ms; 0 or less not to round
   */
  public DateRange shifted(long cadence, long now) {
    if (start > now) {
      throw HeroicError.of("start is greater than now");
    }
    DateRange rounded = rounded(cadence);
    long sinceEnd = now - rounded.end();
    if (sinceEnd > SHIFT_TOLERANCE) {
      return rounded;
    }
    long missing = Math.max(-sinceEnd, 0) + SHIFT_TOLERANCE;
    long shift = cadence <= 0 ? missing : Math.ceilDiv(missing, cadence) * cadence;
    return new DateRange(Math.max(rounded.start() - shift, 0), Math.max(rounded.end() - shift, 0));
  }

  /** Parses the name of a unit, in any case. */
  public static TimeUnit unit(Node unit) {
    try {
      return TimeUnit.valueOf(unit.text().toUpperCase(Locale.ROOT));
    } catch (IllegalArgumentException e) {
      throw HeroicError.json(
          "no unit: '%s'; there are days, hours, minutes, seconds, milliseconds, microseconds and nanoseconds"
              .formatted(unit.text()),
          unit.path());
    }
  }
}
