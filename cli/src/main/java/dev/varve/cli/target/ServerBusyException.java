package dev.varve.cli.target;

import dev.varve.model.ErrorKind;
import dev.varve.model.KnownError;

/** Thrown if a server is overloaded. The request may be sent again. */
public final class ServerBusyException extends RuntimeException implements KnownError {
  private static final long serialVersionUID = 1;

  public ServerBusyException(String message) {
    super(message);
  }

  @Override
  public ErrorKind kind() {
    return ErrorKind.OVERLOADED;
  }
}
