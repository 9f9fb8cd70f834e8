package dev.varve.server.http;

import dev.varve.model.ErrorKind;
import dev.varve.model.KnownError;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Thrown if there is no room in the {@link WriteBudget}. */
public final class OverBudgetException extends RuntimeException implements KnownError {
  private static final long serialVersionUID = 1;

  private final @Nullable Duration retryAfter;

  /**
   * Creates the exception.
   *
   * @param retryAfter time after which a retry is worthwhile; null if it never is
   */
  OverBudgetException(String message, @Nullable Duration retryAfter) {
    super(message);
    this.retryAfter = retryAfter;
  }

  @Override
  public @Nullable Duration retryAfter() {
    return retryAfter;
  }

  @Override
  public ErrorKind kind() {
    return retryAfter == null ? ErrorKind.LIMIT : ErrorKind.OVERLOADED;
  }
}
