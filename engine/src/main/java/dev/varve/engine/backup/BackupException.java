package dev.varve.engine.backup;

import dev.varve.model.ErrorKind;
import dev.varve.model.KnownError;

/** Thrown if a backup cannot be made, read or restored. The message names the remedy. */
public final class BackupException extends RuntimeException implements KnownError {
  private static final long serialVersionUID = 1;

  public BackupException(String message) {
    super(message);
  }

  BackupException(String message, Throwable cause) {
    super(message, cause);
  }

  @Override
  public ErrorKind kind() {
    return ErrorKind.USER;
  }
}
