package dev.varve.store;

import org.jspecify.annotations.Nullable;

/**
 * Delivers the cells of a {@link ReadPlan}, page by page. Pulled and closed by one thread; {@link
 * #cancel()} may come from any. Closing twice is allowed.
 */
public interface CellCursor extends AutoCloseable {
  /**
   * Clears the batch and fills it with the next cells.
   *
   * @return false where there are no more; the batch is empty then
   * @throws ReadCancelledException within 100 ms of a cancel
   * @throws BudgetExceededException if the next cells would cost more than the plan allows
   * @throws StoreException if the store fails
   */
  boolean next(CellBatch into);

  /** The place behind the last cell delivered, or null before the first. */
  @Nullable ResumeToken token();

  ReadCost cost();

  /** Makes the pull under way, and every later one, fail. */
  void cancel();

  @Override
  void close();
}
