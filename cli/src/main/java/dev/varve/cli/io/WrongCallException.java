package dev.varve.cli.io;

import dev.varve.model.ErrorKind;
import dev.varve.model.KnownError;

/** Thrown if the arguments of a command make no sense together. The exit code is 2. */
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
