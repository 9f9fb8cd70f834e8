package dev.varve.server.heroic.error;

import dev.varve.model.ErrorKind;
import dev.varve.model.KnownError;

/** Thrown if a query needs more than its limits allow. */
public final class LimitExceededException extends RuntimeException implements KnownError {
  private static final long serialVersionUID = 1;

  private final Limit limit;

  public LimitExceededException(Limit limit, String message) {
    super(message);
    this.limit = limit;
  }

  /** Returns the exceeded limit. */
  public Limit limit() {
    return limit;
  }

  @Override
  public ErrorKind kind() {
    return ErrorKind.LIMIT;
  }
}
