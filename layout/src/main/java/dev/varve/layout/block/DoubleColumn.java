package dev.varve.layout.block;

import dev.varve.layout.DamagedCellException;

/**
 * Encodes and decodes columns of doubles, bit for bit. Not safe for use by several threads.
 *
 * <pre>
 * form       u8      e, 0 to 15: doubles are integers divided by 10^e (the decimal form of ALP,
 *                    Afroozeh, Kuffo and Boncz, SIGMOD 2024); 255: bits are split
 * decimal:
 *   exceptions varint  number of doubles without that form; for each: its index, varint, less that
 *                      of the one before, and its bits, i64
 *   integers           {@link LongColumn}; an exception repeats the integer before it
 * split:
 *   high               {@link LongColumn} of the upper 16 bits: sign, exponent, first digits
 *   low                {@link LongColumn} of the lower 48 bits
 * </pre>
 */
final class DoubleColumn {
  private static final int SPLIT = 255;
  private static final int LOW_BITS = 48;
  private static final long LOW = -1L >>> (Long.SIZE - LOW_BITS);
  private static final int EXPONENT_MAX = 15;
  private static final int SAMPLED = 128;

  /** Maximum share of non-decimal doubles in a decimal column; a column with more is split. */
  private static final double EXCEPTIONS_MAX = 0.1;

  private static final double[] POWERS = new double[EXPONENT_MAX + 1];

  static {
    POWERS[0] = 1;
    for (int e = 1; e <= EXPONENT_MAX; e++) {
      POWERS[e] = POWERS[e - 1] * 10;
    }
  }

  private final LongColumn longs = new LongColumn();
  private final ByteOutput tried = new ByteOutput();
  private long[] numbers = new long[BitPacking.VECTOR];

  /** Adds a column, given by the bits of its doubles. */
  void encode(long[] bits, int from, int to, ByteOutput out) {
    int count = to - from;
    if (count > numbers.length) {
      numbers = new long[Math.max(count, 2 * numbers.length)];
    }
    int exponent = exponent(bits, from, to);
    if (exponent < 0) {
      split(bits, from, to, out);
      return;
    }
    int start = out.length();
    decimal(bits, from, to, exponent, out);
    int length = out.length() - start;
    if (length > (long) count * LOW_BITS / Byte.SIZE) {
      // Sums of doubles are decimals of 15 places, and yet shorter if they are split.
      tried.clear();
      split(bits, from, to, tried);
      if (tried.length() < length) {
        out.truncate(start);
        out.raw(tried);
      }
    }
  }

  /** Returns the exponent that fits most doubles; negative if none fits enough of them. */
  private static int exponent(long[] bits, int from, int to) {
    int every = Math.max(1, (to - from) / SAMPLED);
    int sampled = (to - from + every - 1) / every;
    int best = -1;
    int fewest = (int) (sampled * EXCEPTIONS_MAX) + 1;
    for (int e = 0; e <= EXPONENT_MAX && fewest > 0; e++) {
      int exceptions = 0;
      for (int i = from; i < to && exceptions < fewest; i += every) {
        exceptions += isDecimal(bits[i], e) ? 0 : 1;
      }
      if (exceptions < fewest) {
        fewest = exceptions;
        best = e;
      }
    }
    return best;
  }

  private static long integer(long bits, int exponent) {
    return (long) Math.rint(Double.longBitsToDouble(bits) * POWERS[exponent]);
  }

  private static boolean isDecimal(long bits, int exponent) {
    double again = integer(bits, exponent) / POWERS[exponent];
    return Double.doubleToRawLongBits(again) == bits;
  }

  private void decimal(long[] bits, int from, int to, int exponent, ByteOutput out) {
    int exceptions = 0;
    long before = 0;
    for (int i = from; i < to; i++) {
      long number = integer(bits[i], exponent);
      if (Double.doubleToRawLongBits(number / POWERS[exponent]) == bits[i]) {
        before = number;
      } else {
        exceptions++;
      }
      numbers[i - from] = before;
    }
    out.u8(exponent).varint(exceptions);
    int last = from;
    for (int i = from; i < to && exceptions > 0; i++) {
      double again = numbers[i - from] / POWERS[exponent];
      if (Double.doubleToRawLongBits(again) != bits[i]) {
        out.varint(i - last).i64(bits[i]);
        last = i;
        exceptions--;
      }
    }
    longs.encode(numbers, 0, to - from, out);
  }

  private void split(long[] bits, int from, int to, ByteOutput out) {
    out.u8(SPLIT);
    for (int i = from; i < to; i++) {
      numbers[i - from] = bits[i] >>> LOW_BITS;
    }
    longs.encode(numbers, 0, to - from, out);
    for (int i = from; i < to; i++) {
      numbers[i - from] = bits[i] & LOW;
    }
    longs.encode(numbers, 0, to - from, out);
  }

  /**
   * Decodes a part of a column of {@code count} doubles to their bits, and skips the rest.
   *
   * @param into receives the bits at their places; places outside of the part change as well
   * @param from first place of the part
   * @param to end of the part, at most {@code count}
   * @throws DamagedCellException if the bytes are not a column
   */
  void decode(ByteInput in, int count, long[] into, int from, int to) {
    int form = in.u8();
    if (form == SPLIT) {
      join(in, count, into, from, to);
      return;
    }
    if (form > EXPONENT_MAX) {
      throw new DamagedCellException("value: a column of doubles has form " + form);
    }
    int exceptions = in.count(count);
    ByteInput ofExceptions = new ByteInput(in.array(), in.position(), in.left());
    for (int i = 0; i < exceptions; i++) {
      in.varint();
      in.i64();
    }
    LongColumn.decode(in, count, into, from, to);
    double power = POWERS[form];
    if (form == 0) {
      // Most counters and many gauges are integers: no division.
      for (int i = from; i < to; i++) {
        into[i] = Double.doubleToRawLongBits((double) into[i]);
      }
    } else {
      for (int i = from; i < to; i++) {
        into[i] = Double.doubleToRawLongBits(into[i] / power);
      }
    }
    long index = 0;
    for (int i = 0; i < exceptions; i++) {
      index += ofExceptions.varint();
      if (index < 0 || index >= count) {
        throw new DamagedCellException(
            "value: an exception of place %d of %d".formatted(index, count));
      }
      into[(int) index] = ofExceptions.i64();
    }
  }

  private void join(ByteInput in, int count, long[] into, int from, int to) {
    if (count > numbers.length) {
      numbers = new long[Math.max(count, 2 * numbers.length)];
    }
    LongColumn.decode(in, count, into, from, to);
    LongColumn.decode(in, count, numbers, from, to);
    for (int i = from; i < to; i++) {
      into[i] = (into[i] << LOW_BITS) | numbers[i];
    }
  }
}
