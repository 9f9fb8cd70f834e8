package dev.varve.query.running;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Thrown if a query was not admitted, or was stopped before it had its result. */
public final class QueryStoppedException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final Outcome outcome;
  private final @Nullable Duration retryAfter;

  QueryStoppedException(
      Outcome outcome, String message, @Nullable Duration retryAfter, @Nullable Throwable cause) {
    super(message, cause);
    this.outcome = outcome;
    this.retryAfter = retryAfter;
  }

  /** Returns the reason: TIMEOUT, KILLED, GONE or BUSY. */
  public Outcome outcome() {
    return outcome;
  }

  /** Returns the time after which a retry is worthwhile; null if it is not. */
  public @Nullable Duration retryAfter() {
    return retryAfter;
  }
}
