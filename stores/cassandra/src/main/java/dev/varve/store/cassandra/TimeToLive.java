package dev.varve.store.cassandra;

import java.time.Instant;
import java.time.InstantSource;

/**
 * How long cells live by Cassandra's own clock. It counts the end of a life in 31 bits of seconds,
 * and refuses a write whose end lies beyond; such cells are kept for ever.
 *
 * @param lifeSeconds 0 for ever
 */
record TimeToLive(long lifeSeconds, InstantSource clock) {
  static final TimeToLive NEVER = new TimeToLive(0, InstantSource.system());

  /** A day before the last end that every format of files can hold: clocks differ. */
  static final Instant LAST_END = Instant.parse("2038-01-18T00:00:00Z");

  static TimeToLive of(long lifeSeconds) {
    return new TimeToLive(lifeSeconds, InstantSource.system());
  }

  /** The TTL of what is put now; 0 for none. */
  int seconds() {
    return lifeSeconds == 0 || clock.instant().plusSeconds(lifeSeconds).isAfter(LAST_END)
        ? 0
        : (int) lifeSeconds;
  }

  /**
   * Whether one life, in seconds, is longer than another.
   *
   * @param life 0 for ever
   */
  static boolean isLonger(long life, long other) {
    return other != 0 && (life == 0 || life > other);
  }

  /** A life in words, for the log. */
  static String shown(long seconds) {
    return seconds == 0
        ? "ever"
        : seconds % 86_400 == 0 ? seconds / 86_400 + " days" : seconds + " s";
  }
}
