package dev.varve.server.prometheus;

import java.util.Arrays;

/**
 * Samples of one series as a Prometheus chunk with XOR encoding ({@code
 * tsdb/docs/format/chunks.md}; after Pelkonen et al., Gorilla, VLDB 2015). Reusable.
 */
final class XorChunk {
  /*
   * Chunk := count u16be, then bits, the highest of a byte first, the last byte padded with 0:
   *   first sample    time varint (zigzag, ms)    value 64 bits
   *   second          delta, uvarint              value
   *   others          delta of deltas             value
   * delta of deltas :=
   *   0               0
   *   10   14 bits    -8191 .. 8192
   *   110  17 bits    -65535 .. 65536
   *   1110 20 bits    -524287 .. 524288
   *   1111 64 bits
   * value, as its bits XOR those of the preceding value :=
   *   0               unchanged
   *   10 ...          its bits within the last stored leading and trailing zeros
   *   11 zeros 5 bits, length 6 bits (64 as 0), ...     its bits without the zeros at both ends
   */

  /** Maximum number of samples in a chunk, as in Prometheus. */
  static final int SAMPLES_MAX = 120;

  private static final int HEADER = 2;

  /** Bytes of a sample whose time and value both take the longest form, rounded up. */
  private static final int SAMPLE_BYTES_MAX = 20;

  private static final int ZEROS_MAX = 31;
  private static final int UNKNOWN = 64;

  private final byte[] bytes = new byte[HEADER + SAMPLES_MAX * SAMPLE_BYTES_MAX];
  private int bitCount = 8 * HEADER;
  private int count;
  private long firstTime;
  private long time;
  private long delta;
  private long value;
  private int leading = UNKNOWN;
  private int trailing;

  /** Empties the chunk for reuse. */
  void clear() {
    Arrays.fill(bytes, 0, size(), (byte) 0);
    bitCount = 8 * HEADER;
    count = 0;
    leading = UNKNOWN;
    trailing = 0;
  }

  int count() {
    return count;
  }

  /** Returns the time of the first sample, in ms since 1970. */
  long firstTime() {
    return firstTime;
  }

  long lastTime() {
    return time;
  }

  /**
   * Adds a sample. A chunk holds at most {@link #SAMPLES_MAX}.
   *
   * @param at in ms since 1970, after the preceding sample
   */
  void add(long at, double sample) {
    long bits = Double.doubleToRawLongBits(sample);
    switch (count) {
      case 0 -> {
        firstTime = at;
        uvarint((at << 1) ^ (at >> 63));
        bits(bits, 64);
      }
      case 1 -> {
        delta = at - time;
        uvarint(delta);
        change(bits);
      }
      default -> {
        long next = at - time;
        differenceOfDifferences(next - delta);
        delta = next;
        change(bits);
      }
    }
    time = at;
    value = bits;
    count++;
    bytes[0] = (byte) (count >> 8);
    bytes[1] = (byte) count;
  }

  private void differenceOfDifferences(long difference) {
    if (difference == 0) {
      bits(0b0, 1);
    } else if (fits(difference, 14)) {
      bits(0b10, 2);
      bits(difference, 14);
    } else if (fits(difference, 17)) {
      bits(0b110, 3);
      bits(difference, 17);
    } else if (fits(difference, 20)) {
      bits(0b1110, 4);
      bits(difference, 20);
    } else {
      bits(0b1111, 4);
      bits(difference, 64);
    }
  }

  private static boolean fits(long difference, int width) {
    long most = 1L << (width - 1);
    return difference > -most && difference <= most;
  }

  private void change(long to) {
    long xor = to ^ value;
    if (xor == 0) {
      bits(0b0, 1);
      return;
    }
    int leadingNow = Math.min(Long.numberOfLeadingZeros(xor), ZEROS_MAX);
    int trailingNow = Long.numberOfTrailingZeros(xor);
    if (leading != UNKNOWN && leadingNow >= leading && trailingNow >= trailing) {
      bits(0b10, 2);
      bits(xor >>> trailing, 64 - leading - trailing);
      return;
    }
    leading = leadingNow;
    trailing = trailingNow;
    int length = 64 - leading - trailing;
    bits(0b11, 2);
    bits(leading, 5);
    bits(length, 6);
    bits(xor >>> trailing, length);
  }

  private void uvarint(long number) {
    long rest = number;
    while ((rest & ~0x7fL) != 0) {
      bits((rest & 0x7f) | 0x80, 8);
      rest >>>= 7;
    }
    bits(rest, 8);
  }

  /** Appends the lowest bits of a number. */
  private void bits(long number, int width) {
    int left = width;
    while (left > 0) {
      int free = 8 - (bitCount & 7);
      int taken = Math.min(free, left);
      int part = (int) (number >>> (left - taken)) & ((1 << taken) - 1);
      bytes[bitCount >> 3] |= (byte) (part << (free - taken));
      bitCount += taken;
      left -= taken;
    }
  }

  private int size() {
    return (bitCount + 7) >> 3;
  }

  byte[] toBytes() {
    return Arrays.copyOf(bytes, size());
  }
}
