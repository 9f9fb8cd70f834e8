package dev.varve.layout.declared;

import java.time.Duration;
import java.util.Locale;

/** The width of a bucket. */
public sealed interface BucketWidth {
  String text();

  /** Buckets of equal length, counted from 1970-01-01T00:00:00Z. */
  record Fixed(Duration length) implements BucketWidth {
    @Override
    public String text() {
      return TimeText.of(length);
    }
  }

  /** Calendar buckets in UTC. */
  record Calendar(CalendarUnit unit) implements BucketWidth {
    @Override
    public String text() {
      return unit.text();
    }
  }

  /** The units of calendar buckets. */
  enum CalendarUnit {
    DAY,
    /** The ISO 8601 week, which starts on Monday. */
    WEEK,
    MONTH,
    YEAR;

    public String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }
}
