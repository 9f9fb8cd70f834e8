package dev.varve.store.rocksdb;

import dev.varve.model.Bytes;
import dev.varve.store.Direction;
import dev.varve.store.Slice;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDBException;

/** Walks the rows of one slice after another, in the direction of the read. */
final class RowWalk {
  private final int table;
  private final Direction direction;
  private final KeyWalk walk;

  /** Bounds of the rows of the slice, as keys: first is inclusive, after exclusive. */
  private final GrowingBytes first = new GrowingBytes(64);

  private final GrowingBytes after = new GrowingBytes(64);

  /** Set if the slice is a single row, which needs no search. */
  private @Nullable Bytes onlyRow;

  /** Whether the walk is at a row of the slice, or past the last one. */
  private boolean begun;

  /** The current row: the prefix of its keys, and its plain bytes. */
  private final GrowingBytes prefix = new GrowingBytes(64);

  private final GrowingBytes row = new GrowingBytes(64);
  private final GrowingBytes target = new GrowingBytes(64);
  private long rows;

  RowWalk(int table, Direction direction, KeyWalk walk) {
    this.table = table;
    this.direction = direction;
    this.walk = walk;
  }

  /** Returns the current row. */
  GrowingBytes row() {
    return row;
  }

  /** Returns the prefix of the current row's keys. */
  GrowingBytes prefix() {
    return prefix;
  }

  /** Returns the number of rows visited so far, in all slices. */
  long rows() {
    return rows;
  }

  void start(Slice slice) {
    setStart(first, slice.fromRow());
    Bytes end = slice.endRow();
    if (end == null) {
      after.truncate(0);
      after.addInt(table + 1);
    } else {
      setStart(after, end);
    }
    onlyRow = slice.isOneRow() ? slice.fromRow() : null;
    begun = false;
    walk.lift();
  }

  /** Starts within a slice, at one of its rows. */
  void startAt(Slice slice, Bytes at) {
    start(slice);
    enter(at);
  }

  /** Moves to the next row; false if the slice has no more. */
  boolean next() throws RocksDBException {
    if (onlyRow != null) {
      if (begun) {
        return false;
      }
      enter(onlyRow);
      return true;
    }
    boolean found = direction == Direction.FORWARD ? forward() : back();
    if (found) {
      enterRowOfKey();
    }
    return found;
  }

  private boolean forward() throws RocksDBException {
    if (begun) {
      target.truncate(0);
      target.add(prefix);
      KeyFormat.passEnd(target);
      walk.forwardTo(target);
    } else {
      walk.forwardTo(first);
    }
    return walk.isBefore(after);
  }

  private boolean back() throws RocksDBException {
    walk.backTo(begun ? prefix : after);
    return walk.valid() && !walk.isBefore(first);
  }

  private void enter(Bytes at) {
    setStart(prefix, at);
    row.truncate(0);
    row.add(at);
    begun = true;
    rows++;
  }

  private void enterRowOfKey() {
    int end = KeyFormat.escapedEnd(walk.key(), KeyFormat.TABLE_LENGTH, walk.length());
    prefix.truncate(0);
    prefix.add(walk.key(), 0, end);
    row.truncate(0);
    KeyFormat.addUnescaped(row, walk.key(), KeyFormat.TABLE_LENGTH, end);
    begun = true;
    rows++;
  }

  private void setStart(GrowingBytes key, Bytes ofRow) {
    key.truncate(0);
    KeyFormat.addRow(key, table, ofRow.toArray(), 0, ofRow.length());
  }
}
