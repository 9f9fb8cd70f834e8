package dev.varve.engine;

import dev.varve.model.ErrorKind;
import dev.varve.model.KnownError;

/**
 * A query is not run as it stands: it would scan a whole table, exceeds a limit, or asks for what
 * the layout does not hold. The message says what would help.
 */
public class QueryRefusedException extends RuntimeException implements KnownError {
  private static final long serialVersionUID = 1;

  public QueryRefusedException(String message) {
    super(message);
  }

  @Override
  public ErrorKind kind() {
    return ErrorKind.USER;
  }
}
