package dev.varve.layout.block;

import dev.varve.model.Bytes;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.zip.CRC32C;

/** A growing, reusable buffer of bytes. Fixed-size numbers are little-endian. */
final class ByteOutput {
  private static final int VARINT_MAX = 10;
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private byte[] bytes = new byte[512];
  private int length;

  void clear() {
    length = 0;
  }

  int length() {
    return length;
  }

  /** Drops what was added after a length. */
  void truncate(int to) {
    length = to;
  }

  ByteOutput u8(int value) {
    reserve(1);
    bytes[length++] = (byte) value;
    return this;
  }

  ByteOutput u16(int value) {
    return u8(value).u8(value >>> 8);
  }

  ByteOutput u32(int value) {
    return u16(value).u16(value >>> 16);
  }

  ByteOutput i64(long value) {
    reserve(Long.BYTES);
    LONG.set(bytes, length, value);
    length += Long.BYTES;
    return this;
  }

  /** Adds an unsigned number with its lowest seven bits first. */
  ByteOutput varint(long value) {
    reserve(VARINT_MAX);
    long rest = value;
    while ((rest & ~0x7fL) != 0) {
      bytes[length++] = (byte) ((rest & 0x7f) | 0x80);
      rest >>>= 7;
    }
    bytes[length++] = (byte) rest;
    return this;
  }

  /** Adds a signed number: small magnitudes are short. */
  ByteOutput signed(long value) {
    return varint(zigzag(value));
  }

  ByteOutput raw(byte[] source, int from, int count) {
    reserve(count);
    System.arraycopy(source, from, bytes, length, count);
    length += count;
    return this;
  }

  ByteOutput raw(ByteOutput other) {
    return raw(other.bytes, 0, other.length);
  }

  /** Returns the CRC-32C of everything added. */
  int checksum() {
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, length);
    return (int) crc.getValue();
  }

  Bytes toBytes() {
    return Bytes.copyOf(bytes, 0, length);
  }

  private void reserve(int more) {
    if (length + more > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(length + more, 2 * bytes.length));
    }
  }

  static long zigzag(long value) {
    return (value << 1) ^ (value >> 63);
  }
}
