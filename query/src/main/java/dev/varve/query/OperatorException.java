package dev.varve.query;

import dev.varve.engine.QueryRefusedException;

/**
 * An operator of a plan met samples that it cannot work on. Whether it does depends on the data, so
 * that it may come after the first series has been handed on.
 */
public final class OperatorException extends QueryRefusedException {
  private static final long serialVersionUID = 1;

  public OperatorException(String message) {
    super(message);
  }
}
