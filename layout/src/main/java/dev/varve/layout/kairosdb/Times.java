package dev.varve.layout.kairosdb;

import java.time.Instant;

/** Times for people. */
final class Times {
  private Times() {}

  /** The instant in UTC, and its milliseconds. */
  static String show(long millis) {
    return Instant.ofEpochMilli(millis) + " (" + millis + ")";
  }
}
