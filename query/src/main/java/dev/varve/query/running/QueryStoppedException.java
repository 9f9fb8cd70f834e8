package dev.varve.query.running;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A query was not let in, or was ended before it had its result. */
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

  /** Why: one of TIMEOUT, KILLED, GONE and BUSY. */
  public Outcome outcome() {
    return outcome;
  }

  /** After what time another try is worth it; null where it is not. */
  public @Nullable Duration retryAfter() {
    return retryAfter;
  }
}
