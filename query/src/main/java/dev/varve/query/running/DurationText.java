package dev.varve.query.running;

import java.time.Duration;

/** Formats durations for messages. */
final class DurationText {
  private DurationText() {}

  static String text(Duration duration) {
    return duration.toMillis() % 1000 == 0
        ? duration.toSeconds() + " s"
        : duration.toMillis() + " ms";
  }
}
