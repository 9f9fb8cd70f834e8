package dev.varve.layout;

import dev.varve.store.CellBatch;
import dev.varve.store.MutationBatch;

/**
 * Turns the many cells of a row into few that say the same, where a layout has a form for that.
 * Pure.
 *
 * <p>What it writes may stand beside what it replaces: a row of which only the puts were applied,
 * or those and some of the deletes, decodes to the same samples as before.
 */
public interface Compaction {
  /**
   * Compacts a row.
   *
   * @param cells all cells of the row, from {@code from} to {@code to} (exclusive)
   * @param now milliseconds since 1970; rows that still fill up are left alone
   * @param out takes the puts and then the deletes
   * @return whether anything is to be written
   * @throws DamagedCellException if the row is damaged; {@code out} has nothing of it then
   */
  boolean compact(CellBatch cells, int from, int to, long now, MutationBatch out);
}
