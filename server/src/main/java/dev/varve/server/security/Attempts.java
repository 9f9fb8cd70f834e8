package dev.varve.server.security;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.varve.server.http.ClientAddress;
import dev.varve.server.http.HttpError;
import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * Limits failed logins per client and user, and per client in total. A client that fails as one
 * user does therefore not lock out the others behind its address. Thread-safe.
 */
final class Attempts {
  /** Failures of one client as one user before the limit applies. */
  static final int PER_USER = 10;

  /** Failures of one client before the limit applies. */
  static final int PER_CLIENT = 100;

  /** Time after which one failure as one user is forgiven. */
  static final Duration FORGIVEN = Duration.ofSeconds(6);

  private static final int KEYS_MAX = 10_000;
  private static final int NAME_MAX = 100;

  private record Key(ClientAddress client, String user) {}

  private final LongSupplier nanos;
  private final Buckets<Key> perUser = new Buckets<>(PER_USER, FORGIVEN);
  private final Buckets<ClientAddress> perClient =
      new Buckets<>(PER_CLIENT, FORGIVEN.dividedBy(10));

  /**
   * @param nanos the time, as {@link System#nanoTime}
   */
  Attempts(LongSupplier nanos) {
    this.nanos = nanos;
  }

  private static Key key(ClientAddress client, String user) {
    return new Key(client, user.length() > NAME_MAX ? user.substring(0, NAME_MAX) : user);
  }

  /**
   * Checks that a client may try to log in as a user.
   *
   * @throws HttpError 429 if it has failed too often
   */
  void require(ClientAddress client, String user) {
    long now = nanos.getAsLong();
    long wait = Math.max(perUser.wait(key(client, user), now), perClient.wait(client, now));
    if (wait > 0) {
      throw new HttpError(429, "too many failed logins from this address", Duration.ofNanos(wait));
    }
  }

  /** Records a failure. */
  void failed(ClientAddress client, String user) {
    long now = nanos.getAsLong();
    perUser.failed(key(client, user), now);
    perClient.failed(client, now);
  }

  /** Failures by key. */
  private static final class Buckets<K> {
    private final int burst;
    private final long every;

    /** Time at which all failures of a key are forgiven, in ns as {@link System#nanoTime}. */
    private final Cache<K, Long> forgiven;

    Buckets(int burst, Duration every) {
      this.burst = burst;
      this.every = every.toNanos();
      this.forgiven =
          Caffeine.newBuilder()
              .maximumSize(KEYS_MAX)
              .expireAfterWrite(every.multipliedBy(burst + 1))
              .build();
    }

    /**
     * Returns the time until the next permitted attempt in ns; negative or 0 if it may be made now.
     */
    long wait(K key, long now) {
      Long end = forgiven.getIfPresent(key);
      return end == null ? 0 : end - now - every * (burst - 1);
    }

    void failed(K key, long now) {
      forgiven
          .asMap()
          .merge(key, now + every, (old, first) -> Math.max(old - now, 0) + now + every);
    }
  }
}
