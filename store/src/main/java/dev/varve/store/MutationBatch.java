package dev.varve.store;

import dev.varve.model.Bytes;
import dev.varve.model.TimeRange;
import java.util.Arrays;

/**
 * An ordered list of edits to the rows of one table. Consecutive edits of one row form a mutation,
 * which a store applies as a whole or not at all; if the row appears again later in the batch, that
 * is another mutation. Edits are idempotent. Instances are meant to be reused: only growth
 * allocates. Not safe for use by several threads.
 *
 * <p>{@link #cells()} holds one cell for each edit. For a put it is the cell itself; for a delete,
 * its value is empty or the upper bound of the deleted range. {@link #edit(int)} tells them apart.
 */
public final class MutationBatch {
  /** The effect of an edit. */
  public enum Edit {
    /** Writes a cell. */
    PUT,
    /** Deletes the cells of one column whose times lie in a range. */
    DELETE_COLUMN,
    /** Deletes the cells of a family whose qualifiers lie in a half-open range. */
    DELETE_QUALIFIERS,
    /** Deletes all cells of one family in the row. */
    DELETE_FAMILY,
    /** Deletes the whole row. */
    DELETE_ROW
  }

  private static final byte[] NONE = {};

  private final CellBatch cells = new CellBatch();
  private Edit[] edits = new Edit[0];
  private long[] timeTo = {};
  private boolean deletes;

  /** Returns all edits as cells; do not modify them. */
  public CellBatch cells() {
    return cells;
  }

  public int size() {
    return cells.size();
  }

  public boolean isEmpty() {
    return cells.isEmpty();
  }

  /** Returns the index after the last edit of the mutation that starts at {@code first}. */
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
      record(Edit.PUT, 0);
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
   * Deletes the cells of a column whose times lie in {@code times}; {@link TimeRange#ALL} deletes
   * the whole column.
   */
  public void deleteColumn(Bytes row, int family, Bytes qualifier, TimeRange times) {
    delete(Edit.DELETE_COLUMN, row, family, qualifier, times.from(), Bytes.EMPTY, times.to());
  }

  /**
   * Deletes the cells of a family whose qualifiers lie between {@code from} (inclusive) and {@code
   * to} (exclusive).
   */
  public void deleteQualifiers(Bytes row, int family, Bytes from, Bytes to) {
    delete(Edit.DELETE_QUALIFIERS, row, family, from, 0, to, 0);
  }

  public void deleteFamily(Bytes row, int family) {
    delete(Edit.DELETE_FAMILY, row, family, Bytes.EMPTY, 0, Bytes.EMPTY, 0);
  }

  public void deleteRow(Bytes row) {
    delete(Edit.DELETE_ROW, row, 0, Bytes.EMPTY, 0, Bytes.EMPTY, 0);
  }

  /** Returns the cell times that edit {@code index}, a {@link Edit#DELETE_COLUMN}, deletes. */
  public TimeRange deletedTimes(int index) {
    return new TimeRange(cells.time(index), timeTo[index]);
  }

  /** Adds an edit of another batch. */
  public void addFrom(MutationBatch other, int index) {
    if (deletes || other.edit(index) != Edit.PUT) {
      record(other.edit(index), other.edit(index) == Edit.DELETE_COLUMN ? other.timeTo[index] : 0);
    }
    cells.addFrom(other.cells, index);
  }

  private void delete(
      Edit edit, Bytes row, int family, Bytes qualifier, long time, Bytes bound, long to) {
    record(edit, to);
    byte[] r = row.toArray();
    byte[] q = qualifier.toArray();
    byte[] b = bound.isEmpty() ? NONE : bound.toArray();
    cells.add(r, 0, r.length, family, q, 0, q.length, time, b, 0, b.length);
  }

  /**
   * Records the kind of the edit about to be added. Batches of puts alone, the hot path, keep no
   * records.
   */
  private void record(Edit edit, long to) {
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
