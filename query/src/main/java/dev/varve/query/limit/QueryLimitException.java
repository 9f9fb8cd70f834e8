package dev.varve.query.limit;

import dev.varve.engine.error.QueryRefusedException;
import dev.varve.model.ErrorKind;

/** Thrown if a query exceeds one of its {@link QueryLimits}. The message names the limit. */
public final class QueryLimitException extends QueryRefusedException {
  private static final long serialVersionUID = 1;

  public QueryLimitException(String message) {
    super(message);
  }

  @Override
  public ErrorKind kind() {
    return ErrorKind.LIMIT;
  }
}
