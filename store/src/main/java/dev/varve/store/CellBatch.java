package dev.varve.store;

import dev.varve.model.Bytes;
import java.util.Arrays;

/**
 * Cells of one table in one buffer. For each cell the batch keeps the offsets of row key, qualifier
 * and value, the family and the time. Neighbouring cells of one row share the bytes of the key.
 * Instances are meant to be reused: only growth allocates. Not safe for use by several threads.
 */
public final class CellBatch {
  private byte[] bytes = new byte[4096];
  private int used;
  private int size;
  private int[] rowOffset = new int[64];
  private int[] rowLength = new int[64];
  private int[] qualifierOffset = new int[64];
  private int[] qualifierLength = new int[64];
  private int[] valueOffset = new int[64];
  private int[] valueLength = new int[64];
  private int[] family = new int[64];
  private long[] time = new long[64];

  public int size() {
    return size;
  }

  public boolean isEmpty() {
    return size == 0;
  }

  /** Returns the number of bytes of all cells; keys shared between neighbours count once. */
  public int byteCount() {
    return used;
  }

  /** Returns a read-only copy sized to fit its cells exactly, for long-term keeping. */
  public CellBatch trimmed() {
    CellBatch copy = new CellBatch();
    copy.bytes = Arrays.copyOf(bytes, used);
    copy.used = used;
    copy.size = size;
    copy.rowOffset = Arrays.copyOf(rowOffset, size);
    copy.rowLength = Arrays.copyOf(rowLength, size);
    copy.qualifierOffset = Arrays.copyOf(qualifierOffset, size);
    copy.qualifierLength = Arrays.copyOf(qualifierLength, size);
    copy.valueOffset = Arrays.copyOf(valueOffset, size);
    copy.valueLength = Arrays.copyOf(valueLength, size);
    copy.family = Arrays.copyOf(family, size);
    copy.time = Arrays.copyOf(time, size);
    return copy;
  }

  /** Removes all cells but keeps the memory. */
  public void clear() {
    size = 0;
    used = 0;
  }

  /** Returns the buffer that all offsets refer to. The next {@code add} may replace it. */
  public byte[] bytes() {
    return bytes;
  }

  public int rowOffset(int cell) {
    return rowOffset[cell];
  }

  public int rowLength(int cell) {
    return rowLength[cell];
  }

  /** Returns the index of the cell's family in {@link TableSpec#families()}. */
  public int family(int cell) {
    return family[cell];
  }

  public int qualifierOffset(int cell) {
    return qualifierOffset[cell];
  }

  public int qualifierLength(int cell) {
    return qualifierLength[cell];
  }

  /** Returns the cell's time in the unit of the table. */
  public long time(int cell) {
    return time[cell];
  }

  public int valueOffset(int cell) {
    return valueOffset[cell];
  }

  public int valueLength(int cell) {
    return valueLength[cell];
  }

  public Bytes row(int cell) {
    return Bytes.copyOf(bytes, rowOffset[cell], rowLength[cell]);
  }

  public Bytes qualifier(int cell) {
    return Bytes.copyOf(bytes, qualifierOffset[cell], qualifierLength[cell]);
  }

  public Bytes value(int cell) {
    return Bytes.copyOf(bytes, valueOffset[cell], valueLength[cell]);
  }

  public Cell cell(int cell) {
    return new Cell(row(cell), family[cell], qualifier(cell), time[cell], value(cell));
  }

  public boolean sameRow(int a, int b) {
    return (rowOffset[a] == rowOffset[b] && rowLength[a] == rowLength[b])
        || Arrays.equals(
            bytes,
            rowOffset[a],
            rowOffset[a] + rowLength[a],
            bytes,
            rowOffset[b],
            rowOffset[b] + rowLength[b]);
  }

  /**
   * Adds a cell and copies its bytes. A row key equal to the preceding cell's is not copied again.
   */
  public void add(
      byte[] row,
      int rowFrom,
      int rowSize,
      int familyIndex,
      byte[] qualifier,
      int qualifierFrom,
      int qualifierSize,
      long cellTime,
      byte[] value,
      int valueFrom,
      int valueSize) {
    boolean sameRow =
        size > 0
            && rowLength[size - 1] == rowSize
            && Arrays.equals(
                bytes,
                rowOffset[size - 1],
                rowOffset[size - 1] + rowSize,
                row,
                rowFrom,
                rowFrom + rowSize);
    int at = sameRow ? rowOffset[size - 1] : append(row, rowFrom, rowSize);
    add(
        at,
        rowSize,
        familyIndex,
        qualifier,
        qualifierFrom,
        qualifierSize,
        cellTime,
        value,
        valueFrom,
        valueSize);
  }

  /** Adds a cell to the row of the preceding cell, which must exist, and copies its bytes. */
  public void addToRow(
      int familyIndex,
      byte[] qualifier,
      int qualifierFrom,
      int qualifierSize,
      long cellTime,
      byte[] value,
      int valueFrom,
      int valueSize) {
    add(
        rowOffset[size - 1],
        rowLength[size - 1],
        familyIndex,
        qualifier,
        qualifierFrom,
        qualifierSize,
        cellTime,
        value,
        valueFrom,
        valueSize);
  }

  private void add(
      int rowAt,
      int rowSize,
      int familyIndex,
      byte[] qualifier,
      int qualifierFrom,
      int qualifierSize,
      long cellTime,
      byte[] value,
      int valueFrom,
      int valueSize) {
    if (size == time.length) {
      growCells();
    }
    rowOffset[size] = rowAt;
    rowLength[size] = rowSize;
    family[size] = familyIndex;
    qualifierOffset[size] = append(qualifier, qualifierFrom, qualifierSize);
    qualifierLength[size] = qualifierSize;
    time[size] = cellTime;
    valueOffset[size] = append(value, valueFrom, valueSize);
    valueLength[size] = valueSize;
    size++;
  }

  public void add(Cell cell) {
    byte[] row = cell.row().toArray();
    byte[] qualifier = cell.qualifier().toArray();
    byte[] value = cell.value().toArray();
    add(
        row,
        0,
        row.length,
        cell.family(),
        qualifier,
        0,
        qualifier.length,
        cell.time(),
        value,
        0,
        value.length);
  }

  /** Adds a cell of another batch. */
  public void addFrom(CellBatch other, int cell) {
    byte[] from = other.bytes;
    add(
        from,
        other.rowOffset[cell],
        other.rowLength[cell],
        other.family[cell],
        from,
        other.qualifierOffset[cell],
        other.qualifierLength[cell],
        other.time[cell],
        from,
        other.valueOffset[cell],
        other.valueLength[cell]);
  }

  private int append(byte[] source, int from, int length) {
    ensure(length);
    System.arraycopy(source, from, bytes, used, length);
    int at = used;
    used += length;
    return at;
  }

  private void ensure(int more) {
    long needed = (long) used + more;
    if (needed > bytes.length) {
      if (needed > Integer.MAX_VALUE - 16) {
        throw new IllegalStateException(
            "a batch of cells cannot exceed 2 GiB, but needs " + needed + " bytes");
      }
      bytes =
          Arrays.copyOf(
              bytes, (int) Math.min(Integer.MAX_VALUE - 16, Math.max(needed, 2L * bytes.length)));
    }
  }

  private void growCells() {
    int capacity = 2 * size;
    rowOffset = Arrays.copyOf(rowOffset, capacity);
    rowLength = Arrays.copyOf(rowLength, capacity);
    qualifierOffset = Arrays.copyOf(qualifierOffset, capacity);
    qualifierLength = Arrays.copyOf(qualifierLength, capacity);
    valueOffset = Arrays.copyOf(valueOffset, capacity);
    valueLength = Arrays.copyOf(valueLength, capacity);
    family = Arrays.copyOf(family, capacity);
    time = Arrays.copyOf(time, capacity);
  }
}
