package dev.varve.engine.read;

import dev.varve.engine.catalog.SeriesNumbers;
import dev.varve.engine.error.CorruptDataException;
import dev.varve.engine.read.SeriesBlocks.Block;
import dev.varve.layout.DamagedCellException;
import dev.varve.layout.block.BlockHead;
import dev.varve.layout.block.BlockKey;
import dev.varve.layout.block.BlockLayout;
import dev.varve.layout.block.SampleColumn;
import dev.varve.layout.block.SharedTimes;
import dev.varve.model.Bytes;
import dev.varve.model.Resolution;
import dev.varve.model.TimeRange;
import dev.varve.store.CellBatch;
import dev.varve.store.CellCursor;
import dev.varve.store.FamilySelect;
import dev.varve.store.LaterFormatException;
import dev.varve.store.QualifierRange;
import dev.varve.store.ReadPlan;
import dev.varve.store.Slice;
import dev.varve.store.Table;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Reads the blocks of several series with one plan, since a cursor costs more than the block that
 * it finds, and holds them encoded until they are decoded. For one thread.
 */
final class BlockLoader {
  /** Series that lie between two wanted ones are read and dropped up to this number. */
  private static final int GAP_MAX = 4;

  /** Wanted series whose numbers are further apart are never read together. */
  private static final int NUMBERS_MAX = 4096;

  /** Leaders that lie between two wanted ones are read and dropped up to this number. */
  private static final int LEADER_GAP_MAX = 256;

  /** Maximum number of reads of blocks until all times that they share are there. */
  private static final int ATTEMPTS = 5;

  private final Reading reading;
  private final Table table;
  private final SeriesNumbers numbers;
  private final Resolution resolution;
  private final TimeRange range;
  private final List<Long> buckets;

  /** Whether blocks of all times from the first one on are read, so that the latest is found. */
  private final boolean readsToTheEnd;

  private final ReadBuffers buffers;

  /** The times that the loaded blocks share. */
  private final Map<SharedTimes, long[]> times = new HashMap<>();

  /** Bytes of the encoded blocks that are held. */
  private long held;

  /**
   * @param buckets that may have blocks in the range
   * @param readsToTheEnd whether heads of all later blocks in the buckets are read, too
   * @param buffers of this read alone
   */
  BlockLoader(
      Reading reading,
      PlannedBlocks planned,
      Table table,
      List<Long> buckets,
      boolean readsToTheEnd,
      ReadBuffers buffers) {
    this.buffers = buffers;
    this.reading = reading;
    this.table = table;
    this.numbers = planned.tiers().numbers();
    this.resolution = planned.tiers().resolution();
    this.range = planned.times();
    this.buckets = buckets;
    this.readsToTheEnd = readsToTheEnd;
  }

  /**
   * Reads blocks, then the times that they share. A merge may replace both in between, so that
   * times are missing; the merged blocks are there then.
   */
  void load(List<SeriesBlocks> wanted) {
    for (int attempt = 1; ; attempt++) {
      readBlocks(wanted);
      SharedTimes missing = readTimes(wanted);
      if (missing == null) {
        return;
      }
      if (attempt == ATTEMPTS) {
        throw new CorruptDataException(
            "table '%s', row %s, qualifier %s: the times that blocks share are missing"
                .formatted(
                    table.spec().name(),
                    missing.row(BlockKey.bucket(missing.start(), resolution)),
                    missing.qualifier()));
      }
      release();
      wanted.forEach(one -> one.blocks.clear());
    }
  }

  /** Reads the times that blocks share. Returns a column that is missing; null if none is. */
  private @Nullable SharedTimes readTimes(List<SeriesBlocks> wanted) {
    SortedMap<Bytes, Integer> rows = new TreeMap<>();
    Set<SharedTimes> needed = new HashSet<>();
    for (SeriesBlocks one : wanted) {
      for (Block block : one.blocks) {
        SharedTimes shared = block.head().shared();
        if (shared != null && needed.add(shared)) {
          rows.put(shared.row(BlockKey.bucket(shared.start(), resolution)), shared.leader());
        }
      }
    }
    if (needed.isEmpty()) {
      return null;
    }
    FamilySelect family = new FamilySelect(BlockLayout.TIMES, List.of(starts()), TimeRange.ALL, 1);
    CellCursor cursor = reading.open(table, ReadPlan.of(slicesOf(rows), List.of(family)));
    try {
      CellBatch page = buffers.page();
      while (reading.pull(cursor, page)) {
        for (int cell = 0; cell < page.size(); cell++) {
          takeTimes(page, cell, needed);
        }
      }
    } finally {
      reading.close(cursor);
    }
    return needed.isEmpty() ? null : needed.iterator().next();
  }

  /** Returns slices of rows of times; rows of neighbouring leaders are read as one. */
  private static List<Slice> slicesOf(SortedMap<Bytes, Integer> rows) {
    List<Slice> slices = new ArrayList<>();
    @Nullable Bytes first = null;
    @Nullable Bytes last = null;
    int leader = 0;
    for (Map.Entry<Bytes, Integer> row : rows.entrySet()) {
      int after = row.getValue() - leader;
      if (first != null && last != null && (after < 0 || after > LEADER_GAP_MAX)) {
        slices.add(Slice.rows(Bytes.EMPTY, first, last.successor()));
        first = null;
      }
      first = first == null ? row.getKey() : first;
      last = row.getKey();
      leader = row.getValue();
    }
    if (first != null && last != null) {
      slices.add(Slice.rows(Bytes.EMPTY, first, last.successor()));
    }
    return slices;
  }

  private void takeTimes(CellBatch page, int cell, Set<SharedTimes> needed) {
    SharedTimes column =
        SharedTimes.of(page.bytes(), page.rowOffset(cell), page.qualifierOffset(cell));
    if (!needed.remove(column)) {
      return;
    }
    try {
      long[] decoded =
          SharedTimes.decode(page.bytes(), page.valueOffset(cell), page.valueLength(cell));
      hold((long) Long.BYTES * decoded.length);
      times.put(column, decoded);
    } catch (DamagedCellException e) {
      throw damaged(page, cell, e);
    }
  }

  /** Returns the qualifiers of everything that starts before the end of the read. */
  private QualifierRange starts() {
    return readsToTheEnd
        ? new QualifierRange(Bytes.EMPTY, null)
        : new QualifierRange(Bytes.EMPTY, BlockKey.qualifierFrom(range.to()));
  }

  private CorruptDataException damaged(CellBatch page, int cell, DamagedCellException e) {
    return new CorruptDataException(
        "table '%s', row %s, qualifier %s: %s"
            .formatted(table.spec().name(), page.row(cell), page.qualifier(cell), e.getMessage()));
  }

  private void readBlocks(List<SeriesBlocks> wanted) {
    SeriesBlocks[] inOrder = wanted.toArray(SeriesBlocks[]::new);
    Arrays.sort(
        inOrder,
        Comparator.comparingInt((SeriesBlocks one) -> one.metric)
            .thenComparingInt(one -> one.number));
    QualifierRange starts = starts();
    List<FamilySelect> families =
        List.of(
            new FamilySelect(BlockLayout.HEADS, List.of(starts), TimeRange.ALL, 1),
            new FamilySelect(BlockLayout.BODIES, List.of(starts), TimeRange.ALL, 1));
    SeriesBlocks[] byNumber = inOrder.clone();
    Arrays.sort(byNumber, Comparator.comparingInt(one -> one.number));
    int[] sorted = Arrays.stream(byNumber).mapToInt(one -> one.number).toArray();
    CellCursor cursor = reading.open(table, ReadPlan.of(slicesOf(inOrder), families));
    try {
      CellBatch page = buffers.page();
      while (reading.pull(cursor, page)) {
        for (int cell = 0; cell < page.size(); cell++) {
          int at = Arrays.binarySearch(sorted, BlockKey.series(page.bytes(), page.rowOffset(cell)));
          if (at >= 0) {
            take(byNumber[at], page, cell);
          }
        }
      }
    } finally {
      reading.close(cursor);
    }
  }

  /** Returns slices that cover the rows of all wanted series in all buckets. */
  private List<Slice> slicesOf(SeriesBlocks[] inOrder) {
    List<Slice> slices = new ArrayList<>();
    List<Integer> ends = new ArrayList<>();
    for (int i = 1; i <= inOrder.length; i++) {
      if (i == inOrder.length || !areNear(inOrder[i - 1], inOrder[i])) {
        ends.add(i);
      }
    }
    for (long bucket : buckets) {
      int from = 0;
      for (int end : ends) {
        SeriesBlocks first = inOrder[from];
        SeriesBlocks last = inOrder[end - 1];
        slices.add(
            Slice.rows(
                Bytes.EMPTY,
                BlockKey.row(bucket, first.metric, first.number),
                BlockKey.row(bucket, last.metric, last.number).successor()));
        from = end;
      }
    }
    return slices;
  }

  /** Returns whether reading the rows between those of two series is less work than a seek. */
  private boolean areNear(SeriesBlocks one, SeriesBlocks next) {
    return one.metric == next.metric
        && next.number - one.number <= NUMBERS_MAX
        && numbers.countBetween(one.metric, one.number, next.number, GAP_MAX + 1) <= GAP_MAX;
  }

  /** Takes a cell of a wanted series: the head of a block, or its body, which comes later. */
  private void take(SeriesBlocks wanted, CellBatch page, int cell) {
    long start = BlockKey.start(page.bytes(), page.qualifierOffset(cell));
    long generation = BlockKey.generation(page.bytes(), page.qualifierOffset(cell));
    if (page.family(cell) == BlockLayout.HEADS) {
      BlockHead head = head(page, cell);
      wanted.lastInBlocks = Math.max(wanted.lastInBlocks, head.last());
      if (head.overlaps(range)) {
        wanted.blocks.add(new Block(head, start, generation, new byte[0]));
      }
      return;
    }
    for (int i = 0; i < wanted.blocks.size(); i++) {
      Block head = wanted.blocks.get(i);
      if (head.start() == start && head.generation() == generation) {
        int length = page.valueLength(cell);
        hold(length);
        byte[] body =
            Arrays.copyOfRange(
                page.bytes(), page.valueOffset(cell), page.valueOffset(cell) + length);
        wanted.blocks.set(i, new Block(head.head(), start, generation, body));
      }
    }
  }

  private void hold(long bytes) {
    reading.guard().held(bytes, "blocks of samples");
    held += bytes;
  }

  /** Drops the blocks that were read last. */
  void release() {
    times.clear();
    if (held > 0) {
      reading.guard().released(held);
      held = 0;
    }
  }

  private BlockHead head(CellBatch page, int cell) {
    try {
      return BlockHead.read(page.bytes(), page.valueOffset(cell), page.valueLength(cell));
    } catch (DamagedCellException e) {
      throw damaged(page, cell, e);
    } catch (LaterFormatException e) {
      throw e.in("table '%s', row %s".formatted(table.spec().name(), page.row(cell)));
    }
  }

  /**
   * Adds the samples of a loaded block to a column.
   *
   * @throws CorruptDataException if it is damaged
   */
  void decode(SeriesBlocks of, Block block, TimeRange decoded, SampleColumn into) {
    byte[] body = block.body();
    SharedTimes shared = block.head().shared();
    long[] ofTimes = shared == null ? null : times.get(shared);
    try {
      buffers.reader().decode(block.head(), ofTimes, body, 0, body.length, decoded, into);
    } catch (DamagedCellException e) {
      throw new CorruptDataException(
          "table '%s', a block of %s from %d to %d: %s"
              .formatted(
                  table.spec().name(),
                  of.series,
                  block.head().first(),
                  block.head().last(),
                  e.getMessage()));
    }
  }
}
