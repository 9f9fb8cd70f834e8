package dev.varve.engine.write;

import com.dynatrace.hash4j.hashing.HashValue128;
import dev.varve.engine.periods.OpenDataset;
import dev.varve.engine.periods.PlacedLayout;
import dev.varve.engine.tables.Applier.Rejected;
import dev.varve.engine.write.UsedIndexCells.IndexTable;
import dev.varve.model.Resolution;
import dev.varve.store.CellBatch;
import dev.varve.store.Durability;
import dev.varve.store.MutationBatch;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Leaves out index cells that are already durable, and repeats those that another server may have
 * deleted. Safe for use by several threads.
 */
final class IndexCells {
  private static final Logger LOG = LoggerFactory.getLogger(IndexCells.class);
  private static final int REMEMBERED = 1 << 18;

  private final OpenDataset dataset;
  private final TableWriters tables;
  private final KnownCells known;

  /** Null if no other server can delete index cells. */
  private final @Nullable UsedIndexCells used;

  private final LongAdder skipped = new LongAdder();

  IndexCells(OpenDataset dataset, TableWriters tables) {
    this.dataset = dataset;
    this.tables = tables;
    boolean indexed = dataset.layouts().anyMatch(layout -> layout.layout().tables().size() > 1);
    boolean shared = dataset.config().attached() != null;
    this.known = new KnownCells(indexed ? REMEMBERED : 1);
    this.used = indexed && shared ? new UsedIndexCells(REMEMBERED) : null;
  }

  /**
   * Returns the index edits of a table that have to be applied.
   *
   * @param hashes receives the hashes of their cells, for {@link #remember}
   */
  MutationBatch unknown(
      PlacedLayout layout, int table, MutationBatch edits, List<HashValue128> hashes) {
    MutationBatch rest = new MutationBatch();
    for (int edit = 0; edit < edits.size(); edit++) {
      if (edits.edit(edit) != MutationBatch.Edit.PUT) {
        rest.addFrom(edits, edit);
        continue;
      }
      HashValue128 hash = KnownCells.hash(layout.slot(), table, edits.cells(), edit);
      boolean trusted =
          used == null || used.use(new IndexTable(layout.slot(), table), hash, edits, edit);
      if (!trusted || !known.has(hash)) {
        rest.addFrom(edits, edit);
        hashes.add(hash);
      }
    }
    skipped.add(edits.size() - rest.size());
    return rest;
  }

  /**
   * Remembers cells that are as durable as everything that is written after them. The caller has
   * held the lock of writers since it wrote them.
   */
  void remember(List<HashValue128> durable) {
    for (HashValue128 hash : durable) {
      known.add(hash);
    }
  }

  /** Forgets all cells. Nobody may write meanwhile. */
  void forget() {
    known.clear();
  }

  /** Returns how many cells were left out. */
  long skipped() {
    return skipped.sum();
  }

  /**
   * Repeats the writes of cells that recent samples rely on: another server may have deleted them
   * just before. Call this once all writes that had begun at the preceding call have ended.
   */
  void revisit() {
    if (used != null) {
      used.due().forEach(this::putAgain);
      used.turn();
    }
  }

  private void putAgain(IndexTable in, MutationBatch edits) {
    PlacedLayout layout =
        dataset.layouts().filter(one -> one.slot() == in.slot()).findFirst().orElseThrow();
    Resolution unit = layout.table(in.table()).spec().timeUnit();
    long time = Resolution.MICROSECONDS.convert(dataset.stamps(1), unit);
    MutationBatch again = new MutationBatch();
    CellBatch cells = edits.cells();
    for (int edit = 0; edit < edits.size(); edit++) {
      again.put(
          cells.row(edit), cells.family(edit), cells.qualifier(edit), time, cells.value(edit));
    }
    for (Rejected rejected : tables.apply(layout, in.table(), again, Durability.SYNCED)) {
      LOG.warn(
          "dataset '{}', layout '{}': the store rejects an index row: {}",
          dataset.name(),
          layout.name(),
          rejected.reason());
    }
  }
}
