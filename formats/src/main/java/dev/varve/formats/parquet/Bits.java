package dev.varve.formats.parquet;

import java.io.ByteArrayOutputStream;

/** Integers in bytes, as several encodings of Parquet have them. */
final class Bits {
  private Bits() {}

  /** Writes seven bits a byte, the lowest first. */
  static void varint(ByteArrayOutputStream out, long value) {
    long rest = value;
    while ((rest & ~0x7fL) != 0) {
      out.write((int) ((rest & 0x7f) | 0x80));
      rest >>>= 7;
    }
    out.write((int) rest);
  }

  /** Writes the lowest bytes of a value, the lowest first. */
  static void littleEndian(ByteArrayOutputStream out, long value, int bytes) {
    for (int i = 0; i < bytes; i++) {
      out.write((int) (value >>> (8 * i)));
    }
  }

  /**
   * Writes the lowest bits of values one after the other, from the lowest bit of a byte on.
   *
   * @param count a multiple of 8
   * @param width bits of a value, from 0 to 64
   */
  static void pack(ByteArrayOutputStream out, long[] values, int count, int width) {
    int current = 0;
    int filled = 0;
    for (int i = 0; i < count; i++) {
      long value = values[i];
      int left = width;
      while (left > 0) {
        int taken = Math.min(8 - filled, left);
        current |= (int) (value & ((1L << taken) - 1)) << filled;
        value >>>= taken;
        filled += taken;
        left -= taken;
        if (filled == 8) {
          out.write(current);
          current = 0;
          filled = 0;
        }
      }
    }
  }

  /** Returns the number of bits that a value needs, taken as unsigned. */
  static int width(long value) {
    return 64 - Long.numberOfLeadingZeros(value);
  }
}
