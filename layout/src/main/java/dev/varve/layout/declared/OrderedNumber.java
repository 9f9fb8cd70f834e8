package dev.varve.layout.declared;

import dev.varve.layout.KeyBytes;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * An encoding of signed 64-bit numbers that preserves their order: big-endian, with the sign bit
 * flipped.
 *
 * <p>Descending order is the complement of that. {@code MAX - number} would overflow for negative
 * numbers.
 */
final class OrderedNumber {
  static final int LENGTH = 8;

  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  private OrderedNumber() {}

  static void append(long number, boolean descending, KeyBytes out) {
    long rising = number ^ Long.MIN_VALUE;
    out.i64(descending ? ~rising : rising);
  }

  static long read(byte[] bytes, int from, boolean descending) {
    long rising = unsigned(bytes, from, LENGTH);
    return (descending ? ~rising : rising) ^ Long.MIN_VALUE;
  }

  /** Decodes a big-endian unsigned number of up to eight bytes. */
  static long unsigned(byte[] bytes, int from, int length) {
    if (length > 0 && from <= bytes.length - LENGTH) {
      return (long) LONG.get(bytes, from) >>> (64 - 8 * length);
    }
    long number = 0;
    for (int i = 0; i < length; i++) {
      number = (number << 8) | (bytes[from + i] & 0xff);
    }
    return number;
  }
}
