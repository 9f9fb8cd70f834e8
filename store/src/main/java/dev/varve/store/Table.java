package dev.varve.store;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * An open table of cells. Safe for use by several threads; calls block. Closing it ends no cursor
 * of it that is still open.
 */
public interface Table extends AutoCloseable {
  TableSpec spec();

  /**
   * Applies a batch: each mutation whole or not at all, those of one row in their order, the rows
   * in no promised one.
   *
   * @return one outcome a mutation, in the order of the batch; an empty list where all were
   *     applied, which is the usual end
   * @throws StoreException only where the store is closed; every other failure is an outcome
   */
  List<RowOutcome> apply(MutationBatch batch, Durability durability);

  /**
   * Starts a read. It sees every write that was applied before.
   *
   * @param resume where an earlier read of the same plan stopped, or null to start
   */
  CellCursor read(ReadPlan plan, @Nullable ResumeToken resume);

  /** An optional power of this table, where it has it ({@link Capabilities}). */
  <P extends Power> Optional<P> power(Class<P> power);

  @Override
  void close();
}
