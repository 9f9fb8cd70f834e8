package dev.varve.store.rocksdb;

import dev.varve.model.Bytes;
import dev.varve.store.StoreException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/** A growing array of bytes. Numbers are big-endian unless a name says otherwise. */
final class GrowingBytes {
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
  private static final int LARGEST = Integer.MAX_VALUE - 16;

  private byte[] array;
  private int length;

  GrowingBytes(int capacity) {
    array = new byte[capacity];
  }

  /**
   * Returns the backing array, of which the first {@link #length()} bytes are valid. Growth
   * replaces it.
   */
  byte[] array() {
    return array;
  }

  int length() {
    return length;
  }

  byte[] toArray() {
    return Arrays.copyOf(array, length);
  }

  /** Drops all bytes after the first {@code shorter}. */
  void truncate(int shorter) {
    length = shorter;
  }

  void addByte(int value) {
    ensure(1);
    array[length++] = (byte) value;
  }

  void addInt(int value) {
    ensure(Integer.BYTES);
    INT.set(array, length, value);
    length += Integer.BYTES;
  }

  void addLong(long value) {
    ensure(Long.BYTES);
    LONG.set(array, length, value);
    length += Long.BYTES;
  }

  /**
   * Adds a varint: seven bits per byte, lowest bits first, the high bit set in all but the last
   * byte.
   */
  void addVarint(int value) {
    ensure(5);
    int rest = value;
    while (rest >>> 7 != 0) {
      array[length++] = (byte) (rest | 0x80);
      rest >>>= 7;
    }
    array[length++] = (byte) rest;
  }

  void add(byte[] source, int from, int count) {
    ensure(count);
    System.arraycopy(source, from, array, length, count);
    length += count;
  }

  void add(GrowingBytes other) {
    add(other.array, 0, other.length);
  }

  void add(Bytes bytes) {
    ensure(bytes.length());
    bytes.copyTo(array, length);
    length += bytes.length();
  }

  private void ensure(int more) {
    int needed = length + more;
    if (needed > array.length || needed < 0) {
      grow(Integer.toUnsignedLong(needed));
    }
  }

  private void grow(long needed) {
    if (needed > LARGEST) {
      throw new StoreException(
          "a write is limited to 2 GiB, this one would have " + needed + " bytes");
    }
    array = Arrays.copyOf(array, (int) Math.min(LARGEST, Math.max(needed, 2L * array.length)));
  }

  static long longAt(byte[] array, int offset) {
    return (long) LONG.get(array, offset);
  }
}
