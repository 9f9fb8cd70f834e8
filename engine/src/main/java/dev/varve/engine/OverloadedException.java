package dev.varve.engine;

import java.time.Duration;

/** The engine has as much work as it takes; nothing of the request was done. */
public final class OverloadedException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final Duration retryAfter;

  public OverloadedException(String message, Duration retryAfter) {
    super(message);
    this.retryAfter = retryAfter;
  }

  /** After what time another try is worth it. */
  public Duration retryAfter() {
    return retryAfter;
  }
}
