package dev.varve.server.security;

import dev.varve.server.http.HttpError;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Limits the requests to the whole server, as {@code rate_limit} says. Thread-safe. */
final class RequestRate {
  private final long interval;
  private final long burst;
  private long next = System.nanoTime();

  private RequestRate(long interval, long burst) {
    this.interval = interval;
    this.burst = burst;
  }

  static @Nullable RequestRate of(WebConfig.@Nullable RateLimit limit) {
    return limit == null
        ? null
        : new RequestRate(limit.interval().toNanos(), Math.max(1, limit.burst()));
  }

  /**
   * Counts a request.
   *
   * @throws HttpError 429 if it comes too early
   */
  synchronized void take() {
    long now = System.nanoTime();
    long from = Math.max(next - now, -interval * (burst - 1)) + now;
    if (from - now > 0) {
      throw new HttpError(
          429, "the server takes no more requests a second", Duration.ofNanos(from - now));
    }
    next = from + interval;
  }
}
