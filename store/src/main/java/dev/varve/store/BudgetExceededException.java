package dev.varve.store;

/** Thrown when a read would exceed its plan's budget. */
public final class BudgetExceededException extends StoreException {
  private static final long serialVersionUID = 1;

  public BudgetExceededException(Budget budget, ReadCost cost) {
    super(
        "the read exceeds its budget of %d cells and %d bytes: it stopped after %d cells and %d bytes"
            .formatted(budget.cellsRead(), budget.bytesRead(), cost.cellsRead(), cost.bytesRead()));
  }
}
