package dev.varve.bench.compare;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Bytes that are appended, kept for the next use. */
final class ByteText {
  private byte[] bytes = new byte[1 << 16];
  private int length;

  byte[] bytes() {
    return bytes;
  }

  int length() {
    return length;
  }

  void clear() {
    length = 0;
  }

  ByteText add(byte[] more) {
    room(more.length);
    System.arraycopy(more, 0, bytes, length, more.length);
    length += more.length;
    return this;
  }

  ByteText add(String text) {
    return add(text.getBytes(StandardCharsets.ISO_8859_1));
  }

  ByteText add(int one) {
    room(1);
    bytes[length++] = (byte) one;
    return this;
  }

  /** Adds an integer as Protocol Buffers do. */
  ByteText addVarint(long value) {
    long rest = value;
    while ((rest & ~0x7fL) != 0) {
      add((int) ((rest & 0x7f) | 0x80));
      rest >>>= 7;
    }
    return add((int) rest);
  }

  /** Adds the eight bytes of a double, lowest first. */
  ByteText addDouble(double value) {
    long bits = Double.doubleToRawLongBits(value);
    for (int shift = 0; shift < 64; shift += 8) {
      add((int) (bits >>> shift));
    }
    return this;
  }

  private void room(int more) {
    if (length + more > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, length + more));
    }
  }
}
