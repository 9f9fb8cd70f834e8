package dev.varve.engine.blocks;

import dev.varve.engine.error.CorruptDataException;
import dev.varve.engine.tables.Applier;
import dev.varve.layout.DamagedCellException;
import dev.varve.layout.KeyBytes;
import dev.varve.layout.block.BlockHead;
import dev.varve.layout.block.BlockKey;
import dev.varve.layout.block.BlockLayout;
import dev.varve.layout.block.BlockReader;
import dev.varve.layout.block.BlockWriter;
import dev.varve.layout.block.SampleColumn;
import dev.varve.layout.block.SharedTimes;
import dev.varve.model.Bytes;
import dev.varve.model.TimeRange;
import dev.varve.store.CellBatch;
import dev.varve.store.CellCursor;
import dev.varve.store.Durability;
import dev.varve.store.FamilySelect;
import dev.varve.store.LaterFormatException;
import dev.varve.store.MutationBatch;
import dev.varve.store.ReadPlan;
import dev.varve.store.Slice;
import dev.varve.store.StoreException;
import dev.varve.store.Table;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Merges the blocks of rows, some rows at a time. A row is replaced as a whole, so readers see the
 * blocks either before or after. Used by the thread that seals, which is the only one that writes
 * blocks.
 */
final class BlockMerge {
  /** Number of blocks from which a row is merged while its bucket is written to. */
  static final int LEAST = 8;

  /** Number of rows that one step merges at most. */
  private static final int ROWS_AT_ONCE = 128;

  /** Samples of a merged block. */
  private static final int SAMPLES = 1 << 14;

  private final Table table;
  private final Applier applier;
  private final TimeColumns times;
  private final LongSupplier stamps;
  private final LongAdder merged;

  /**
   * The columns that have the times of merged blocks, by the origin of the times: blocks that
   * shared their times before share them afterwards. For the bucket that is being merged.
   */
  private final Map<Bytes, SharedTimes> columns = new HashMap<>();

  private final BlockWriter writer = new BlockWriter();
  private final BlockReader reader = new BlockReader();
  private final SampleColumn column = new SampleColumn();
  private final SampleColumn spare = new SampleColumn();

  /**
   * @param stamps source of unique stamps
   * @param merged counts the bytes of merged blocks
   */
  BlockMerge(
      Table table, Applier applier, TimeColumns times, LongSupplier stamps, LongAdder merged) {
    this.table = table;
    this.applier = applier;
    this.times = times;
    this.stamps = stamps;
    this.merged = merged;
  }

  /** A block of a row. */
  private static final class Piece {
    private final Bytes qualifier;
    private final BlockHead head;
    private byte @Nullable [] body;

    private Piece(Bytes qualifier, BlockHead head) {
      this.qualifier = qualifier;
      this.head = head;
    }

    private long generation() {
      return BlockKey.generation(qualifier.toArray(), 0);
    }
  }

  /**
   * Merges some rows of a bucket.
   *
   * @param least number of blocks from which a row is merged, at least 2
   * @param through the latest generation to merge; later blocks stay as they are
   * @param from the row to continue with; null for the first
   * @return the row to continue with; null at the end of the bucket
   * @throws dev.varve.engine.error.WriteFailedException if the store failed
   * @throws CorruptDataException if a block is damaged
   */
  @Nullable Bytes step(long bucket, int least, long through, @Nullable Bytes from) {
    if (from == null) {
      columns.clear();
    }
    Bytes first = from == null ? BlockKey.bucket(bucket) : from;
    List<Bytes> rows = new ArrayList<>();
    Bytes next = findRows(first, BlockKey.bucket(bucket).prefixEnd(), least, through, rows);
    if (!rows.isEmpty()) {
      merge(bucket, rows, through);
    }
    if (next == null) {
      MutationBatch unused = new MutationBatch();
      times.dropUnused(bucket, unused);
      apply(unused);
    }
    return next;
  }

  /** Finds rows with many blocks by their heads; returns where to continue. */
  private @Nullable Bytes findRows(
      Bytes from, @Nullable Bytes to, int least, long through, List<Bytes> rows) {
    ReadPlan plan =
        ReadPlan.of(
                List.of(Slice.rows(Bytes.EMPTY, from, to)),
                List.of(FamilySelect.latest(BlockLayout.HEADS)))
            .withoutValues();
    CellBatch page = new CellBatch();
    Bytes row = Bytes.EMPTY;
    int blocks = 0;
    try (CellCursor cursor = table.read(plan, null)) {
      while (cursor.next(page)) {
        for (int cell = 0; cell < page.size(); cell++) {
          if (!row.contentEquals(page.bytes(), page.rowOffset(cell), page.rowLength(cell))) {
            row = page.row(cell);
            if (rows.size() == ROWS_AT_ONCE) {
              return row;
            }
            blocks = 0;
          }
          boolean isMerged =
              BlockKey.generation(page.bytes(), page.qualifierOffset(cell)) <= through;
          if (isMerged && ++blocks == least) {
            rows.add(row);
          }
        }
      }
    }
    return null;
  }

  private void merge(long bucket, List<Bytes> rows, long through) {
    List<Slice> slices = rows.stream().map(row -> Slice.row(Bytes.EMPTY, row)).toList();
    ReadPlan plan =
        ReadPlan.of(
            slices,
            List.of(
                FamilySelect.latest(BlockLayout.HEADS), FamilySelect.latest(BlockLayout.BODIES)));
    MutationBatch edits = new MutationBatch();
    List<Piece> pieces = new ArrayList<>();
    Bytes row = Bytes.EMPTY;
    CellBatch page = new CellBatch();
    try (CellCursor cursor = table.read(plan, null)) {
      while (cursor.next(page)) {
        for (int cell = 0; cell < page.size(); cell++) {
          if (!row.contentEquals(page.bytes(), page.rowOffset(cell), page.rowLength(cell))) {
            replace(bucket, row, pieces, edits);
            row = page.row(cell);
          }
          if (BlockKey.generation(page.bytes(), page.qualifierOffset(cell)) <= through) {
            take(row, page, cell, pieces);
          }
        }
      }
    }
    replace(bucket, row, pieces, edits);
    apply(edits);
  }

  private void apply(MutationBatch edits) {
    if (!edits.isEmpty()) {
      merged.add(edits.cells().byteCount());
      List<Applier.Rejected> rejected = applier.apply(edits, edits.size(), Durability.ORDERED);
      if (!rejected.isEmpty()) {
        throw new StoreException(
            "table '%s' rejects a merged block: %s"
                .formatted(table.spec().name(), rejected.getFirst().reason()));
      }
    }
  }

  private void take(Bytes row, CellBatch page, int cell, List<Piece> into) {
    Bytes qualifier = page.qualifier(cell);
    try {
      if (page.family(cell) == BlockLayout.HEADS) {
        BlockHead head =
            BlockHead.read(page.bytes(), page.valueOffset(cell), page.valueLength(cell));
        into.add(new Piece(qualifier, head));
        return;
      }
    } catch (DamagedCellException e) {
      throw damaged(row, qualifier, e);
    } catch (LaterFormatException e) {
      throw e.in("table '%s', row %s".formatted(table.spec().name(), row));
    }
    for (Piece piece : into) {
      if (piece.qualifier.equals(qualifier)) {
        piece.body = page.value(cell).toArray();
      }
    }
  }

  private CorruptDataException damaged(Bytes row, Bytes qualifier, DamagedCellException e) {
    return new CorruptDataException(
        "table '%s', row %s, qualifier %s: %s"
            .formatted(table.spec().name(), row, qualifier, e.getMessage()));
  }

  /** Replaces the blocks of a row by one that has their samples, or several if they are many. */
  private void replace(long bucket, Bytes row, List<Piece> pieces, MutationBatch edits) {
    if (pieces.isEmpty()) {
      return;
    }
    column.clear();
    pieces.sort(Comparator.comparingLong(Piece::generation));
    for (Piece piece : pieces) {
      byte[] body = piece.body;
      try {
        if (body == null) {
          throw new DamagedCellException("value: a head without a body");
        }
        reader.decode(
            piece.head, times.of(piece.head), body, 0, body.length, TimeRange.ALL, column);
      } catch (DamagedCellException e) {
        throw damaged(row, piece.qualifier, e);
      }
    }
    column.settle(spare);
    Bytes origin = origin(pieces);
    long generation = pieces.getLast().generation();
    List<@Nullable SharedTimes> shared = new ArrayList<>();
    for (int from = 0; from < column.size(); from += SAMPLES) {
      int to = Math.min(column.size(), from + SAMPLES);
      shared.add(
          origin == null || BlockWriter.isRegular(column, from, to)
              ? null
              : shared(bucket, row, origin, from, to, edits));
    }
    // From here on all edits are of the row, so that it is replaced at once.
    Set<Bytes> written = new HashSet<>();
    for (int from = 0; from < column.size(); from += SAMPLES) {
      int to = Math.min(column.size(), from + SAMPLES);
      writer.encode(column, from, to, shared.get(from / SAMPLES));
      Bytes qualifier = BlockKey.qualifier(column.time(from), generation);
      edits.put(row, BlockLayout.HEADS, qualifier, generation, writer.head());
      edits.put(row, BlockLayout.BODIES, qualifier, generation, writer.body());
      written.add(qualifier);
    }
    for (Piece piece : pieces) {
      if (!written.contains(piece.qualifier)) {
        edits.deleteColumn(row, BlockLayout.HEADS, piece.qualifier, TimeRange.ALL);
        edits.deleteColumn(row, BlockLayout.BODIES, piece.qualifier, TimeRange.ALL);
      }
    }
    pieces.clear();
  }

  /**
   * Returns the origin of the times of merged blocks, equal for equal times; null if some of the
   * times belong to one block alone.
   */
  private static @Nullable Bytes origin(List<Piece> pieces) {
    KeyBytes origin = new KeyBytes();
    for (Piece piece : pieces) {
      BlockHead head = piece.head;
      SharedTimes shared = head.shared();
      if (shared != null) {
        origin.u8(1).u32(shared.leader()).i64(shared.start()).i64(shared.generation());
      } else if (head.regular()) {
        origin.u8(0).u32(head.count()).i64(head.first()).i64(head.last());
      } else {
        return null;
      }
    }
    return origin.toBytes();
  }

  /** Returns the column of some merged times, which is written if it is new. */
  private SharedTimes shared(
      long bucket, Bytes row, Bytes origin, int from, int to, MutationBatch edits) {
    Bytes key = new KeyBytes().u32(from).raw(origin).toBytes();
    SharedTimes known = columns.get(key);
    if (known != null) {
      return known;
    }
    long generation = stamps.getAsLong();
    int leader = BlockKey.series(row.toArray(), 0);
    SharedTimes column = new SharedTimes(leader, this.column.time(from), generation);
    edits.put(
        column.row(bucket),
        BlockLayout.TIMES,
        column.qualifier(),
        generation,
        writer.times(this.column, from, to));
    columns.put(key, column);
    return column;
  }
}
