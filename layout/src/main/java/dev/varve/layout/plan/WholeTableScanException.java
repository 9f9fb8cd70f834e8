package dev.varve.layout.plan;

/** Thrown if a query requires a scan of a whole table but does not allow one. */
public final class WholeTableScanException extends PlanRefusedException {
  private static final long serialVersionUID = 1;

  public WholeTableScanException(String message) {
    super(message);
  }
}
