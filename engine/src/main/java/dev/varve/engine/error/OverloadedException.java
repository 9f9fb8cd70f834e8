package dev.varve.engine.error;

import dev.varve.model.ErrorKind;
import dev.varve.model.KnownError;
import java.time.Duration;

/** Thrown if the engine is overloaded. No part of the request was carried out. */
public final class OverloadedException extends RuntimeException implements KnownError {
  private static final long serialVersionUID = 1;

  private final Duration retryAfter;

  public OverloadedException(String message, Duration retryAfter) {
    super(message);
    this.retryAfter = retryAfter;
  }

  /** Returns the delay after which a retry is worthwhile. */
  @Override
  public Duration retryAfter() {
    return retryAfter;
  }

  @Override
  public ErrorKind kind() {
    return ErrorKind.OVERLOADED;
  }
}
