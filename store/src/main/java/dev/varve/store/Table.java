package dev.varve.store;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * An open table of cells. Safe for use by several threads; calls block. Closing a table does not
 * end its open cursors.
 */
public interface Table extends AutoCloseable {
  TableSpec spec();

  /**
   * Applies a batch. Each mutation is applied as a whole or not at all. Mutations of one row are
   * applied in order; the order across rows is unspecified.
   *
   * @return one outcome for each mutation, in batch order; empty if all were applied, the usual
   *     case
   * @throws StoreException only if the store is closed; any other failure is an outcome
   */
  List<RowOutcome> apply(MutationBatch batch, Durability durability);

  /**
   * Starts a read that sees every write applied before it.
   *
   * @param resume the position where an earlier read of the same plan stopped, or null to start at
   *     the beginning
   */
  CellCursor read(ReadPlan plan, @Nullable ResumeToken resume);

  /** Returns an optional power of this table, if the table has it ({@link Capabilities}). */
  <P extends Power> Optional<P> power(Class<P> power);

  @Override
  void close();
}
