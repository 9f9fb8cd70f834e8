package dev.varve.layout.plan;

import dev.varve.model.ErrorKind;
import dev.varve.model.KnownError;

/**
 * A query cannot be planned, or only as something nobody should run. The message says what it would
 * take.
 */
public sealed class PlanRefusedException extends RuntimeException implements KnownError permits WholeTableScanException {
  private static final long serialVersionUID = 1;

  public PlanRefusedException(String message) {
    super(message);
  }

  @Override
  public ErrorKind kind() {
    return ErrorKind.USER;
  }
}
