package dev.varve.engine.blocks;

import dev.varve.engine.catalog.SeriesNumbers;
import dev.varve.engine.pending.RemovalTally;
import dev.varve.engine.tables.Applier;
import dev.varve.layout.block.BlockHead;
import dev.varve.layout.block.BlockKey;
import dev.varve.layout.block.BlockLayout;
import dev.varve.layout.block.BlockWriter;
import dev.varve.layout.block.SampleColumn;
import dev.varve.layout.block.SharedTimes;
import dev.varve.model.Bytes;
import dev.varve.model.Resolution;
import dev.varve.model.TimeRange;
import dev.varve.store.CellBatch;
import dev.varve.store.CellCursor;
import dev.varve.store.Durability;
import dev.varve.store.FamilySelect;
import dev.varve.store.Limits;
import dev.varve.store.MutationBatch;
import dev.varve.store.Power;
import dev.varve.store.ReadPlan;
import dev.varve.store.SizeLimits;
import dev.varve.store.Slice;
import dev.varve.store.StoreException;
import dev.varve.store.Table;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.Lock;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The table of blocks, with a list of its buckets. Safe for use by several threads. */
final class BlockTable {
  private static final Logger LOG = LoggerFactory.getLogger(BlockTable.class);

  /** Number of encoded bytes after which a seal writes the blocks that it has encoded. */
  private static final int WRITE_BYTES = 1 << 20;

  /** Largest number of buckets to assume in a damaged table: 100 years of days. */
  private static final long ASSUMED_MAX = 36_525;

  private final Table table;
  private final Applier applier;
  private final Resolution resolution;
  private final SeriesNumbers numbers;
  private final NavigableSet<Long> buckets = new ConcurrentSkipListSet<>();
  private final LongAdder sealedBytes = new LongAdder();
  private final LongAdder mergedBytes = new LongAdder();

  /** Time after its last seal from which a bucket before the newest one is merged. */
  private static final Duration SETTLED = Duration.ofMinutes(10);

  /**
   * The seals into a bucket since its last merge.
   *
   * @param seals number of seals
   * @param last time of the last seal, as {@link System#nanoTime}
   */
  private record Unmerged(int seals, long last) {
    private static Unmerged sum(Unmerged before, Unmerged now) {
      return new Unmerged(before.seals + now.seals, now.last);
    }
  }

  /** Buckets whose rows may have several blocks. Used by the thread that seals. */
  private final Map<Long, Unmerged> unmerged = new TreeMap<>();

  private final BlockMerge merge;

  /**
   * The bucket whose rows are being merged, and the row to continue with; null if there is none.
   */
  private @Nullable Long merging;

  private @Nullable Bytes mergingFrom;

  /** Number of blocks from which a row of that bucket is merged. */
  private int mergingLeast;

  /**
   * @param stamps source of unique stamps
   * @param extent returns a range that has the times of all samples, for a table that is damaged
   */
  BlockTable(
      Table table,
      SizeLimits limits,
      Resolution resolution,
      SeriesNumbers numbers,
      LongSupplier stamps,
      Supplier<TimeRange> extent) {
    this.table = table;
    this.applier = new Applier(table, limits);
    this.resolution = resolution;
    this.numbers = numbers;
    this.merge =
        new BlockMerge(table, applier, new TimeColumns(table, resolution), stamps, mergedBytes);
    try {
      findBuckets();
    } catch (StoreException e) {
      assumeBuckets(extent.get(), e);
    }
    // After a start, the number of blocks per row is unknown. Older buckets were merged before.
    long now = System.nanoTime();
    buckets.descendingSet().stream()
        .limit(2)
        .forEach(bucket -> unmerged.put(bucket, new Unmerged(1, now)));
  }

  /** Finds the buckets by one seek each. */
  private void findBuckets() {
    Bytes from = Bytes.EMPTY;
    CellBatch page = new CellBatch();
    while (true) {
      ReadPlan plan =
          ReadPlan.of(
                  List.of(Slice.rows(Bytes.EMPTY, from, null)),
                  List.of(FamilySelect.latest(BlockLayout.HEADS)))
              .with(Limits.NONE.withCellsPerRow(1).withRows(1))
              .withoutValues();
      try (CellCursor cursor = table.read(plan, null)) {
        if (!cursor.next(page)) {
          return;
        }
        long bucket = BlockKey.bucket(page.bytes(), page.rowOffset(0));
        buckets.add(bucket);
        from = BlockKey.bucket(bucket).prefixEnd();
      }
      if (from == null) {
        return;
      }
    }
  }

  /** Assumes that every bucket has blocks, so that damage affects only reads of its bucket. */
  private void assumeBuckets(TimeRange extent, StoreException cause) {
    if (extent.isEmpty()) {
      return;
    }
    long first = BlockKey.bucket(extent.from(), resolution);
    long last = BlockKey.bucket(extent.to() - 1, resolution);
    if (last - first >= ASSUMED_MAX || last < first) {
      throw cause;
    }
    LOG.error(
        "table '{}': the keys of blocks cannot be read, so every day from the {}th to the {}th after 1970-01-01 is searched: {}",
        table.spec().name(),
        first,
        last,
        cause.getMessage());
    for (long bucket = first; bucket <= last; bucket++) {
      buckets.add(bucket);
    }
  }

  /** Keeps the numbers of all series that have blocks from being assigned to new series. */
  void reserveNumbers() {
    ReadPlan plan =
        ReadPlan.of(
                List.of(Slice.partition(Bytes.EMPTY)),
                List.of(FamilySelect.latest(BlockLayout.HEADS)))
            .with(Limits.NONE.withCellsPerRow(1))
            .withoutValues();
    CellBatch page = new CellBatch();
    try (CellCursor cursor = table.read(plan, null)) {
      while (cursor.next(page)) {
        for (int cell = 0; cell < page.size(); cell++) {
          int row = page.rowOffset(cell);
          if (BlockKey.isRow(page.bytes(), row, page.rowLength(cell))) {
            numbers.reserve(BlockKey.series(page.bytes(), row), BlockKey.metric(page.bytes(), row));
          }
        }
      }
    }
  }

  Table table() {
    return table;
  }

  Resolution resolution() {
    return resolution;
  }

  /** Returns whether no bucket has blocks. */
  boolean isEmpty() {
    return buckets.isEmpty();
  }

  /** Returns the buckets that may have blocks with samples in a range, in ascending order. */
  List<Long> buckets(TimeRange times) {
    if (times.isEmpty()) {
      return List.of();
    }
    return List.copyOf(
        buckets.subSet(
            BlockKey.bucket(times.from(), resolution),
            true,
            BlockKey.bucket(times.to() - 1, resolution),
            true));
  }

  /**
   * Writes all samples of a head as blocks.
   *
   * @param generation of the blocks
   * @return the latest samples of the head
   * @throws dev.varve.engine.error.WriteFailedException if the store failed
   */
  SealedEnds write(Head head, long generation) {
    Seal seal = new Seal(head, generation);
    seal.run();
    Unmerged now = new Unmerged(1, System.nanoTime());
    seal.touched.forEach(bucket -> unmerged.merge(bucket, now, Unmerged::sum));
    return seal.ends;
  }

  /**
   * Merges the blocks of some rows: those that have many, and in buckets that nobody writes to any
   * more those that have several.
   *
   * @param quiet whether nobody writes to any bucket
   * @param through the latest generation to merge: a seal that failed writes its blocks again, and
   *     must not replace a merged block of the same generation
   * @return whether there may be more to merge now
   * @throws dev.varve.engine.error.WriteFailedException if the store failed
   */
  boolean mergeSome(boolean quiet, long through) {
    if (merging == null && !beginMerge(quiet)) {
      return false;
    }
    mergingFrom = merge.step(Objects.requireNonNull(merging), mergingLeast, through, mergingFrom);
    if (mergingFrom == null) {
      merging = null;
    }
    return true;
  }

  private boolean beginMerge(boolean quiet) {
    long now = System.nanoTime();
    for (Map.Entry<Long, Unmerged> each : unmerged.entrySet()) {
      Unmerged of = each.getValue();
      boolean settled =
          quiet || (each.getKey() < buckets.last() && now - of.last() > SETTLED.toNanos());
      if (settled || of.seals() >= BlockMerge.LEAST) {
        merging = each.getKey();
        mergingLeast = settled ? 2 : BlockMerge.LEAST / 2;
        unmerged.remove(merging);
        return true;
      }
    }
    return false;
  }

  /** Leaves the rest of a bucket unmerged, until more blocks are sealed into it. */
  void endMerge() {
    merging = null;
    mergingFrom = null;
  }

  /** Returns the bytes of all sealed blocks, with their keys. */
  long sealedBytes() {
    return sealedBytes.sum();
  }

  /** Returns the bytes of all merged blocks, with their keys. */
  long mergedBytes() {
    return mergedBytes.sum();
  }

  /** Writes a head. */
  private final class Seal {
    private final Head head;
    private final long generation;
    private final SampleColumn column = new SampleColumn();
    private final SampleColumn spare = new SampleColumn();
    private final BlockWriter writer = new BlockWriter();
    private final RecentTimes recent = new RecentTimes();
    private final MutationBatch edits = new MutationBatch();
    private final Set<Long> touched = new TreeSet<>();
    private final SealedEnds ends = new SealedEnds();

    private Seal(Head head, long generation) {
      this.head = head;
      this.generation = generation;
    }

    private void run() {
      head.forEach(this::series);
      apply();
    }

    private void series(int number) {
      column.clear();
      head.read(number, Integer.MAX_VALUE, Long.MIN_VALUE, Long.MAX_VALUE, column);
      column.settle(spare);
      ends.add(number, column);
      int from = 0;
      while (from < column.size()) {
        long bucket = BlockKey.bucket(column.time(from), resolution);
        int to = from + 1;
        while (to < column.size()
            && to - from < BlockHead.SAMPLES_MAX
            && BlockKey.bucket(column.time(to), resolution) == bucket) {
          to++;
        }
        put(number, bucket, from, to);
        from = to;
      }
    }

    private void put(int number, long bucket, int from, int to) {
      writer.encode(column, from, to, shared(number, bucket, from, to));
      Bytes row = BlockKey.row(bucket, numbers.metric(number), number);
      Bytes qualifier = BlockKey.qualifier(column.time(from), generation);
      edits.put(row, BlockLayout.HEADS, qualifier, generation, writer.head());
      edits.put(row, BlockLayout.BODIES, qualifier, generation, writer.body());
      buckets.add(bucket);
      touched.add(bucket);
      if (edits.cells().byteCount() >= WRITE_BYTES) {
        apply();
      }
    }

    /**
     * Returns the column that has the times of a block, which is written if this is the second
     * block with them; null if they are regular or those of no other block so far.
     */
    private @Nullable SharedTimes shared(int number, long bucket, int from, int to) {
      if (BlockWriter.isRegular(column, from, to)) {
        return null;
      }
      RecentTimes.Seen seen = recent.find(column, from, to);
      if (seen == null) {
        return null;
      }
      SharedTimes shared = seen.column();
      if (shared == null) {
        shared = new SharedTimes(number, column.time(from), generation);
        edits.put(
            shared.row(bucket),
            BlockLayout.TIMES,
            shared.qualifier(),
            generation,
            writer.times(column, from, to));
        seen.column(shared);
      }
      return shared;
    }

    private void apply() {
      if (edits.isEmpty()) {
        return;
      }
      sealedBytes.add(edits.cells().byteCount());
      List<Applier.Rejected> rejected = applier.apply(edits, 2, Durability.ORDERED);
      if (!rejected.isEmpty()) {
        throw new StoreException(
            "table '%s' rejects a block: %s"
                .formatted(table.spec().name(), rejected.getFirst().reason()));
      }
      edits.clear();
    }
  }

  /**
   * Deletes all blocks of buckets that end before a time.
   *
   * @return whether there were any
   */
  boolean dropBefore(long time) {
    List<Long> old = new ArrayList<>(buckets.headSet(BlockKey.bucket(time, resolution), false));
    if (old.isEmpty()) {
      return false;
    }
    Bytes end = BlockKey.bucket(old.getLast()).prefixEnd();
    table
        .power(Power.RangeDelete.class)
        .orElseThrow()
        .deleteRows(BlockKey.bucket(old.getFirst()), end);
    buckets.removeAll(old);
    unmerged.keySet().removeAll(old);
    Bytes begin = BlockKey.bucket(old.getFirst());
    table.power(Power.Reclaim.class).ifPresent(power -> power.reclaim(begin, end));
    return true;
  }

  /** Returns whether there is a cell of a series. */
  boolean has(int series) {
    List<Slice> rows =
        buckets(TimeRange.ALL).stream()
            .map(bucket ->
                Slice.row(Bytes.EMPTY, BlockKey.row(bucket, numbers.metric(series), series)))
            .toList();
    if (rows.isEmpty()) {
      return false;
    }
    ReadPlan plan =
        ReadPlan.of(
                rows,
                List.of(
                    FamilySelect.latest(BlockLayout.HEADS),
                    FamilySelect.latest(BlockLayout.BODIES)))
            .with(Limits.NONE.withCells(1))
            .withoutValues();
    try (CellCursor cursor = table.read(plan, null)) {
      return cursor.next(new CellBatch());
    }
  }

  /** Returns a new removal of deleted samples. */
  BlockRemoval removal(Lock rewriting, RemovalTally tally) {
    TimeColumns times = new TimeColumns(table, resolution);
    return new BlockRemoval(table, applier, times, numbers, rewriting, tally);
  }

  /** Frees the space of blocks that were merged, if the store can. */
  void reclaim() {
    table.power(Power.Reclaim.class).ifPresent(power -> power.reclaim(Bytes.EMPTY, null));
  }
}
