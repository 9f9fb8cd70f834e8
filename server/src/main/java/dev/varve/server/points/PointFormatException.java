package dev.varve.server.points;

import dev.varve.model.ErrorKind;
import dev.varve.model.KnownError;

/** A line is not of the point form. The message says where and what would be right. */
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
