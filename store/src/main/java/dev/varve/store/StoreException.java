package dev.varve.store;

import org.jspecify.annotations.Nullable;

/** A store failed, or was asked for what it cannot do. */
public class StoreException extends RuntimeException {
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

  /** Whether a write that failed so may have been applied all the same. */
  public final boolean unknown() {
    return unknown;
  }
}
