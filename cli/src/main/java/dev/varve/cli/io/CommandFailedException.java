package dev.varve.cli.io;

import dev.varve.model.ErrorKind;
import dev.varve.model.KnownError;

/** Thrown if a command fails. The message is for the user; the exit code is 1. */
public class CommandFailedException extends RuntimeException implements KnownError {
  private static final long serialVersionUID = 1;

  public CommandFailedException(String message) {
    super(message);
  }

  @Override
  public ErrorKind kind() {
    return ErrorKind.USER;
  }
}
