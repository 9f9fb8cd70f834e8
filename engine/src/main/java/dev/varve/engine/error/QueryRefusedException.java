package dev.varve.engine.error;

import dev.varve.model.ErrorKind;
import dev.varve.model.KnownError;

/**
 * A query is refused because it would scan a whole table, exceeds a limit, or asks for something
 * that the layout does not hold. The message suggests a remedy.
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
