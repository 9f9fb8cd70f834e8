package dev.varve.layout.kairosdb;

import java.time.Instant;

/** Formats times for human readers. */
final class Times {
  private Times() {}

  /** Returns the instant in UTC, followed by its milliseconds since 1970 in parentheses. */
  static String show(long millis) {
    return Instant.ofEpochMilli(millis) + " (" + millis + ")";
  }
}
