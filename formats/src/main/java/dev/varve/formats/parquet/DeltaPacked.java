package dev.varve.formats.parquet;

import java.io.ByteArrayOutputStream;

/**
 * Integers as differences to the one before, packed in blocks: Parquet's encoding
 * DELTA_BINARY_PACKED.
 */
final class DeltaPacked {
  private static final int BLOCK = 128;
  private static final int PARTS = 4;
  private static final int PART = BLOCK / PARTS;

  private DeltaPacked() {}

  /** Encodes the first values of an array, at least one. */
  static byte[] encode(long[] values, int count) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    Bits.varint(out, BLOCK);
    Bits.varint(out, PARTS);
    Bits.varint(out, count);
    zigzag(out, values[0]);
    long[] deltas = new long[BLOCK];
    for (int at = 1; at < count; at += BLOCK) {
      int size = Math.min(BLOCK, count - at);
      long least = Long.MAX_VALUE;
      for (int i = 0; i < size; i++) {
        // Differences may overflow; readers overflow in the same way.
        deltas[i] = values[at + i] - values[at + i - 1];
        least = Math.min(least, deltas[i]);
      }
      block(out, deltas, size, least);
    }
    return out.toByteArray();
  }

  private static void block(ByteArrayOutputStream out, long[] deltas, int size, long least) {
    zigzag(out, least);
    int[] widths = new int[PARTS];
    for (int i = 0; i < BLOCK; i++) {
      deltas[i] = i < size ? deltas[i] - least : 0;
      widths[i / PART] = Math.max(widths[i / PART], Bits.width(deltas[i]));
    }
    for (int width : widths) {
      out.write(width);
    }
    long[] part = new long[PART];
    for (int i = 0; i * PART < size; i++) {
      System.arraycopy(deltas, i * PART, part, 0, PART);
      Bits.pack(out, part, PART, widths[i]);
    }
  }

  private static void zigzag(ByteArrayOutputStream out, long value) {
    Bits.varint(out, (value << 1) ^ (value >> 63));
  }
}
