package dev.varve.server.kairosdb;

import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** KairosDB's time units; names are not case-sensitive. */
enum TimeUnit {
  MILLISECONDS(ChronoUnit.MILLIS),
  SECONDS(ChronoUnit.SECONDS),
  MINUTES(ChronoUnit.MINUTES),
  HOURS(ChronoUnit.HOURS),
  DAYS(ChronoUnit.DAYS),
  WEEKS(ChronoUnit.WEEKS),
  MONTHS(ChronoUnit.MONTHS),
  YEARS(ChronoUnit.YEARS);

  static final String NAMES =
      Arrays.stream(values()).map(Enum::name).collect(Collectors.joining(","));

  private final ChronoUnit unit;

  TimeUnit(ChronoUnit unit) {
    this.unit = unit;
  }

  ChronoUnit unit() {
    return unit;
  }

  static @Nullable TimeUnit find(String text) {
    for (TimeUnit unit : values()) {
      if (unit.name().equals(text.toUpperCase(Locale.ROOT))) {
        return unit;
      }
    }
    return null;
  }
}
