package dev.varve.layout.kairosdb;

import dev.varve.layout.DamagedCellException;
import dev.varve.layout.KeyBytes;

/**
 * The value codecs of the data types.
 *
 * <pre>
 *   kairos_long     zig-zag (v &lt;&lt; 1 ^ v &gt;&gt; 63), then 7 bits per byte, lowest first; the high bit
 *                   means that more bytes follow; 1 to 10 bytes
 *   kairos_double   8 bytes, IEEE 754, big-endian; a NaN is written as 7ff8000000000000
 *   kairos_string   length in 2 bytes, then that many bytes of modified UTF-8 ({@link Utf8})
 *   none, flag 0    two's complement, big-endian, without leading zero bytes; 0 is empty
 *   none, flag 1    01 and a float in 4 bytes, or 02 and a double in 8
 * </pre>
 *
 * The reading methods throw {@link DamagedCellException} for anything that a writer of the type
 * would not write, such as overlong encodings.
 */
final class Values {
  static final int TEXT_MAX = 0xffff;

  private static final int FLOAT = 1;
  private static final int DOUBLE = 2;
  private static final int LONG_MAX_BYTES = 10;

  private Values() {}

  static void writeLong(long value, KeyBytes out) {
    long rest = (value << 1) ^ (value >> 63);
    while ((rest & ~0x7fL) != 0) {
      out.u8((int) (rest & 0x7f) | 0x80);
      rest >>>= 7;
    }
    out.u8((int) rest);
  }

  static long readLong(byte[] bytes, int from, int length) {
    if (length < 1 || length > LONG_MAX_BYTES) {
      throw new DamagedCellException(
          "value: %d bytes, a kairos_long has 1 to 10".formatted(length));
    }
    int last = from + length - 1;
    long bits = 0;
    for (int i = from; i <= last; i++) {
      boolean more = bytes[i] < 0;
      if (more != (i < last)) {
        throw new DamagedCellException(
            "value: byte %d, %02x, %s in a kairos_long of %d bytes"
                .formatted(
                    i - from, bytes[i], more ? "says that more follow" : "is an end", length));
      }
      bits |= (bytes[i] & 0x7fL) << (7 * (i - from));
    }
    boolean overlong = length > 1 && bytes[last] == 0;
    boolean beyond64Bits = length == LONG_MAX_BYTES && bytes[last] != 1;
    if (overlong || beyond64Bits) {
      throw new DamagedCellException(
          "value: byte %d, %02x, cannot be the last of a kairos_long"
              .formatted(length - 1, bytes[last]));
    }
    return (bits >>> 1) ^ -(bits & 1);
  }

  /**
   * Writes a double as {@code DataOutput.writeDouble} does: every NaN becomes the canonical one.
   */
  static void writeDouble(double value, KeyBytes out) {
    out.i64(Double.doubleToLongBits(value));
  }

  /**
   * Reads a double. Accepts every bit pattern, including NaNs that {@link #writeDouble} never
   * writes.
   */
  static double readDouble(byte[] bytes, int from, int length) {
    if (length != 8) {
      throw new DamagedCellException("value: %d bytes, a kairos_double has 8".formatted(length));
    }
    return Double.longBitsToDouble(number(bytes, from, 8));
  }

  /**
   * Writes a text.
   *
   * @return why it cannot be written, or an empty string
   */
  static String writeText(byte[] utf8, int from, int to, KeyBytes out) {
    int start = out.length();
    out.u16(0);
    int malformed = Utf8.toModified(utf8, from, to, out);
    if (malformed >= 0) {
      return "byte %d, %02x, of the text is not UTF-8".formatted(malformed - from, utf8[malformed]);
    }
    int length = out.length() - start - 2;
    if (length > TEXT_MAX) {
      return "the text takes %d bytes, and 65535 is the most".formatted(length);
    }
    out.array()[start] = (byte) (length >>> 8);
    out.array()[start + 1] = (byte) length;
    return "";
  }

  /** Checks the length of a text against its first two bytes. */
  static void checkText(byte[] bytes, int from, int length) {
    if (length < 2) {
      throw new DamagedCellException(
          "value: %d bytes, a kairos_string has at least 2".formatted(length));
    }
    int stated = ((bytes[from] & 0xff) << 8) | (bytes[from + 1] & 0xff);
    if (stated != length - 2) {
      throw new DamagedCellException(
          "value: says that %d bytes of text follow, and there are %d"
              .formatted(stated, length - 2));
    }
  }

  static long readUntypedLong(byte[] bytes, int from, int length) {
    if (length > 8) {
      throw new DamagedCellException(
          "value: %d bytes, a long without a type has 0 to 8".formatted(length));
    }
    if (length > 0 && bytes[from] == 0) {
      throw new DamagedCellException("value: byte 0 is 00, which a long without a type leaves out");
    }
    return number(bytes, from, length);
  }

  static double readUntypedDouble(byte[] bytes, int from, int length) {
    if (length == 5 && bytes[from] == FLOAT) {
      return Float.intBitsToFloat((int) number(bytes, from + 1, 4));
    }
    if (length == 9 && bytes[from] == DOUBLE) {
      return Double.longBitsToDouble(number(bytes, from + 1, 8));
    }
    throw new DamagedCellException(
        "value: neither 01 and 4 bytes nor 02 and 8 bytes, but "
            + (length == 0 ? "nothing" : "%02x and %d bytes".formatted(bytes[from], length - 1)));
  }

  private static long number(byte[] bytes, int from, int length) {
    long number = 0;
    for (int i = from; i < from + length; i++) {
      number = (number << 8) | (bytes[i] & 0xff);
    }
    return number;
  }
}
