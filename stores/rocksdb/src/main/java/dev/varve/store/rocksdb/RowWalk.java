package dev.varve.store.rocksdb;

import dev.varve.model.Bytes;
import dev.varve.store.Direction;
import dev.varve.store.Slice;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDBException;

/** The rows of one slice after the other, in the direction of the read. */
final class RowWalk {
  private final int table;
  private final Direction direction;
  private final KeyWalk walk;

  /** The rows of the slice, as keys: from the first on, before the other. */
  private final GrowingBytes first = new GrowingBytes(64);

  private final GrowingBytes behind = new GrowingBytes(64);

  /** Set where the slice is one row, which need not be searched for. */
  private @Nullable Bytes onlyRow;

  /** Whether the walk is at a row of the slice, or past all. */
  private boolean begun;

  /** The row, as its keys begin, and as it is. */
  private final GrowingBytes prefix = new GrowingBytes(64);

  private final GrowingBytes row = new GrowingBytes(64);
  private final GrowingBytes target = new GrowingBytes(64);
  private long rows;

  RowWalk(int table, Direction direction, KeyWalk walk) {
    this.table = table;
    this.direction = direction;
    this.walk = walk;
  }

  /** The row at hand. */
  GrowingBytes row() {
    return row;
  }

  /** The row at hand, as its keys begin. */
  GrowingBytes prefix() {
    return prefix;
  }

  /** Rows gone to so far, in all slices. */
  long rows() {
    return rows;
  }

  void start(Slice slice) {
    setStart(first, slice.fromRow());
    Bytes end = slice.endRow();
    if (end == null) {
      behind.truncate(0);
      behind.addInt(table + 1);
    } else {
      setStart(behind, end);
    }
    onlyRow = slice.isOneRow() ? slice.fromRow() : null;
    begun = false;
    walk.lift();
  }

  /** Starts in the midst of a slice, at one of its rows. */
  void startAt(Slice slice, Bytes at) {
    start(slice);
    enter(at);
  }

  /** Goes to the next row; false where the slice has no more. */
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
    return walk.isBefore(behind);
  }

  private boolean back() throws RocksDBException {
    walk.backTo(begun ? prefix : behind);
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
