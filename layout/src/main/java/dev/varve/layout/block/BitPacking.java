package dev.varve.layout.block;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Packs unsigned numbers of a fixed width of 0 to 64 bits.
 *
 * <p>A full vector has 1,024 numbers in 16 lanes of 64-bit words: number {@code i} is in lane
 * {@code i % 16}, at bit {@code i / 16 * width} of that lane, and word {@code w} of lane {@code l}
 * is word {@code w * 16 + l} of the vector. So the inner loop over lanes shifts all of them alike,
 * which the compiler turns into vector instructions. A shorter vector is one lane.
 */
final class BitPacking {
  /** Number of values in a full vector. */
  static final int VECTOR = 1024;

  private static final int LANES = 16;
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private BitPacking() {}

  /** Returns the width in bits of the largest of some unsigned numbers, given their bitwise OR. */
  static int width(long bits) {
    return Long.SIZE - Long.numberOfLeadingZeros(bits);
  }

  /** Returns the number of bytes of a packed vector. */
  static int bytes(int count, int width) {
    return count == VECTOR ? VECTOR / 8 * width : (count * width + 7) >>> 3;
  }

  /** Adds a vector of {@code count} numbers, at most {@link #VECTOR}. */
  static void pack(long[] numbers, int from, int count, int width, ByteOutput out) {
    if (width == 0) {
      return;
    }
    if (count == VECTOR) {
      packLanes(numbers, from, width, out);
    } else {
      packShort(numbers, from, count, width, out);
    }
  }

  private static void packLanes(long[] numbers, int from, int width, ByteOutput out) {
    long[] words = new long[LANES * width];
    for (int row = 0; row < VECTOR / LANES; row++) {
      int bit = row * width;
      int word = (bit >>> 6) * LANES;
      int shift = bit & 63;
      for (int lane = 0; lane < LANES; lane++) {
        long number = numbers[from + row * LANES + lane];
        words[word + lane] |= number << shift;
        if (shift + width > 64) {
          words[word + LANES + lane] |= number >>> (64 - shift);
        }
      }
    }
    for (long word : words) {
      out.i64(word);
    }
  }

  private static void packShort(long[] numbers, int from, int count, int width, ByteOutput out) {
    long word = 0;
    int used = 0;
    for (int i = from; i < from + count; i++) {
      word |= numbers[i] << used;
      used += width;
      if (used >= 64) {
        out.i64(word);
        used -= 64;
        // A shift by 64 would be one by 0.
        word = used == 0 ? 0 : numbers[i] >>> (width - used);
      }
    }
    for (; used > 0; used -= 8) {
      out.u8((int) word);
      word >>>= 8;
    }
  }

  /** Reads a vector of {@code count} numbers. */
  static void unpack(ByteInput in, int count, int width, long[] into, int to) {
    int start = in.skip(bytes(count, width));
    if (width == 0) {
      Arrays.fill(into, to, to + count, 0);
    } else if (count == VECTOR) {
      unpackLanes(in.array(), start, width, into, to);
    } else {
      unpackShort(in.array(), start, count, width, into, to);
    }
  }

  private static void unpackLanes(byte[] bytes, int start, int width, long[] into, int to) {
    long mask = -1L >>> (64 - width);
    for (int row = 0; row < VECTOR / LANES; row++) {
      int bit = row * width;
      int word = start + (bit >>> 6) * LANES * Long.BYTES;
      int shift = bit & 63;
      int at = to + row * LANES;
      if (shift + width <= 64) {
        for (int lane = 0; lane < LANES; lane++) {
          into[at + lane] = ((long) LONG.get(bytes, word + lane * Long.BYTES) >>> shift) & mask;
        }
      } else {
        int next = word + LANES * Long.BYTES;
        int left = 64 - shift;
        for (int lane = 0; lane < LANES; lane++) {
          long low = (long) LONG.get(bytes, word + lane * Long.BYTES) >>> shift;
          long high = (long) LONG.get(bytes, next + lane * Long.BYTES) << left;
          into[at + lane] = (low | high) & mask;
        }
      }
    }
  }

  private static void unpackShort(
      byte[] bytes, int start, int count, int width, long[] into, int to) {
    long mask = -1L >>> (64 - width);
    int end = start + bytes(count, width);
    for (int i = 0; i < count; i++) {
      int bit = i * width;
      int at = start + (bit >>> 3);
      int shift = bit & 7;
      long low = word(bytes, at, end) >>> shift;
      long high = shift + width > 64 ? (bytes[at + 8] & 0xffL) << (64 - shift) : 0;
      into[to + i] = (low | high) & mask;
    }
  }

  /** Returns eight bytes, with zeros in place of bytes after the end. */
  private static long word(byte[] bytes, int at, int end) {
    if (at + Long.BYTES <= end) {
      return (long) LONG.get(bytes, at);
    }
    long word = 0;
    for (int i = end - 1; i >= at; i--) {
      word = (word << 8) | (bytes[i] & 0xff);
    }
    return word;
  }
}
