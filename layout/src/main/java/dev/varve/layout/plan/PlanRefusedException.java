package dev.varve.layout.plan;

/**
 * A query cannot be planned, or only as something nobody should run. The message says what it would
 * take.
 */
public sealed class PlanRefusedException extends RuntimeException permits WholeTableScanException {
  private static final long serialVersionUID = 1;

  public PlanRefusedException(String message) {
    super(message);
  }
}
