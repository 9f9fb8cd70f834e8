package dev.varve.cli;

import dev.varve.model.ErrorKind;
import dev.varve.model.KnownError;

/** A command was called in a way that it has no meaning for. The exit code is 2. */
public final class WrongCallException extends RuntimeException implements KnownError {
  private static final long serialVersionUID = 1;

  public WrongCallException(String message) {
    super(message);
  }

  @Override
  public ErrorKind kind() {
    return ErrorKind.USER;
  }
}
