package dev.varve.layout;

import dev.varve.model.ErrorKind;
import dev.varve.model.KnownError;

/** Thrown if a row key, qualifier or value is not in the layout's format. */
public final class DamagedCellException extends RuntimeException implements KnownError {
  private static final long serialVersionUID = 1;

  private final String reason;

  /**
   * Creates an exception.
   *
   * @param reason names the coordinate, the position of the byte, what was found and what was
   *     expected
   */
  public DamagedCellException(String reason) {
    super(reason);
    this.reason = reason;
  }

  @Override
  public String getMessage() {
    return reason;
  }

  @Override
  public ErrorKind kind() {
    return ErrorKind.CORRUPT;
  }
}
