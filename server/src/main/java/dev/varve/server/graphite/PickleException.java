package dev.varve.server.graphite;

import dev.varve.model.ErrorKind;
import dev.varve.model.KnownError;

/**
 * Thrown if a frame is not a pickle of samples. The message names the bytes found and their offset.
 * It carries no stack, since bad frames may be many.
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
