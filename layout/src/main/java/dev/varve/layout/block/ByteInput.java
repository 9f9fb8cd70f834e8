package dev.varve.layout.block;

import dev.varve.layout.DamagedCellException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/** Reads what {@link ByteOutput} wrote. Every read checks that its bytes are there. */
final class ByteInput {
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private final byte[] bytes;
  private final int end;
  private int at;

  ByteInput(byte[] bytes, int from, int length) {
    this.bytes = bytes;
    this.at = from;
    this.end = from + length;
  }

  int left() {
    return end - at;
  }

  byte[] array() {
    return bytes;
  }

  int position() {
    return at;
  }

  int u8() {
    require(1);
    return bytes[at++] & 0xff;
  }

  int u16() {
    return u8() | (u8() << 8);
  }

  int u32() {
    return u16() | (u16() << 16);
  }

  long i64() {
    require(Long.BYTES);
    long value = (long) LONG.get(bytes, at);
    at += Long.BYTES;
    return value;
  }

  long varint() {
    long value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      int one = u8();
      value |= (one & 0x7fL) << shift;
      if (one < 0x80) {
        return value;
      }
    }
    throw new DamagedCellException("value: a number has more than ten bytes");
  }

  /**
   * Reads a count.
   *
   * @throws DamagedCellException if it exceeds {@code max}
   */
  int count(int max) {
    long count = varint();
    if (count < 0 || count > max) {
      throw new DamagedCellException("value: a count is %d, at most %d".formatted(count, max));
    }
    return (int) count;
  }

  long signed() {
    return unzigzag(varint());
  }

  /** Skips bytes and returns where they start. */
  int skip(int count) {
    require(count);
    at += count;
    return at - count;
  }

  /** Returns the CRC-32C of the bytes that are left. */
  static int checksum(byte[] bytes, int from, int length) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, from, length);
    return (int) crc.getValue();
  }

  static long unzigzag(long value) {
    return (value >>> 1) ^ -(value & 1);
  }

  /**
   * @throws DamagedCellException if fewer bytes are left
   */
  private void require(int count) {
    if (count < 0 || count > end - at) {
      throw new DamagedCellException(
          "value: %d bytes are needed at %d, %d are left".formatted(count, at, end - at));
    }
  }
}
