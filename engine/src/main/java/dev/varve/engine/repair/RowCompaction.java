package dev.varve.engine.repair;

import dev.varve.engine.periods.OpenDataset;
import dev.varve.engine.periods.PlacedLayout;
import dev.varve.engine.progress.CompactionProgress;
import dev.varve.engine.read.RowWalk;
import dev.varve.engine.write.TableWriters;
import dev.varve.layout.Compaction;
import dev.varve.layout.DamagedCellException;
import dev.varve.model.Bytes;
import dev.varve.store.CellBatch;
import dev.varve.store.CellCursor;
import dev.varve.store.FamilySelect;
import dev.varve.store.MutationBatch;
import dev.varve.store.ReadPlan;
import dev.varve.store.Slice;
import dev.varve.store.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Compacts the rows of some series. Used once, by one thread, while other threads write.
 *
 * <p>Rows that the walk finds worth compacting are read again, a few at a time, while writes are
 * blocked; only then does a row contain all samples accepted before. The new cell is written before
 * the cells that it replaces are deleted, so a crash between the two loses nothing.
 */
public final class RowCompaction {
  /** Number of rows rewritten at once, while writers wait. */
  private static final int ROWS_AT_ONCE = 32;

  /** Number of rows between progress reports. */
  private static final int ROWS_BETWEEN_NEWS = 1000;

  private final OpenDataset dataset;
  private final TableWriters tables;
  private final Consumer<CompactionProgress> progress;
  private final BooleanSupplier stopped;
  private final List<Bytes> waiting = new ArrayList<>();
  private final List<String> damages = new ArrayList<>();
  private final MutationBatch edits = new MutationBatch();
  private long rows;
  private long compacted;
  private long written;
  private long deleted;
  private long damaged;

  /**
   * @param progress receives progress from time to time
   * @param stopped polled after every row; true stops the compaction
   */
  public RowCompaction(
      OpenDataset dataset,
      TableWriters tables,
      Consumer<CompactionProgress> progress,
      BooleanSupplier stopped) {
    this.dataset = dataset;
    this.tables = tables;
    this.progress = progress;
    this.stopped = stopped;
  }

  /** Compacts the rows of a walk, whose layout must support compaction. */
  public void run(RowWalk walk) {
    PlacedLayout placed = walk.layout();
    Compaction form = placed.layout().compaction().orElseThrow();
    while (!stopped.getAsBoolean()
        && walk.next((cells, from, to) -> look(placed, form, cells, from, to))) {
      rows++;
      if (waiting.size() == ROWS_AT_ONCE) {
        rewrite(placed, form);
        progress.accept(now());
      } else if (rows % ROWS_BETWEEN_NEWS == 0) {
        progress.accept(now());
      }
    }
    if (!waiting.isEmpty()) {
      rewrite(placed, form);
    }
  }

  /** Makes the compaction durable and returns its result. */
  public CompactionProgress end() {
    dataset.marks().sync();
    return now();
  }

  private CompactionProgress now() {
    return new CompactionProgress(rows, compacted, written, deleted, damaged, List.copyOf(damages));
  }

  private void look(PlacedLayout placed, Compaction form, CellBatch cells, int from, int to) {
    edits.clear();
    try {
      if (form.compact(cells, from, to, nowMillis(), edits)) {
        waiting.add(cells.row(from));
      }
    } catch (DamagedCellException e) {
      damaged++;
      if (damages.size() < CompactionProgress.DAMAGES_MAX) {
        damages.add(
            "table '%s', row %s: %s"
                .formatted(
                    placed.dataTable().spec().name(), cells.row(from).hex(), e.getMessage()));
      }
    }
  }

  private void rewrite(PlacedLayout placed, Compaction form) {
    tables.rewriteRows(placed, () -> edits(placed, form));
    waiting.clear();
  }

  private MutationBatch edits(PlacedLayout placed, Compaction form) {
    edits.clear();
    if (!dataset.deletes().isEmpty()) {
      // One cell would get the time of its latest sample, which may be later than a delete.
      return edits;
    }
    for (Bytes row : waiting) {
      int before = edits.size();
      CellBatch cells = read(placed.dataTable(), row);
      if (form.compact(cells, 0, cells.size(), nowMillis(), edits)) {
        compacted++;
        for (int edit = before; edit < edits.size(); edit++) {
          boolean put = edits.edit(edit) == MutationBatch.Edit.PUT;
          written += put ? 1 : 0;
          deleted += put ? 0 : 1;
        }
      }
    }
    return edits;
  }

  private long nowMillis() {
    return Math.floorDiv(dataset.clock().systemMicros(), 1000L);
  }

  private static CellBatch read(Table table, Bytes row) {
    byte[] bytes = row.toArray();
    int partition = table.spec().partitioning().prefixLength(bytes, 0, bytes.length);
    List<FamilySelect> families = new ArrayList<>();
    for (int family = 0; family < table.spec().families().size(); family++) {
      families.add(FamilySelect.latest(family));
    }
    Slice slice = Slice.row(row.slice(0, partition), row);
    CellBatch all = new CellBatch();
    CellBatch page = new CellBatch();
    try (CellCursor cursor = table.read(ReadPlan.of(List.of(slice), families), null)) {
      while (cursor.next(page)) {
        for (int cell = 0; cell < page.size(); cell++) {
          all.addFrom(page, cell);
        }
      }
    }
    return all;
  }
}
