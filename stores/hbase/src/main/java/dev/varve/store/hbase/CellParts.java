package dev.varve.store.hbase;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.KeyValue;

/**
 * The positions of the parts of a cell. The client's own cells find each part anew with every call,
 * byte by byte; here the header of a cell is read once:
 *
 * <pre>
 *  key length  value length  row length  row  family length  family  qualifier  time     type  value
 *  4 bytes     4 bytes       2 bytes          1 byte                            8 bytes  1 byte
 * </pre>
 *
 * <p>Instances are reused. Used by one thread.
 */
final class CellParts {
  private static final VarHandle SHORT =
      MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  /** Up to this length a loop is faster than a call that compares vectors. */
  private static final int SHORT_LENGTH = 16;

  private static final byte[] NONE = {};

  private byte[] rowBytes = NONE;
  private int rowAt;
  private int rowLength;
  private byte[] familyBytes = NONE;
  private int familyAt;
  private int familyLength;
  private byte[] qualifierBytes = NONE;
  private int qualifierAt;
  private int qualifierLength;
  private byte[] valueBytes = NONE;
  private int valueAt;
  private int valueLength;
  private long time;

  /** Takes the parts of a cell, whose bytes must not change meanwhile. */
  void take(Cell cell) {
    if (cell instanceof KeyValue plain) {
      take(plain.getBuffer(), plain.getOffset());
    } else {
      rowBytes = cell.getRowArray();
      rowAt = cell.getRowOffset();
      rowLength = cell.getRowLength();
      familyBytes = cell.getFamilyArray();
      familyAt = cell.getFamilyOffset();
      familyLength = cell.getFamilyLength();
      qualifierBytes = cell.getQualifierArray();
      qualifierAt = cell.getQualifierOffset();
      qualifierLength = cell.getQualifierLength();
      valueBytes = cell.getValueArray();
      valueAt = cell.getValueOffset();
      valueLength = cell.getValueLength();
      time = cell.getTimestamp();
    }
  }

  private void take(byte[] bytes, int from) {
    int keyAt = from + KeyValue.ROW_OFFSET;
    int timeAt = keyAt + (int) INT.get(bytes, from) - KeyValue.TIMESTAMP_TYPE_SIZE;
    rowBytes = bytes;
    rowAt = keyAt + KeyValue.ROW_LENGTH_SIZE;
    rowLength = (short) SHORT.get(bytes, keyAt);
    familyBytes = bytes;
    familyAt = rowAt + rowLength + KeyValue.FAMILY_LENGTH_SIZE;
    familyLength = bytes[familyAt - KeyValue.FAMILY_LENGTH_SIZE];
    qualifierBytes = bytes;
    qualifierAt = familyAt + familyLength;
    qualifierLength = timeAt - qualifierAt;
    valueBytes = bytes;
    valueAt = timeAt + KeyValue.TIMESTAMP_TYPE_SIZE;
    valueLength = (int) INT.get(bytes, from + KeyValue.KEY_LENGTH_SIZE);
    time = (long) LONG.get(bytes, timeAt);
  }

  byte[] rowBytes() {
    return rowBytes;
  }

  int rowAt() {
    return rowAt;
  }

  int rowLength() {
    return rowLength;
  }

  byte[] qualifierBytes() {
    return qualifierBytes;
  }

  int qualifierAt() {
    return qualifierAt;
  }

  int qualifierLength() {
    return qualifierLength;
  }

  byte[] valueBytes() {
    return valueBytes;
  }

  int valueAt() {
    return valueAt;
  }

  int valueLength() {
    return valueLength;
  }

  /** Returns the cell time in milliseconds since 1970. */
  long time() {
    return time;
  }

  /** Returns the number of bytes of row key, qualifier and value. */
  long byteCount() {
    return (long) rowLength + qualifierLength + valueLength;
  }

  boolean hasRowOf(CellParts other) {
    return rowLength == other.rowLength
        && equal(rowBytes, rowAt, other.rowBytes, other.rowAt, rowLength);
  }

  boolean hasColumnOf(CellParts other) {
    return qualifierLength == other.qualifierLength
        && familyLength == other.familyLength
        && equal(
            qualifierBytes, qualifierAt, other.qualifierBytes, other.qualifierAt, qualifierLength)
        && equal(familyBytes, familyAt, other.familyBytes, other.familyAt, familyLength);
  }

  boolean isOfFamily(byte[] name) {
    return familyLength == name.length && equal(familyBytes, familyAt, name, 0, name.length);
  }

  private static boolean equal(byte[] a, int aFrom, byte[] b, int bFrom, int length) {
    if (length > SHORT_LENGTH) {
      return Arrays.equals(a, aFrom, aFrom + length, b, bFrom, bFrom + length);
    }
    for (int i = 0; i < length; i++) {
      if (a[aFrom + i] != b[bFrom + i]) {
        return false;
      }
    }
    return true;
  }
}
