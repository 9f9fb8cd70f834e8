package dev.varve.engine.write;

import dev.varve.engine.blocks.BlockTiers;
import dev.varve.engine.blocks.ColumnBatch;
import dev.varve.engine.catalog.SeriesIndex;
import dev.varve.model.Batch;
import dev.varve.model.BatchBuilder;
import dev.varve.model.GroupKey;
import dev.varve.model.Kind;
import java.util.Arrays;
import java.util.function.LongConsumer;

/**
 * Samples of known series, by handle, on their way into blocks. A caller adds one series after the
 * other: {@link #begin}, {@link #add} for each sample, {@link #end}. Not safe for use by several
 * threads.
 */
public final class SampleBatch {
  /** Bytes of a sample in the columns and in the journal entry made of them. */
  private static final int BYTES_PER_SAMPLE = 2 * Long.BYTES + 12;

  /** Number of samples for which memory is announced at once. */
  private static final int ANNOUNCED = 1 << 10;

  private static final int BYTES_PER_SERIES = 16;

  /** Number of series for which memory is announced at once. */
  private static final int ANNOUNCED_SERIES = 1 << 6;

  private final BlockTiers tiers;
  private final SeriesIndex index;
  private final LongConsumer growth;
  private final ColumnBatch columns;
  private final long oldest;
  private final long firstRefused;

  /** The key of each column in the index. */
  private int[] keys;

  private int announcedKeys;
  private SeriesHandle open = new SeriesHandle(-1, -1, Kind.DOUBLE, 0, 0, 0);

  /** Number of keys that the catalog had removed before the first series was added. */
  private long removals;

  private int start;
  private long first;
  private long last;
  private int announced;
  private long bytes;

  /**
   * Creates an empty batch.
   *
   * @param oldest the first accepted time
   * @param firstRefused the time after the last accepted one
   * @param growth receives the number of bytes about to be held; an exception from it prevents that
   */
  SampleBatch(
      BlockTiers tiers, SeriesIndex index, long oldest, long firstRefused, LongConsumer growth) {
    this.tiers = tiers;
    this.index = index;
    this.oldest = oldest;
    this.firstRefused = firstRefused;
    this.growth = growth;
    this.columns = tiers.newColumns();
    // The capacity of pooled columns shows how many series batches usually have.
    this.keys = new int[columns.columnCapacity()];
  }

  /** Starts to add samples of a series. */
  public void begin(SeriesHandle handle) {
    if (columns.columns() == 0) {
      removals = index.removals();
    }
    open = handle;
    start = columns.size();
    first = Long.MAX_VALUE;
    last = Long.MIN_VALUE;
    columns.begin(handle.number(), handle.kind());
  }

  /** Returns whether the batch takes a sample of a series. */
  public boolean takes(SeriesHandle handle, long time) {
    return time >= oldest && time < firstRefused && handle.covers(time, time) && handle.isIn(index);
  }

  /** Adds a sample of the series: an int64, or the bits of a double. */
  public void add(long time, long bits) {
    if (columns.size() == announced) {
      grow((long) ANNOUNCED * BYTES_PER_SAMPLE);
      announced += ANNOUNCED;
    }
    columns.add(time, bits);
    first = Math.min(first, time);
    last = Math.max(last, time);
  }

  /** Removes the samples added since {@link #begin}. */
  public void undo() {
    columns.truncate(start);
  }

  /**
   * Removes the samples of one or several series.
   *
   * @param to the {@linkplain #sampleCount number of samples} that remain, as it was before the
   *     {@link #begin} of the first of these series
   */
  public void undo(int to) {
    columns.truncate(to);
  }

  /**
   * Ends the samples of a series.
   *
   * @return false if the batch cannot take them, because their series or times need an entry in the
   *     catalog, or because their times are refused; the batch is then as it was before {@link
   *     #begin}
   */
  public boolean end() {
    int count = columns.size() - start;
    if (count == 0) {
      columns.truncate(start);
      return true;
    }
    if (first < oldest || last >= firstRefused || !open.covers(first, last) || !open.isIn(index)) {
      columns.truncate(start);
      return false;
    }
    int column = columns.columns() - 1;
    if (column >= announcedKeys) {
      grow((long) ANNOUNCED_SERIES * BYTES_PER_SERIES);
      announcedKeys = column + ANNOUNCED_SERIES;
    }
    if (column >= keys.length) {
      keys = Arrays.copyOf(keys, Math.max(column + 1, 2 * keys.length));
    }
    keys[column] = open.key();
    return true;
  }

  private void grow(long more) {
    growth.accept(more);
    bytes += more;
  }

  public boolean isEmpty() {
    return columns.size() == 0;
  }

  /** Returns the number of samples. */
  public int sampleCount() {
    return columns.size();
  }

  /**
   * Returns the number of bytes that were reported to the growth listener since the last {@code
   * clear}.
   */
  public long byteCount() {
    return bytes;
  }

  /** Removes all samples, so that the batch can be filled again. */
  public void clear() {
    columns.clear();
    announcedKeys = 0;
    announced = 0;
    bytes = 0;
  }

  /** Returns the memory of the batch to its pool. It must not be used any more. */
  public void release() {
    tiers.release(columns);
  }

  BlockTiers tiers() {
    return tiers;
  }

  ColumnBatch columns() {
    return columns;
  }

  /** Returns whether the catalog still has all series. Called while it removes none. */
  boolean isInCatalog() {
    if (index.removals() != removals) {
      for (int column = 0; column < columns.columns(); column++) {
        if (index.numbers().key(columns.series(column)) < 0) {
          return false;
        }
      }
    }
    return true;
  }

  /** Returns the samples under the keys of their series, which may have been removed. */
  Batch byKey() {
    BatchBuilder batch = new BatchBuilder();
    for (int column = 0; column < columns.columns(); column++) {
      GroupKey key = index.key(keys[column]);
      String field = index.numbers().field(columns.series(column));
      for (int i = columns.start(column); i < columns.end(column); i++) {
        batch.add(key, field, columns.time(i), columns.number(column, i));
      }
    }
    return batch.build();
  }

  /** Receives the number of a key in the index, and how many samples of it the batch has. */
  interface Counts {
    void take(int key, int samples);
  }

  void forEach(Counts counts) {
    for (int column = 0; column < columns.columns(); column++) {
      counts.take(keys[column], columns.end(column) - columns.start(column));
    }
  }
}
