package dev.varve.layout.plan;

/** A query could only be answered by reading a whole table, which nobody allowed. */
public final class WholeTableScanException extends PlanRefusedException {
  private static final long serialVersionUID = 1;

  public WholeTableScanException(String message) {
    super(message);
  }
}
