package dev.varve.engine.heat;

import dev.varve.engine.heat.HeatSlice.LargeRow;
import dev.varve.model.Bytes;
import dev.varve.store.CellBatch;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The counts of one thread at a time. A thread takes a stripe, adds to it without a lock, and gives
 * it back. A thread that finds all stripes taken counts nothing.
 */
final class Stripe {
  private static final int MEASURES = 6;

  /**
   * Sampling interval: of so many successive edits of a batch, one is looked up, at a random place.
   * So a count of n has a standard error of at most the root of n.
   */
  static final int EDITS_PER_SAMPLE = 2;

  /** The sampling distance of cells that are read in no order. */
  static final int CELLS_PER_SAMPLE = 8;

  /** Cells between two look-ups in a run of sorted cells that seems to be in one range. */
  private static final int LEAP = 64;

  private final AtomicBoolean taken = new AtomicBoolean();
  private final KeySample sample;
  private KeyRanges ranges = KeyRanges.ONE;
  private long[] counts = new long[MEASURES];
  private long random;
  private @Nullable LargeRow largest;

  Stripe(long seed) {
    random = seed;
    sample = new KeySample(seed);
  }

  boolean take() {
    return !taken.get() && taken.compareAndSet(false, true);
  }

  void giveBack() {
    taken.set(false);
  }

  /** Counts all edits of a batch, which took this long. */
  void written(CellBatch cells, long micros) {
    scattered(cells, EDITS_PER_SAMPLE, micros, true);
  }

  /** Counts a page of cells in any order. */
  void readUnordered(CellBatch page, long micros) {
    scattered(page, CELLS_PER_SAMPLE, micros, false);
  }

  private void scattered(CellBatch cells, int each, long micros, boolean write) {
    int lastRow = -1;
    int range = 0;
    for (int from = 0; from < cells.size(); from += each) {
      int cell = from + next(each);
      if (cell < cells.size()) {
        if (cells.rowOffset(cell) != lastRow) {
          lastRow = cells.rowOffset(cell);
          range = rangeOf(cells, cell);
        }
        add(range, write, each, (long) each * bytes(cells, cell, cell), micros);
        sample.add(cells, cell, each, each, write);
      }
    }
  }

  private int next(int bound) {
    random = KeySample.random(random);
    return (int) (random >>> 33) & (bound - 1);
  }

  /** Counts a page of cells whose rows are sorted, upwards or downwards. */
  void readOrdered(CellBatch page, long micros) {
    if (!page.isEmpty()) {
      int last = page.size() - 1;
      ordered(page, 0, last, rangeOf(page, 0), rangeOf(page, last), micros);
    }
  }

  /** Counts from a first to a last cell, whose ranges are known. */
  private void ordered(CellBatch page, int from, int last, int first, int end, long micros) {
    if (first == end && last - from < LEAP) {
      int count = last - from + 1;
      add(first, false, count, bytes(page, from, last), micros);
      sample.add(page, from, count, 1, false);
    } else if (last - from == 1) {
      ordered(page, from, from, first, first, micros);
      ordered(page, last, last, end, end, micros);
    } else {
      int middle = (from + last) >>> 1;
      ordered(page, from, middle, first, rangeOf(page, middle), micros);
      ordered(page, middle + 1, last, rangeOf(page, middle + 1), end, micros);
    }
  }

  private int rangeOf(CellBatch cells, int cell) {
    return ranges.find(cells.bytes(), cells.rowOffset(cell), cells.rowLength(cell));
  }

  /** Returns the bytes of neighbouring cells, which are neighbours in the buffer, too. */
  static long bytes(CellBatch cells, int from, int last) {
    long bytes =
        cells.valueOffset(last) + cells.valueLength(last) - (long) cells.qualifierOffset(from);
    boolean startsRow = from == 0 || cells.rowOffset(from) != cells.rowOffset(from - 1);
    return startsRow ? bytes + cells.rowLength(from) : bytes;
  }

  private void add(int range, boolean write, long count, long bytes, long micros) {
    int at = range * MEASURES + (write ? 1 : 0);
    counts[at] += count;
    counts[at + 2] += bytes;
    counts[at + 4] += count * micros;
  }

  /** Adds the load of a row that was counted before there were ranges. */
  void add(byte[] row, Load load) {
    int at = ranges.find(row, 0, row.length) * MEASURES;
    counts[at] += load.reads();
    counts[at + 1] += load.writes();
    counts[at + 2] += load.bytesRead();
    counts[at + 3] += load.bytesWritten();
    counts[at + 4] += load.readMicros();
    counts[at + 5] += load.writeMicros();
  }

  void large(CellBatch page, int cell, long bytes, long cells) {
    LargeRow before = largest;
    if (before == null || before.bytes() < bytes) {
      largest = new LargeRow(row(page, cell), bytes, cells);
    }
  }

  private static Bytes row(CellBatch page, int cell) {
    int length = Math.min(page.rowLength(cell), KeyRanges.KEY_BYTES_MAX);
    return Bytes.copyOf(page.bytes(), page.rowOffset(cell), length);
  }

  KeySample sample() {
    return sample;
  }

  /** Counts in other ranges from now on. Nothing may have been counted since the last drain. */
  void divide(KeyRanges into) {
    ranges = into;
    counts = new long[into.size() * MEASURES];
  }

  /** The counts of a stripe, by range. */
  record Counted(List<Load> loads, List<KeySample.Key> keys, @Nullable LargeRow largest) {}

  /** Returns the counts since the last {@link #restart}. */
  Counted counted() {
    List<Load> loads = new ArrayList<>(ranges.size());
    for (int at = 0; at < counts.length; at += MEASURES) {
      loads.add(
          new Load(
              counts[at],
              counts[at + 1],
              counts[at + 2],
              counts[at + 3],
              counts[at + 4],
              counts[at + 5]));
    }
    List<KeySample.Key> keys = new ArrayList<>();
    sample.copyTo(keys);
    return new Counted(loads, keys, largest);
  }

  /** Starts to count again from zero, in other ranges. */
  void restart(KeyRanges next) {
    sample.clear();
    largest = null;
    if (ranges == next) {
      Arrays.fill(counts, 0);
    } else {
      divide(next);
    }
  }
}
