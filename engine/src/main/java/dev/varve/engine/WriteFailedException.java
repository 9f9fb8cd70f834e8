package dev.varve.engine;

import dev.varve.model.ErrorKind;
import dev.varve.model.KnownError;

/**
 * A write did not reach its durability. Some of it may stand all the same; the same batch may be
 * written again as it is.
 */
public final class WriteFailedException extends RuntimeException implements KnownError {
  private static final long serialVersionUID = 1;

  private final boolean unknown;

  public WriteFailedException(String message, boolean unknown) {
    super(message);
    this.unknown = unknown;
  }

  /** Whether nobody knows what of it stands; else what was refused by the store surely does not. */
  public boolean unknown() {
    return unknown;
  }

  @Override
  public ErrorKind kind() {
    return ErrorKind.UNAVAILABLE;
  }
}
