package dev.varve.server.http;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A write that finds no room in the {@link WriteBudget}. */
public final class OverBudgetException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final @Nullable Duration retryAfter;

  /**
   * @param retryAfter after what time another try is worth it; null where none ever is
   */
  OverBudgetException(String message, @Nullable Duration retryAfter) {
    super(message);
    this.retryAfter = retryAfter;
  }

  /** 413 for what can never fit, 503 for what may fit later. */
  public int status() {
    return retryAfter == null ? 413 : 503;
  }

  /** After what time another try is worth it; null where none ever is. */
  public @Nullable Duration retryAfter() {
    return retryAfter;
  }
}
