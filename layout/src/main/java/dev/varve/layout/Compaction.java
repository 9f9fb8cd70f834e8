package dev.varve.layout;

import dev.varve.store.CellBatch;
import dev.varve.store.MutationBatch;

/**
 * Merges the many cells of a row into fewer equivalent ones, for layouts that have such a form.
 * Pure.
 *
 * <p>The result may coexist with what it replaces: a row to which only the puts, or the puts and
 * some deletes, were applied decodes to the same samples as before.
 */
public interface Compaction {
  /**
   * Compacts a row.
   *
   * @param cells all cells of the row, from {@code from} (inclusive) to {@code to} (exclusive)
   * @param now milliseconds since 1970; rows that still receive samples are left alone
   * @param out receives the puts, then the deletes
   * @return whether there is anything to write
   * @throws DamagedCellException if the row is damaged; {@code out} then contains nothing of it
   */
  boolean compact(CellBatch cells, int from, int to, long now, MutationBatch out);
}
