package dev.varve.store.cassandra;

import java.time.Instant;
import java.time.InstantSource;

/**
 * The lifetime of cells by Cassandra's own clock. Cassandra stores the expiry time in 31 bits of
 * seconds and rejects writes that would expire later; such cells are kept forever.
 *
 * @param lifeSeconds lifetime in seconds; 0 for forever
 */
record TimeToLive(long lifeSeconds, InstantSource clock) {
  static final TimeToLive NEVER = new TimeToLive(0, InstantSource.system());

  /**
   * One day before the last expiry time that every file format can hold, to allow for clock skew.
   */
  static final Instant LAST_END = Instant.parse("2038-01-18T00:00:00Z");

  static TimeToLive of(long lifeSeconds) {
    return new TimeToLive(lifeSeconds, InstantSource.system());
  }

  /** Returns the TTL of cells that are put now, in seconds; 0 for none. */
  int seconds() {
    return lifeSeconds == 0 || clock.instant().plusSeconds(lifeSeconds).isAfter(LAST_END)
        ? 0
        : (int) lifeSeconds;
  }

  /**
   * Returns whether one lifetime is longer than another.
   *
   * @param life lifetime in seconds; 0 for forever
   */
  static boolean isLonger(long life, long other) {
    return other != 0 && (life == 0 || life > other);
  }

  /** Formats a lifetime for the log. */
  static String shown(long seconds) {
    return seconds == 0
        ? "ever"
        : seconds % 86_400 == 0 ? seconds / 86_400 + " days" : seconds + " s";
  }
}
