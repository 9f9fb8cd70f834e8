package dev.varve.devstores;

import org.jspecify.annotations.Nullable;

/** A program could not be started, or what it needs is missing; the message says what to do. */
public final class DevStoreException extends RuntimeException {
  private static final long serialVersionUID = 1;

  public DevStoreException(String message) {
    this(message, null);
  }

  public DevStoreException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
