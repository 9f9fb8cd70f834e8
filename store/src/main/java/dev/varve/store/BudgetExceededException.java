package dev.varve.store;

import dev.varve.model.ErrorKind;
import dev.varve.model.KnownError;

/** Thrown when a read would exceed its plan's budget. */
public final class BudgetExceededException extends RuntimeException implements KnownError {
  private static final long serialVersionUID = 1;

  public BudgetExceededException(Budget budget, ReadCost cost) {
    super(
        "the read exceeds its budget of %d cells and %d bytes: it stopped after %d cells and %d bytes"
            .formatted(budget.cellsRead(), budget.bytesRead(), cost.cellsRead(), cost.bytesRead()));
  }

  @Override
  public ErrorKind kind() {
    return ErrorKind.LIMIT;
  }
}
