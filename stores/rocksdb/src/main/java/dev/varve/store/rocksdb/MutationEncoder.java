package dev.varve.store.rocksdb;

import dev.varve.model.Bytes;
import dev.varve.model.TimeRange;
import dev.varve.store.CellBatch;
import dev.varve.store.MutationBatch;
import dev.varve.store.MutationBatch.Edit;
import java.util.Arrays;
import java.util.NavigableMap;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.rocksdb.RocksDBException;

/** Encodes mutations of a table as records. Not safe for use by several threads. */
final class MutationEncoder {
  /** Bytes that a cell takes beyond its parts: marks, times and lengths. */
  private static final int CELL_OVERHEAD = 40;

  private final TableEntry table;
  private final MutationBatch batch;
  private final CellBatch cells;
  private final int columnFamily;
  private final GrowingBytes key = new GrowingBytes(256);
  private final GrowingBytes end = new GrowingBytes(256);
  private int rowLength;

  MutationEncoder(TableEntry table, MutationBatch batch, int columnFamily) {
    this.table = table;
    this.batch = batch;
    this.cells = batch.cells();
    this.columnFamily = columnFamily;
  }

  /**
   * Returns empty records with room for the edits from {@code first} (inclusive) to {@code last}
   * (exclusive).
   */
  WriteRecords room(int first, int last) {
    long share = (long) cells.byteCount() * (last - first) / Math.max(1, cells.size());
    return new WriteRecords((int) Math.min(1 << 30, share + (long) CELL_OVERHEAD * (last - first)));
  }

  /**
   * Returns whether encoding a mutation requires reading the current state. This is the case if it
   * deletes by time and the time is stored in the value.
   */
  boolean needsLook(int first, int last) {
    for (int i = first; i < last; i++) {
      if (deletesByTime(i)) {
        return true;
      }
    }
    return false;
  }

  private boolean deletesByTime(int edit) {
    return batch.edit(edit) == Edit.DELETE_COLUMN
        && !table.isTimed(cells.family(edit))
        && !batch.deletedTimes(edit).equals(TimeRange.ALL);
  }

  /** Encodes a mutation that needs no read. */
  void encode(int first, int last, WriteRecords into) {
    startRow(first);
    for (int i = first; i < last; i++) {
      encode(i, into);
    }
  }

  /** Encodes a mutation that needs a read; all writes before it must be visible. */
  void encode(int first, int last, WriteRecords into, Database database) throws RocksDBException {
    startRow(first);
    // For each column that is deleted by time, the time of its cell after the edits encoded so far.
    NavigableMap<Bytes, OptionalLong> times = new TreeMap<>();
    for (int i = first; i < last; i++) {
      if (deletesByTime(i)) {
        setColumn(i);
        byte[] value = database.cell(key);
        times.put(
            keyBytes(),
            value == null ? OptionalLong.empty() : OptionalLong.of(GrowingBytes.longAt(value, 0)));
      }
    }
    for (int i = first; i < last; i++) {
      if (deletesByTime(i)) {
        encodeDeleteByTime(i, times, into);
      } else {
        encode(i, into);
        follow(i, times);
      }
    }
  }

  private void encodeDeleteByTime(
      int edit, NavigableMap<Bytes, OptionalLong> times, WriteRecords into) {
    setColumn(edit);
    OptionalLong time = times.getOrDefault(keyBytes(), OptionalLong.empty());
    if (time.isPresent() && batch.deletedTimes(edit).contains(time.getAsLong())) {
      into.delete(columnFamily, key);
      times.put(keyBytes(), OptionalLong.empty());
    }
  }

  /** Applies the edit that was just encoded to the columns whose times are known. */
  private void follow(int edit, NavigableMap<Bytes, OptionalLong> times) {
    switch (batch.edit(edit)) {
      case PUT -> times.replace(keyBytes(), OptionalLong.of(cells.time(edit)));
      case DELETE_COLUMN -> times.replace(keyBytes(), OptionalLong.empty());
      case DELETE_QUALIFIERS, DELETE_FAMILY, DELETE_ROW -> {
        Bytes to = Bytes.copyOf(end.array(), 0, end.length());
        if (keyBytes().compareTo(to) < 0) {
          times.subMap(keyBytes(), to).replaceAll((column, time) -> OptionalLong.empty());
        }
      }
    }
  }

  private Bytes keyBytes() {
    return Bytes.copyOf(key.array(), 0, key.length());
  }

  private void encode(int edit, WriteRecords into) {
    switch (batch.edit(edit)) {
      case PUT -> encodePut(edit, into);
      case DELETE_COLUMN -> encodeDeleteColumn(edit, into);
      case DELETE_QUALIFIERS -> {
        setColumn(edit);
        startEnd();
        KeyFormat.addColumn(
            end,
            cells.family(edit),
            cells.bytes(),
            cells.valueOffset(edit),
            cells.valueLength(edit));
        encodeRange(into);
      }
      case DELETE_FAMILY -> {
        key.truncate(rowLength);
        key.addByte(cells.family(edit));
        startEnd();
        end.addByte(cells.family(edit) + 1);
        encodeRange(into);
      }
      case DELETE_ROW -> {
        key.truncate(rowLength);
        startEnd();
        KeyFormat.passEnd(end);
        encodeRange(into);
      }
    }
  }

  private void encodePut(int edit, WriteRecords into) {
    setColumn(edit);
    int valueLength = cells.valueLength(edit);
    GrowingBytes value;
    if (table.isTimed(cells.family(edit))) {
      KeyFormat.addTime(key, cells.time(edit));
      value = into.put(columnFamily, key, valueLength);
    } else {
      value = into.put(columnFamily, key, KeyFormat.TIME_LENGTH + valueLength);
      value.addLong(cells.time(edit));
    }
    value.add(cells.bytes(), cells.valueOffset(edit), valueLength);
  }

  private void encodeDeleteColumn(int edit, WriteRecords into) {
    setColumn(edit);
    TimeRange times = batch.deletedTimes(edit);
    if (!table.isTimed(cells.family(edit))) {
      into.delete(columnFamily, key);
    } else if (!times.isEmpty()) {
      int columnLength = key.length();
      KeyFormat.addTime(key, times.to() - 1);
      if (times.to() - 1 == times.from()) {
        into.delete(columnFamily, key);
      } else {
        end.truncate(0);
        end.add(key.array(), 0, columnLength);
        KeyFormat.addTime(end, times.from());
        end.addByte(0);
        encodeRange(into);
      }
    }
  }

  private void encodeRange(WriteRecords into) {
    if (Arrays.compareUnsigned(key.array(), 0, key.length(), end.array(), 0, end.length()) < 0) {
      into.deleteRange(columnFamily, key, end);
    }
  }

  private void startRow(int edit) {
    key.truncate(0);
    KeyFormat.addRow(key, table.id(), cells.bytes(), cells.rowOffset(edit), cells.rowLength(edit));
    rowLength = key.length();
  }

  /** Sets the key to that of the edit's column, without a time. */
  private void setColumn(int edit) {
    key.truncate(rowLength);
    KeyFormat.addColumn(
        key,
        cells.family(edit),
        cells.bytes(),
        cells.qualifierOffset(edit),
        cells.qualifierLength(edit));
  }

  /** Sets the end key to the row. */
  private void startEnd() {
    end.truncate(0);
    end.add(key.array(), 0, rowLength);
  }
}
