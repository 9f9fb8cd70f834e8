package dev.varve.store;

import dev.varve.model.Bytes;
import dev.varve.model.TimeRange;
import java.util.Arrays;

/**
 * Edits of rows of one table, in order. Neighbouring edits of one row make one mutation, which a
 * store applies as a whole or not at all; a row that comes again later in the batch is another
 * mutation. Edits are safe to repeat. Made to be filled and cleared again and again: only growth
 * allocates. Not safe for use by several threads.
 *
 * <p>A put lies in {@link #cells()} whole. A delete lies there too, with a value that is empty or
 * the second bound of what it deletes; {@link #edit(int)} tells which is which.
 */
public final class MutationBatch {
  /** What an edit does. */
  public enum Edit {
    /** Writes a cell. */
    PUT,
    /** Deletes the cells of one column, whose times lie in a range. */
    DELETE_COLUMN,
    /** Deletes the cells of a family whose qualifiers lie in a half-open range. */
    DELETE_QUALIFIERS,
    /** Deletes the row in one family. */
    DELETE_FAMILY,
    /** Deletes the whole row. */
    DELETE_ROW
  }

  private static final byte[] NONE = {};

  private final CellBatch cells = new CellBatch();
  private Edit[] edits = new Edit[0];
  private long[] timeTo = {};
  private boolean deletes;

  /** All edits as cells; do not change. */
  public CellBatch cells() {
    return cells;
  }

  public int size() {
    return cells.size();
  }

  public boolean isEmpty() {
    return cells.isEmpty();
  }

  /** The index behind the last edit of the mutation whose first edit is {@code first}. */
  public int mutationEnd(int first) {
    int end = first + 1;
    while (end < cells.size() && cells.sameRow(first, end)) {
      end++;
    }
    return end;
  }

  public Edit edit(int index) {
    return deletes ? edits[index] : Edit.PUT;
  }

  public void clear() {
    cells.clear();
    deletes = false;
  }

  public void put(
      byte[] row,
      int rowFrom,
      int rowLength,
      int family,
      byte[] qualifier,
      int qualifierFrom,
      int qualifierLength,
      long time,
      byte[] value,
      int valueFrom,
      int valueLength) {
    if (deletes) {
      note(Edit.PUT, 0);
    }
    cells.add(
        row,
        rowFrom,
        rowLength,
        family,
        qualifier,
        qualifierFrom,
        qualifierLength,
        time,
        value,
        valueFrom,
        valueLength);
  }

  public void put(Bytes row, int family, Bytes qualifier, long time, Bytes value) {
    byte[] q = qualifier.toArray();
    byte[] v = value.toArray();
    put(row.toArray(), 0, row.length(), family, q, 0, q.length, time, v, 0, v.length);
  }

  /**
   * Deletes the cells of a column whose times lie in {@code times}; {@link TimeRange#ALL} for the
   * column as a whole.
   */
  public void deleteColumn(Bytes row, int family, Bytes qualifier, TimeRange times) {
    delete(Edit.DELETE_COLUMN, row, family, qualifier, times.from(), Bytes.EMPTY, times.to());
  }

  /** Deletes the cells of a family from one qualifier on and before another. */
  public void deleteQualifiers(Bytes row, int family, Bytes from, Bytes to) {
    delete(Edit.DELETE_QUALIFIERS, row, family, from, 0, to, 0);
  }

  public void deleteFamily(Bytes row, int family) {
    delete(Edit.DELETE_FAMILY, row, family, Bytes.EMPTY, 0, Bytes.EMPTY, 0);
  }

  public void deleteRow(Bytes row) {
    delete(Edit.DELETE_ROW, row, 0, Bytes.EMPTY, 0, Bytes.EMPTY, 0);
  }

  /** The cell times that edit {@code index}, a {@link Edit#DELETE_COLUMN}, deletes. */
  public TimeRange deletedTimes(int index) {
    return new TimeRange(cells.time(index), timeTo[index]);
  }

  /** Adds an edit of another batch. */
  public void addFrom(MutationBatch other, int index) {
    if (deletes || other.edit(index) != Edit.PUT) {
      note(other.edit(index), other.edit(index) == Edit.DELETE_COLUMN ? other.timeTo[index] : 0);
    }
    cells.addFrom(other.cells, index);
  }

  private void delete(
      Edit edit, Bytes row, int family, Bytes qualifier, long time, Bytes bound, long to) {
    note(edit, to);
    byte[] r = row.toArray();
    byte[] q = qualifier.toArray();
    byte[] b = bound.isEmpty() ? NONE : bound.toArray();
    cells.add(r, 0, r.length, family, q, 0, q.length, time, b, 0, b.length);
  }

  /**
   * Notes what the edit that is added next does. Batches of nothing but puts, the hot path, keep no
   * notes.
   */
  private void note(Edit edit, long to) {
    int index = cells.size();
    int capacity = index < edits.length ? edits.length : Math.max(64, 2 * (index + 1));
    if (capacity > edits.length) {
      edits = Arrays.copyOf(edits, capacity);
      timeTo = Arrays.copyOf(timeTo, capacity);
    }
    if (!deletes) {
      Arrays.fill(edits, 0, index, Edit.PUT);
      deletes = true;
    }
    edits[index] = edit;
    timeTo[index] = to;
  }
}
