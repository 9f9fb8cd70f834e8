package dev.varve.engine.delete;

import dev.varve.engine.catalog.Matches.Match;
import dev.varve.engine.home.DeleteTable.DeleteRecord;
import dev.varve.engine.pending.DeleteFilter;
import dev.varve.engine.pending.HiddenSamples;
import dev.varve.engine.pending.PendingDeletes;
import dev.varve.engine.pending.RemovalTally;
import dev.varve.engine.periods.OpenDataset;
import dev.varve.engine.periods.PlacedLayout;
import dev.varve.engine.read.RowWalk;
import dev.varve.engine.write.TableWriters;
import dev.varve.layout.Layout;
import dev.varve.layout.RowSamples;
import dev.varve.layout.RowSamples.Vector;
import dev.varve.model.Bytes;
import dev.varve.model.TimeRange;
import dev.varve.store.CellBatch;
import dev.varve.store.FamilySpec;
import dev.varve.store.MutationBatch;
import dev.varve.store.TableSpec;
import dev.varve.store.TimeUse;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Removes the samples of a delete from one layout. Used once, by one thread, while other threads
 * write.
 *
 * <p>A cell whose samples are all deleted is removed as it is found: only cells with its time or an
 * earlier one are removed, and cells that are written meanwhile have later times. A cell that also
 * has other samples is replaced, with its whole row read again while nobody writes.
 */
final class CellRemoval {
  /** Number of edits that are applied together. */
  private static final int EDITS = 2000;

  /** Number of rows rewritten at once, while writers wait. */
  private static final int ROWS_AT_ONCE = 32;

  private final TableWriters tables;
  private final PlacedLayout placed;
  private final Layout layout;
  private final DeleteFilter deleted;
  private final RowRewrite rewrite;
  private final RemovalTally tally;
  private final BooleanSupplier stopped;
  private final Consumer<Runnable> whileRecorded;
  private final MutationBatch edits = new MutationBatch();

  /** The number of samples in the cells that the edits delete. */
  private long samples;

  private final Map<Bytes, Match> mixed = new LinkedHashMap<>();
  private final RowSamples decoded = new RowSamples();
  private @Nullable TouchedRows touched;

  /**
   * @param stopped polled for each row; true ends the removal
   * @param whileRecorded runs an action unless the record of the delete is gone, and keeps the
   *     record until it has ended
   */
  CellRemoval(
      OpenDataset dataset,
      TableWriters tables,
      PlacedLayout placed,
      DeleteRecord one,
      RemovalTally tally,
      BooleanSupplier stopped,
      Consumer<Runnable> whileRecorded) {
    this.tables = tables;
    this.placed = placed;
    this.layout = placed.layout();
    this.deleted = PendingDeletes.filter(one, dataset.index());
    this.rewrite = new RowRewrite(dataset, placed, tally);
    this.tally = tally;
    this.stopped = stopped;
    this.whileRecorded = whileRecorded;
  }

  /** Removes the samples from the rows of a walk. */
  void run(RowWalk walk) {
    while (!stopped.getAsBoolean()
        && walk.next((cells, from, to) -> look(walk.series(), cells, from, to))) {
      tally.row();
      if (edits.size() >= EDITS) {
        apply();
      }
      if (mixed.size() >= ROWS_AT_ONCE) {
        rewrite();
      }
    }
    apply();
    rewrite();
  }

  private void look(Match series, CellBatch cells, int from, int to) {
    for (int cell = from; cell < to; cell++) {
      decoded.clear();
      layout.decode(cells, cell, cell + 1, decoded);
      if (!decoded.damages().isEmpty()) {
        tally.damaged();
        continue;
      }
      int hidden = hidden(series, decoded, deleted);
      if (hidden == 0) {
        continue;
      }
      touched = touched == null ? TouchedRows.of(cells.row(cell)) : touched.plus(cells.row(cell));
      if (hidden == samples(decoded)) {
        delete(placed.dataTable().spec(), cells, cell, edits);
        samples += hidden;
      } else {
        mixed.put(cells.row(cell), series);
      }
    }
  }

  /** Returns the rows that had deleted samples; null if there were none. */
  @Nullable TouchedRows touched() {
    return touched;
  }

  private void apply() {
    // In layouts without stamps, nothing else protects what is written once the record is gone.
    whileRecorded.accept(() -> {
      tables.deleteCells(placed, edits);
      tally.removed(edits.size(), samples);
    });
    edits.clear();
    samples = 0;
  }

  private void rewrite() {
    if (!mixed.isEmpty()) {
      whileRecorded.accept(() -> tables.rewriteRows(placed, () -> rewrite.edits(mixed)));
      mixed.clear();
    }
  }

  /** Returns how many samples of a cell are hidden. */
  static int hidden(Match series, RowSamples cell, DeleteFilter filter) {
    int hidden = 0;
    for (Vector vector : cell.vectors()) {
      if (!vector.samples().isEmpty()) {
        HiddenSamples ofField = filter.of(series.series(), vector.field());
        hidden += ofField == null ? 0 : ofField.count(vector.samples());
      }
    }
    return hidden;
  }

  static int samples(RowSamples cell) {
    int samples = 0;
    for (Vector vector : cell.vectors()) {
      samples += vector.samples().size();
    }
    return samples;
  }

  /** Deletes a cell, and with it the earlier cells of its column that it supersedes. */
  static void delete(TableSpec spec, CellBatch cells, int cell, MutationBatch into) {
    long time = cells.time(cell);
    TimeRange times = TimeRange.closed(supersedes(spec, cells, cell) ? Long.MIN_VALUE : time, time);
    into.deleteColumn(cells.row(cell), cells.family(cell), cells.qualifier(cell), times);
  }

  /** Returns whether a cell supersedes the earlier cells of its column. */
  static boolean supersedes(TableSpec spec, CellBatch cells, int cell) {
    FamilySpec family = spec.families().get(cells.family(cell));
    return family.time() == TimeUse.CLOCK && family.maxVersions() == 1;
  }
}
