package dev.varve.server.graphite;

import dev.varve.model.ErrorKind;
import dev.varve.model.KnownError;

/**
 * A frame is no pickle of samples. The message says what stands there and where; it carries no
 * stack, since bad frames may be many.
 */
final class PickleException extends RuntimeException implements KnownError {
  private static final long serialVersionUID = 1;

  PickleException(String message) {
    super(message, null, false, false);
  }

  @Override
  public ErrorKind kind() {
    return ErrorKind.USER;
  }
}
