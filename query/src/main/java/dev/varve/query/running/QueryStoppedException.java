package dev.varve.query.running;

import dev.varve.model.ErrorKind;
import dev.varve.model.KnownError;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Thrown if a query was not admitted, or was stopped before it had its result. */
public final class QueryStoppedException extends RuntimeException implements KnownError {
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

  @Override
  public @Nullable Duration retryAfter() {
    return retryAfter;
  }

  @Override
  public ErrorKind kind() {
    return switch (outcome) {
      case TIMEOUT -> ErrorKind.LIMIT;
      case BUSY -> ErrorKind.OVERLOADED;
      case KILLED, GONE -> ErrorKind.CANCELLED;
      case OK, REFUSED, LIMIT, FAILED -> throw new IllegalStateException(outcome.toString());
    };
  }
}
