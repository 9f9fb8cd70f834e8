package dev.varve.layout.declared;

import java.time.Duration;
import java.util.Locale;

/** How long a bucket is. */
public sealed interface BucketWidth {
  String text();

  /** Stretches of one length, counted from 1970-01-01T00:00:00Z on. */
  record Fixed(Duration length) implements BucketWidth {
    @Override
    public String text() {
      return TimeText.of(length);
    }
  }

  /** Stretches of the calendar, in UTC. */
  record Calendar(CalendarUnit unit) implements BucketWidth {
    @Override
    public String text() {
      return unit.text();
    }
  }

  /** Which stretches of the calendar. */
  enum CalendarUnit {
    DAY,
    /** The week of ISO 8601, from Monday on. */
    WEEK,
    MONTH,
    YEAR;

    public String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }
}
