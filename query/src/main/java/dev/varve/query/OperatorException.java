package dev.varve.query;

import dev.varve.engine.error.QueryRefusedException;

/**
 * Thrown if an operator of a plan receives samples that it cannot process. As this depends on the
 * data, it may happen after the first series has been passed on.
 */
public final class OperatorException extends QueryRefusedException {
  private static final long serialVersionUID = 1;

  public OperatorException(String message) {
    super(message);
  }
}
