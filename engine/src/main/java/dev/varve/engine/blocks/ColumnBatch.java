package dev.varve.engine.blocks;

import dev.varve.layout.block.KindCode;
import dev.varve.model.Kind;
import dev.varve.model.Value;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Samples of a batch in columns of primitive values. A column has samples of one series and kind,
 * in the order of acceptance; a later column was accepted after an earlier one. Instances are
 * reused: only growth allocates. Not safe for use by several threads.
 */
public final class ColumnBatch {
  private int columns;
  private int[] series = new int[64];
  private byte[] kinds = new byte[64];
  private int[] ends = new int[64];
  private int size;
  private long[] times = new long[64];
  private long[] values = new long[64];
  private final List<byte[]> texts = new ArrayList<>(0);

  public void clear() {
    columns = 0;
    size = 0;
    texts.clear();
  }

  boolean isEmpty() {
    return columns == 0;
  }

  public int columns() {
    return columns;
  }

  /** Returns the number of samples of all columns. */
  public int size() {
    return size;
  }

  /** Returns the number of samples for which there is memory. */
  int capacity() {
    return times.length;
  }

  /** Returns the number of the series of a column. */
  public int series(int column) {
    return series[column];
  }

  Kind kind(int column) {
    return KindCode.kind(kinds[column]);
  }

  /** Returns the index of the first sample of a column. */
  public int start(int column) {
    return column == 0 ? 0 : ends[column - 1];
  }

  /** Returns the index after the last sample of a column. */
  public int end(int column) {
    return ends[column];
  }

  /** Returns the times of all samples, by their index. */
  long[] times() {
    return times;
  }

  /** Returns int64s, bits of doubles, or indexes of {@linkplain #text texts}, by sample index. */
  long[] values() {
    return values;
  }

  /** Returns the time of a sample. */
  public long time(int index) {
    return times[index];
  }

  /**
   * Returns a sample of a column of numbers.
   *
   * @param index of the sample
   */
  public Value number(int column, int index) {
    return kind(column) == Kind.DOUBLE
        ? new Value.Real(Double.longBitsToDouble(values[index]))
        : new Value.Int64(values[index]);
  }

  byte[] text(long index) {
    return texts.get((int) index);
  }

  /** Returns the number of columns that fit without further growth. */
  public int columnCapacity() {
    return series.length;
  }

  /** Starts a column; it continues the previous one if that is of the same series and kind. */
  public void begin(int number, Kind kind) {
    if (columns > 0 && series[columns - 1] == number && kinds[columns - 1] == KindCode.of(kind)) {
      return;
    }
    if (columns == series.length) {
      int capacity = 2 * columns;
      series = Arrays.copyOf(series, capacity);
      kinds = Arrays.copyOf(kinds, capacity);
      ends = Arrays.copyOf(ends, capacity);
    }
    series[columns] = number;
    kinds[columns] = (byte) KindCode.of(kind);
    ends[columns++] = size;
  }

  /** Adds an int64, or the bits of a double, to the last column. */
  public void add(long time, long value) {
    if (size == times.length) {
      reserve(1);
    }
    times[size] = time;
    values[size++] = value;
    ends[columns - 1] = size;
  }

  /** Adds a text to the last column; the array belongs to the batch. */
  public void add(long time, byte[] utf8) {
    texts.add(utf8);
    add(time, texts.size() - 1L);
  }

  /** Removes the samples from an index on, and columns that are empty then. */
  public void truncate(int to) {
    size = to;
    while (columns > 0 && start(columns - 1) >= to) {
      columns--;
    }
    if (columns > 0) {
      ends[columns - 1] = to;
    }
  }

  /** Ensures that samples can be added without further growth. */
  private void reserve(int more) {
    int capacity = Math.max(size + more, 2 * times.length);
    times = Arrays.copyOf(times, capacity);
    values = Arrays.copyOf(values, capacity);
  }
}
