package dev.varve.formats.text;

import dev.varve.model.ErrorKind;
import dev.varve.model.KnownError;

/**
 * Thrown if a line is not in its format. The message says what is wrong and what would be right. It
 * has no stack trace, since bad lines may be many.
 */
public sealed class BadLineException extends RuntimeException implements KnownError
    permits OpenTextException {
  private static final long serialVersionUID = 1;

  public BadLineException(String message) {
    super(message, null, false, false);
  }

  @Override
  public ErrorKind kind() {
    return ErrorKind.USER;
  }
}
