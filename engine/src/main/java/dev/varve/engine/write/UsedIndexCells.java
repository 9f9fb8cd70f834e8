package dev.varve.engine.write;

import com.dynatrace.hash4j.hashing.HashValue128;
import dev.varve.store.MutationBatch;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * The index cells that samples were lately written behind, in tables that others write too. Another
 * server may have deleted such a cell, and the samples with it, just before a sample came that was
 * written because the cell was known to stand: nobody would ever find that sample. So these cells
 * are put once more when all writes that relied on them have ended, and one that was not used for
 * longer is not believed to stand. Safe for use by several threads.
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
  record Place(int slot, int table) {}

  private static final class Generation {
    private final Set<HashValue128> hashes = new HashSet<>();
    private final Map<Place, MutationBatch> cells = new HashMap<>();
  }

  /**
   * @param most as many cells as are kept between two turns
   */
  UsedIndexCells(int most) {
    this.most = most;
  }

  /**
   * Takes note that samples rely on a cell.
   *
   * @return false where it has to be put with the samples: where none relied on it in this turn or
   *     the one before, so that nothing has put it lately, and where no more can be kept
   */
  synchronized boolean use(Place place, HashValue128 hash, MutationBatch edits, int edit) {
    if (current.hashes.contains(hash)) {
      return true;
    }
    if (current.hashes.size() >= most) {
      return false;
    }
    current.hashes.add(hash);
    current.cells.computeIfAbsent(place, p -> new MutationBatch()).addFrom(edits, edit);
    return settling.hashes.contains(hash);
  }

  /** The cells of the turn before this one: what relied on them has been written by now. */
  synchronized Map<Place, MutationBatch> due() {
    return settling.cells;
  }

  /** Begins a new turn; what was due is done. */
  synchronized void turn() {
    settling = current;
    current = new Generation();
  }
}
