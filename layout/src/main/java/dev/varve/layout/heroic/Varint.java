package dev.varve.layout.heroic;

import dev.varve.layout.DamagedCellException;
import dev.varve.layout.KeyBytes;

/**
 * The encoding of lengths and counts in tiny-serializer 1.4.5 ("compact").
 *
 * <pre>
 * 7 bits per byte, lowest first; bit 80 means that more bytes follow, whose value is one less than
 * in plain base 128: 127 is 7f, 128 is 80 00, 256 is 80 01, 16512 is 80 80 00.
 * </pre>
 *
 * Unlike the varint of protocol buffers, every number has exactly one encoding.
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
   * Returns the index after the number that starts at {@code from}.
   *
   * @throws DamagedCellException if the number extends beyond {@code to} or has more than five
   *     bytes
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
   * Returns the number from {@code from} to {@code end} (exclusive).
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
