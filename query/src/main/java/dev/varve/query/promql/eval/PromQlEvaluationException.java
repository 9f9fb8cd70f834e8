package dev.varve.query.promql.eval;

import dev.varve.model.ErrorKind;
import dev.varve.model.KnownError;

/** Thrown if a well-formed query cannot be evaluated on the given series. */
public final class PromQlEvaluationException extends RuntimeException implements KnownError {
  private static final long serialVersionUID = 1;

  PromQlEvaluationException(String message) {
    super(message);
  }

  @Override
  public ErrorKind kind() {
    return ErrorKind.USER;
  }
}
