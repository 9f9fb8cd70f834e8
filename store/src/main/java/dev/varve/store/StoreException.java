package dev.varve.store;

import dev.varve.model.ErrorKind;
import dev.varve.model.KnownError;
import org.jspecify.annotations.Nullable;

/** Thrown if a store fails or receives a request that it does not support. */
public class StoreException extends RuntimeException implements KnownError {
  private static final long serialVersionUID = 1;

  private final boolean unknown;

  public StoreException(String message) {
    this(message, null, false);
  }

  public StoreException(String message, @Nullable Throwable cause) {
    this(message, cause, false);
  }

  public StoreException(String message, @Nullable Throwable cause, boolean unknown) {
    super(message, cause);
    this.unknown = unknown;
  }

  /** Returns whether the failed write may nevertheless have been applied. */
  public final boolean unknown() {
    return unknown;
  }

  @Override
  public ErrorKind kind() {
    return ErrorKind.UNAVAILABLE;
  }
}
