package dev.varve.layout.plan;

import dev.varve.model.ErrorKind;
import dev.varve.model.KnownError;

/**
 * Thrown if a query cannot be planned, or only at an unacceptable cost. The message says what would
 * be required.
 */
public sealed class PlanRefusedException extends RuntimeException implements KnownError
    permits WholeTableScanException {
  private static final long serialVersionUID = 1;

  public PlanRefusedException(String message) {
    super(message);
  }

  @Override
  public ErrorKind kind() {
    return ErrorKind.USER;
  }
}
