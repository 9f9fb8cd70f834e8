package dev.varve.store;

import dev.varve.model.ErrorKind;
import dev.varve.model.KnownError;

/** Thrown by a read that was cancelled. */
public final class ReadCancelledException extends RuntimeException implements KnownError {
  private static final long serialVersionUID = 1;

  public ReadCancelledException() {
    super("the read was cancelled");
  }

  @Override
  public ErrorKind kind() {
    return ErrorKind.CANCELLED;
  }
}
