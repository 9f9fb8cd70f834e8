package dev.varve.store.memory;

import dev.varve.model.Bytes;
import dev.varve.store.Cell;
import dev.varve.store.CellBatch;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * An immutable, non-empty list of neighbouring cells of one row and family, ordered by qualifier,
 * then newest first. A cell takes 16 bytes besides its own; separate objects would take far more.
 */
final class Leaf {
  private static final int CELLS_MAX = 64;

  /** A leaf of several cells is split beyond this size, to keep copying cheap. */
  private static final int BYTES_MAX = 8 << 10;

  private final Bytes row;
  private final int family;

  /** Qualifier and value of each cell, concatenated. */
  private final byte[] bytes;

  /** For each cell the end of its qualifier, then the end of its value. */
  private final int[] ends;

  private final long[] times;

  private Leaf(Bytes row, int family, byte[] bytes, int[] ends, long[] times) {
    this.row = row;
    this.family = family;
    this.bytes = bytes;
    this.ends = ends;
    this.times = times;
  }

  static Leaf of(Cell cell) {
    int qualifierEnd = cell.qualifier().length();
    int end = qualifierEnd + cell.value().length();
    byte[] bytes = new byte[end];
    cell.qualifier().copyTo(bytes, 0);
    cell.value().copyTo(bytes, qualifierEnd);
    return new Leaf(
        cell.row(), cell.family(), bytes, new int[] {qualifierEnd, end}, new long[] {cell.time()});
  }

  Bytes row() {
    return row;
  }

  int family() {
    return family;
  }

  int size() {
    return times.length;
  }

  long time(int index) {
    return times[index];
  }

  private int start(int index) {
    return index == 0 ? 0 : ends[2 * index - 1];
  }

  /** Returns the bytes of a cell including its row key. */
  int bytes(int index) {
    return row.length() + ends[2 * index + 1] - start(index);
  }

  int bytesWithoutValue(int index) {
    return row.length() + ends[2 * index] - start(index);
  }

  Cell cell(int index) {
    int start = start(index);
    int qualifierEnd = ends[2 * index];
    return new Cell(
        row,
        family,
        Bytes.copyOf(bytes, start, qualifierEnd - start),
        times[index],
        Bytes.copyOf(bytes, qualifierEnd, ends[2 * index + 1] - qualifierEnd));
  }

  /**
   * Adds a cell to a batch.
   *
   * @param ofRow the row key; null if the preceding cell has the same row
   * @param value whether to include its value
   */
  void addTo(CellBatch batch, byte @Nullable [] ofRow, int index, boolean value) {
    int start = start(index);
    int length = ends[2 * index] - start;
    int valueFrom = start + length;
    int valueLength = value ? ends[2 * index + 1] - valueFrom : 0;
    long time = times[index];
    if (ofRow == null) {
      batch.addToRow(family, bytes, start, length, time, bytes, valueFrom, valueLength);
    } else {
      batch.add(
          ofRow,
          0,
          ofRow.length,
          family,
          bytes,
          start,
          length,
          time,
          bytes,
          valueFrom,
          valueLength);
    }
  }

  boolean isOf(Bytes otherRow, int otherFamily) {
    return family == otherFamily && row.equals(otherRow);
  }

  boolean isAt(int index, Bytes qualifier, long time) {
    return times[index] == time && compareQualifier(qualifier, index) == 0;
  }

  /** Compares a qualifier with that of a cell. */
  int compareQualifier(Bytes qualifier, int index) {
    int start = start(index);
    return qualifier.compareTo(bytes, start, ends[2 * index] - start);
  }

  boolean sameQualifier(int index, Leaf other, int otherIndex) {
    return Arrays.equals(
        bytes,
        start(index),
        ends[2 * index],
        other.bytes,
        other.start(otherIndex),
        other.ends[2 * otherIndex]);
  }

  /** Returns the index of the first cell at or after a qualifier, or the size if there is none. */
  int firstFrom(Bytes qualifier) {
    return firstFrom(qualifier, Long.MAX_VALUE);
  }

  /** Returns the index of the first cell at or after a position, or the size if there is none. */
  int firstFrom(Bytes qualifier, long time) {
    int low = 0;
    int high = times.length;
    while (low < high) {
      int middle = (low + high) >>> 1;
      int order = compareQualifier(qualifier, middle);
      if (order > 0 || (order == 0 && times[middle] > time)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** Returns whether the leaf should be split. */
  boolean isLarge() {
    return times.length > CELLS_MAX || (bytes.length > BYTES_MAX && times.length > 1);
  }

  /**
   * Returns a leaf with the cell added, replacing any cell at its position. The cell must have the
   * same row and family.
   */
  Leaf with(Cell cell) {
    int index = firstFrom(cell.qualifier(), cell.time());
    boolean replaces = index < times.length && isAt(index, cell.qualifier(), cell.time());
    return spliced(index, index + (replaces ? 1 : 0), of(cell));
  }

  /** Returns a leaf without a cell, which must not be the only one. */
  Leaf without(int index) {
    return index == 0
        ? part(1, times.length)
        : part(0, index).spliced(index, index, part(index + 1, times.length));
  }

  /** Returns the cells {@code from} (inclusive) to {@code to} (exclusive). */
  Leaf part(int from, int to) {
    int start = start(from);
    int[] partEnds = Arrays.copyOfRange(ends, 2 * from, 2 * to);
    for (int i = 0; i < partEnds.length; i++) {
      partEnds[i] -= start;
    }
    return new Leaf(
        row,
        family,
        Arrays.copyOfRange(bytes, start, start(to)),
        partEnds,
        Arrays.copyOfRange(times, from, to));
  }

  /** Replaces the cells {@code from} (inclusive) to {@code to} (exclusive) with others. */
  private Leaf spliced(int from, int to, Leaf middle) {
    int start = start(from);
    int end = start(to);
    int more = middle.bytes.length - (end - start);
    int moreCells = middle.times.length - (to - from);
    byte[] newBytes = new byte[bytes.length + more];
    System.arraycopy(bytes, 0, newBytes, 0, start);
    System.arraycopy(middle.bytes, 0, newBytes, start, middle.bytes.length);
    System.arraycopy(bytes, end, newBytes, end + more, bytes.length - end);
    long[] newTimes = new long[times.length + moreCells];
    System.arraycopy(times, 0, newTimes, 0, from);
    System.arraycopy(middle.times, 0, newTimes, from, middle.times.length);
    System.arraycopy(times, to, newTimes, to + moreCells, times.length - to);
    int[] newEnds = new int[2 * newTimes.length];
    System.arraycopy(ends, 0, newEnds, 0, 2 * from);
    for (int i = 0; i < middle.ends.length; i++) {
      newEnds[2 * from + i] = start + middle.ends[i];
    }
    for (int i = 2 * to; i < ends.length; i++) {
      newEnds[i + 2 * moreCells] = ends[i] + more;
    }
    return new Leaf(row, family, newBytes, newEnds, newTimes);
  }
}
