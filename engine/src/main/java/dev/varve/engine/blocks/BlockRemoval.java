package dev.varve.engine.blocks;

import dev.varve.engine.catalog.SeriesNumbers;
import dev.varve.engine.pending.HiddenSamples;
import dev.varve.engine.pending.RemovalTally;
import dev.varve.engine.tables.Applier;
import dev.varve.layout.DamagedCellException;
import dev.varve.layout.block.BlockHead;
import dev.varve.layout.block.BlockKey;
import dev.varve.layout.block.BlockLayout;
import dev.varve.layout.block.BlockReader;
import dev.varve.layout.block.BlockWriter;
import dev.varve.layout.block.SampleColumn;
import dev.varve.model.Bytes;
import dev.varve.model.TimeRange;
import dev.varve.store.CellBatch;
import dev.varve.store.CellCursor;
import dev.varve.store.Durability;
import dev.varve.store.FamilySelect;
import dev.varve.store.MutationBatch;
import dev.varve.store.ReadPlan;
import dev.varve.store.Slice;
import dev.varve.store.StoreException;
import dev.varve.store.Table;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.Lock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Removes deleted samples from blocks, some rows at a time. A block keeps its generation, so that
 * its samples stay older than those of later blocks. Used by one thread.
 */
final class BlockRemoval {
  private static final int ROWS_AT_ONCE = 128;

  private final Table table;
  private final Applier applier;
  private final TimeColumns times;
  private final SeriesNumbers numbers;
  private final Lock rewriting;
  private final RemovalTally tally;
  private final BlockReader reader = new BlockReader();
  private final BlockWriter writer = new BlockWriter();
  private final SampleColumn column = new SampleColumn();
  private final SampleColumn kept = new SampleColumn();
  private final MutationBatch edits = new MutationBatch();

  /** A block of the row that is being read. */
  private static final class Piece {
    private final Bytes qualifier;
    private final BlockHead head;
    private byte @Nullable [] body;

    private Piece(Bytes qualifier, BlockHead head) {
      this.qualifier = qualifier;
      this.head = head;
    }
  }

  /**
   * @param rewriting lock held by those that replace or drop blocks
   */
  BlockRemoval(
      Table table,
      Applier applier,
      TimeColumns times,
      SeriesNumbers numbers,
      Lock rewriting,
      RemovalTally tally) {
    this.table = table;
    this.applier = applier;
    this.times = times;
    this.numbers = numbers;
    this.rewriting = rewriting;
    this.tally = tally;
  }

  /**
   * Removes samples from the rows of some series.
   *
   * @param series the hidden samples, by the number of the series in blocks
   * @param stopped polled from time to time; true ends the removal
   * @throws dev.varve.engine.error.WriteFailedException if the store failed
   */
  void run(List<Long> buckets, Map<Integer, HiddenSamples> series, BooleanSupplier stopped) {
    List<Integer> inOrder = new ArrayList<>(series.keySet());
    inOrder.sort(
        Comparator.comparingInt((Integer one) -> numbers.metric(one))
            .thenComparingInt(Integer::intValue));
    for (long bucket : buckets) {
      for (int from = 0; from < inOrder.size(); from += ROWS_AT_ONCE) {
        if (stopped.getAsBoolean()) {
          return;
        }
        int to = Math.min(inOrder.size(), from + ROWS_AT_ONCE);
        rewriting.lock();
        try {
          rewrite(bucket, inOrder.subList(from, to), series);
        } finally {
          rewriting.unlock();
        }
      }
    }
  }

  private void rewrite(long bucket, List<Integer> some, Map<Integer, HiddenSamples> series) {
    List<Slice> slices =
        some.stream()
            .map(one -> Slice.row(Bytes.EMPTY, BlockKey.row(bucket, numbers.metric(one), one)))
            .toList();
    ReadPlan plan =
        ReadPlan.of(
            slices,
            List.of(
                FamilySelect.latest(BlockLayout.HEADS), FamilySelect.latest(BlockLayout.BODIES)));
    List<Piece> pieces = new ArrayList<>();
    Bytes row = Bytes.EMPTY;
    CellBatch page = new CellBatch();
    try (CellCursor cursor = table.read(plan, null)) {
      while (cursor.next(page)) {
        for (int cell = 0; cell < page.size(); cell++) {
          if (!row.contentEquals(page.bytes(), page.rowOffset(cell), page.rowLength(cell))) {
            replace(row, pieces, series);
            row = page.row(cell);
          }
          take(page, cell, pieces);
        }
      }
    }
    replace(row, pieces, series);
    apply();
  }

  private void take(CellBatch page, int cell, List<Piece> into) {
    Bytes qualifier = page.qualifier(cell);
    if (page.family(cell) == BlockLayout.HEADS) {
      try {
        BlockHead head =
            BlockHead.read(page.bytes(), page.valueOffset(cell), page.valueLength(cell));
        into.add(new Piece(qualifier, head));
      } catch (DamagedCellException e) {
        tally.damaged();
      }
      return;
    }
    for (Piece piece : into) {
      if (piece.qualifier.equals(qualifier)) {
        piece.body = page.value(cell).toArray();
      }
    }
  }

  private void replace(Bytes row, List<Piece> pieces, Map<Integer, HiddenSamples> series) {
    if (pieces.isEmpty()) {
      return;
    }
    tally.row();
    HiddenSamples hidden = series.get(BlockKey.series(row.toArray(), 0));
    for (Piece piece : pieces) {
      byte[] qualifier = piece.qualifier.toArray();
      long generation = BlockKey.generation(qualifier, 0);
      BlockHead head = piece.head;
      if (hidden != null && hidden.overlaps(head.first(), head.last(), generation)) {
        replace(row, piece, generation, hidden);
      }
    }
    pieces.clear();
  }

  private void replace(Bytes row, Piece piece, long generation, HiddenSamples hidden) {
    byte[] body = piece.body;
    column.clear();
    kept.clear();
    try {
      if (body == null) {
        throw new DamagedCellException("value: a head without a body");
      }
      reader.decode(piece.head, times.of(piece.head), body, 0, body.length, TimeRange.ALL, column);
    } catch (DamagedCellException e) {
      tally.damaged();
      return;
    }
    for (int i = 0; i < column.size(); i++) {
      if (!hidden.contains(column.time(i), generation)) {
        kept.addFrom(column, i);
      }
    }
    int removedCount = column.size() - kept.size();
    if (removedCount == 0) {
      return;
    }
    Bytes qualifier = Bytes.EMPTY;
    if (kept.isEmpty()) {
      tally.removed(removedCount);
    } else {
      tally.rewritten(removedCount);
      writer.encode(kept, 0, kept.size());
      qualifier = BlockKey.qualifier(kept.time(0), generation);
      edits.put(row, BlockLayout.HEADS, qualifier, generation, writer.head());
      edits.put(row, BlockLayout.BODIES, qualifier, generation, writer.body());
    }
    if (!qualifier.equals(piece.qualifier)) {
      edits.deleteColumn(row, BlockLayout.HEADS, piece.qualifier, TimeRange.ALL);
      edits.deleteColumn(row, BlockLayout.BODIES, piece.qualifier, TimeRange.ALL);
    }
  }

  private void apply() {
    if (edits.isEmpty()) {
      return;
    }
    List<Applier.Rejected> rejected = applier.apply(edits, edits.size(), Durability.ORDERED);
    edits.clear();
    if (!rejected.isEmpty()) {
      throw new StoreException(
          "table '%s' rejects a block without deleted samples: %s"
              .formatted(table.spec().name(), rejected.getFirst().reason()));
    }
  }
}
