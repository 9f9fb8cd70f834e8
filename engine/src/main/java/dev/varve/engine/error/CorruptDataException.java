package dev.varve.engine.error;

import dev.varve.model.ErrorKind;
import dev.varve.model.KnownError;

/**
 * A cell is damaged: its layout cannot decode it. The message names the table, the row and the
 * place.
 */
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
