package dev.varve.devstores;

import org.jspecify.annotations.Nullable;

/**
 * Thrown if a program cannot be started or a prerequisite is missing; the message says what to do.
 */
public final class DevStoreException extends RuntimeException {
  private static final long serialVersionUID = 1;

  public DevStoreException(String message) {
    this(message, null);
  }

  public DevStoreException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
