package dev.varve.engine.error;

import dev.varve.model.ErrorKind;
import dev.varve.model.KnownError;

/**
 * A write did not become durable. Parts of it may have been applied; the same batch can be written
 * again.
 */
public final class WriteFailedException extends RuntimeException implements KnownError {
  private static final long serialVersionUID = 1;

  private final boolean unknown;

  public WriteFailedException(String message, boolean unknown) {
    super(message);
    this.unknown = unknown;
  }

  /**
   * Returns whether the outcome is unknown. If false, edits that the store refused were not
   * applied.
   */
  public boolean unknown() {
    return unknown;
  }

  @Override
  public ErrorKind kind() {
    return ErrorKind.UNAVAILABLE;
  }
}
