package dev.varve.layout.heroic;

import dev.varve.layout.DamagedCellException;
import dev.varve.layout.KeyBytes;

/**
 * Lengths and counts, as tiny-serializer 1.4.5 ("compact") writes them.
 *
 * <pre>
 * 7 bits a byte, the lowest first; 80 says that more follow, and what follows counts from one
 * more: 127 is 7f, 128 is 80 00, 256 is 80 01, 16512 is 80 80 00.
 * </pre>
 *
 * So every number has one form and no other, unlike the varint of protocol buffers.
 */
final class Varint {
  private static final int BYTES_MAX = 5;

  private Varint() {}

  static void write(int value, KeyBytes out) {
    int rest = value;
    while (rest >>> 7 > 0) {
      out.u8((rest & 0x7f) | 0x80);
      rest = (rest >>> 7) - 1;
    }
    out.u8(rest);
  }

  /**
   * Where the number that starts at {@code from} ends.
   *
   * @throws DamagedCellException if it does not end before {@code to}, or after five bytes
   */
  static int end(byte[] bytes, int from, int to) {
    for (int at = from; at < Math.min(to, from + BYTES_MAX); at++) {
      if (bytes[at] >= 0) {
        return at + 1;
      }
    }
    throw new DamagedCellException(
        "row key: no number of at most five bytes at byte " + from + ", the key ends at " + to);
  }

  /**
   * The number from {@code from} to {@code end}.
   *
   * @throws DamagedCellException if it does not fit into 31 bits
   */
  static int value(byte[] bytes, int from, int end) {
    long value = bytes[from] & 0x7f;
    for (int i = 1; i < end - from; i++) {
      value += ((bytes[from + i] & 0x7fL) + 1) << (7 * i);
    }
    if (value > Integer.MAX_VALUE) {
      throw new DamagedCellException("row key: the number at byte " + from + " is " + value);
    }
    return (int) value;
  }
}
