package dev.varve.query.promql.eval;

/** Thrown if a well-formed query cannot be evaluated on the given series. */
public final class PromQlEvaluationException extends RuntimeException {
  private static final long serialVersionUID = 1;

  PromQlEvaluationException(String message) {
    super(message);
  }
}
