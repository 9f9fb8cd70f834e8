package dev.varve.query.promql.eval;

/** A query that is well formed cannot be answered for what its series are. */
public final class PromQlEvaluationException extends RuntimeException {
  private static final long serialVersionUID = 1;

  PromQlEvaluationException(String message) {
    super(message);
  }
}
