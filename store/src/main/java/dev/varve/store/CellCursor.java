package dev.varve.store;

import org.jspecify.annotations.Nullable;

/**
 * Delivers the cells of a {@link ReadPlan} page by page. One thread reads and closes it; any thread
 * may call {@link #cancel()}. Closing twice is allowed.
 */
public interface CellCursor extends AutoCloseable {
  /**
   * Clears the batch and fills it with the next page of cells: at most {@link Limits#PAGE_BYTES}
   * and one cell.
   *
   * @return false if there are no more cells; the batch is then empty
   * @throws ReadCancelledException within 100 ms of a cancel
   * @throws BudgetExceededException if the next cells would exceed the plan's budget
   * @throws StoreException if the store fails
   */
  boolean next(CellBatch into);

  /** Returns the position after the last delivered cell, or null before the first. */
  @Nullable ResumeToken token();

  /** Returns the rows, cells, bytes and requests that the pages so far have cost. */
  ReadCost cost();

  /** Makes the current call of {@link #next}, and all later ones, fail. */
  void cancel();

  @Override
  void close();
}
