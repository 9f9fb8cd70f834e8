package dev.varve.formats.points;

import dev.varve.model.ErrorKind;
import dev.varve.model.KnownError;

/** Thrown if a line is not in the point form. The message has the place and the expected form. */
public final class PointFormatException extends RuntimeException implements KnownError {
  private static final long serialVersionUID = 1;

  public PointFormatException(String message) {
    super(message);
  }

  @Override
  public ErrorKind kind() {
    return ErrorKind.USER;
  }
}
