package dev.varve.engine.write;

import com.dynatrace.hash4j.hashing.HashValue128;
import dev.varve.store.MutationBatch;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * The index cells that recent samples rely on, in tables that other servers write to. Another
 * server may have deleted such a cell with its samples just before we wrote a sample without the
 * cell, because we had written the cell earlier. Nobody would ever find that sample. Therefore
 * these cells are written again when all writes that relied on them have ended. A cell that was not
 * used recently is written with the next sample. Safe for use by several threads.
 */
final class UsedIndexCells {
  private final int most;

  private Generation current = new Generation();
  private Generation settling = new Generation();

  /**
   * A table of a layout.
   *
   * @param slot of the layout
   */
  record IndexTable(int slot, int table) {}

  private static final class Generation {
    private final Set<HashValue128> hashes = new HashSet<>();
    private final Map<IndexTable, MutationBatch> cells = new HashMap<>();
  }

  /**
   * @param most maximum number of cells kept between two turns
   */
  UsedIndexCells(int most) {
    this.most = most;
  }

  /**
   * Records that samples rely on a cell.
   *
   * @return false if the cell must be written with the samples: no sample relied on it in this turn
   *     or the preceding one, or no more cells can be kept
   */
  synchronized boolean use(IndexTable table, HashValue128 hash, MutationBatch edits, int edit) {
    if (current.hashes.contains(hash)) {
      return true;
    }
    if (current.hashes.size() >= most) {
      return false;
    }
    current.hashes.add(hash);
    current.cells.computeIfAbsent(table, t -> new MutationBatch()).addFrom(edits, edit);
    return settling.hashes.contains(hash);
  }

  /** Returns the cells of the preceding turn, whose writes have ended. */
  synchronized Map<IndexTable, MutationBatch> due() {
    return settling.cells;
  }

  /** Starts a new turn and forgets the cells that were due. */
  synchronized void turn() {
    settling = current;
    current = new Generation();
  }
}
