package dev.varve.engine;

import dev.varve.model.ErrorKind;
import dev.varve.model.KnownError;

/** A cell is not what its layout writes. The message names table, row and place. */
public final class CorruptDataException extends RuntimeException implements KnownError {
  private static final long serialVersionUID = 1;

  public CorruptDataException(String message) {
    super(message);
  }

  @Override
  public ErrorKind kind() {
    return ErrorKind.CORRUPT;
  }
}
