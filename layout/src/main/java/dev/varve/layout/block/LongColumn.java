package dev.varve.layout.block;

import dev.varve.layout.DamagedCellException;

/**
 * Encodes and decodes columns of int64s. Not safe for use by several threads.
 *
 * <pre>
 * model     u8      0 the numbers, 1 their deltas, 2 the deltas of their deltas; +4: divided by
 *                   a factor
 * factor    varint  if divided: greatest common divisor of all numbers of the model but the leading
 * leading   signed  first number (models 1, 2), then the first delta (model 2)
 * vectors           of 1,024 numbers each, the last one shorter:
 *   width   u8      bits of a packed number, 0 to 64; +128: numbers are signed, as zigzag;
 *                   otherwise base: signed, the smallest number, subtracted from all
 *   patches varint  number of numbers that are wider; for each: its index u16 and its bits above
 *                   the width, varint
 *   packed          {@link BitPacking}
 * </pre>
 */
final class LongColumn {
  private static final int PLAIN = 0;
  private static final int DELTA_OF_DELTA = 2;
  private static final int MODEL = 3;
  private static final int DIVIDED = 4;
  private static final int SIGNED = 128;

  /** Estimated bytes of a patch. */
  private static final int PATCH_BYTES = 4;

  private long[] numbers = new long[BitPacking.VECTOR];
  private long[] best = new long[BitPacking.VECTOR];
  private final long[] packed = new long[BitPacking.VECTOR];
  private final int[] widths = new int[Long.SIZE + 1];

  /** Adds a column in the shortest form. */
  void encode(long[] values, int from, int to, ByteOutput out) {
    int count = to - from;
    if (count > numbers.length) {
      numbers = new long[Math.max(count, 2 * numbers.length)];
      best = new long[numbers.length];
    }
    int model = PLAIN;
    long bits = Long.MAX_VALUE;
    for (int each = PLAIN; each <= Math.min(DELTA_OF_DELTA, count - 1); each++) {
      apply(each, values, from, count, numbers);
      long needed = estimate(numbers, each, count);
      if (needed < bits) {
        bits = needed;
        model = each;
        long[] other = best;
        best = numbers;
        numbers = other;
      }
    }
    long factor = factor(best, model, count);
    out.u8(factor > 1 ? model | DIVIDED : model);
    if (factor > 1) {
      out.varint(factor);
      for (int i = model; i < count; i++) {
        best[i] /= factor;
      }
    }
    for (int i = 0; i < Math.min(model, count); i++) {
      out.signed(best[i]);
    }
    for (int i = Math.min(model, count); i < count; i += BitPacking.VECTOR) {
      vector(best, i, Math.min(BitPacking.VECTOR, count - i), out);
    }
  }

  /** Computes the numbers of a model; the first ones lead. Overflows wrap, and back again. */
  private static void apply(int model, long[] values, int from, int count, long[] into) {
    System.arraycopy(values, from, into, 0, count);
    for (int round = 0; round < model; round++) {
      for (int i = count - 1; i > round; i--) {
        into[i] -= into[i - 1];
      }
    }
  }

  /** Estimates the packed size of numbers in bits. */
  private static long estimate(long[] numbers, int leading, int count) {
    long bits = (long) leading * Long.SIZE;
    for (int from = leading; from < count; from += BitPacking.VECTOR) {
      int to = Math.min(count, from + BitPacking.VECTOR);
      long min = Long.MAX_VALUE;
      long max = Long.MIN_VALUE;
      long sum = 0;
      for (int i = from; i < to; i++) {
        min = Math.min(min, numbers[i]);
        max = Math.max(max, numbers[i]);
        sum += BitPacking.width(ByteOutput.zigzag(numbers[i]));
      }
      // Patches make a few outliers cheap, so the average counts as much as the range.
      bits += Math.min((long) (to - from) * BitPacking.width(max - min), sum + 2L * (to - from));
    }
    return bits;
  }

  private static long factor(long[] numbers, int leading, int count) {
    long factor = 0;
    for (int i = leading; i < count && factor != 1; i++) {
      factor = divisor(factor, numbers[i]);
    }
    return factor < 0 ? 1 : factor;
  }

  private static long divisor(long a, long b) {
    long x = Math.abs(a);
    long y = Math.abs(b);
    while (y != 0) {
      long rest = x % y;
      x = y;
      y = rest;
    }
    return x;
  }

  private void vector(long[] of, int from, int count, ByteOutput out) {
    long min = Long.MAX_VALUE;
    for (int i = from; i < from + count; i++) {
      min = Math.min(min, of[i]);
    }
    for (int i = 0; i < count; i++) {
      packed[i] = of[from + i] - min;
    }
    int width = cheapest(count);
    long bytes = cost(count, width) + Long.SIZE / 8;
    for (int i = 0; i < count; i++) {
      packed[i] = ByteOutput.zigzag(of[from + i]);
    }
    int signedWidth = cheapest(count);
    if (cost(count, signedWidth) <= bytes) {
      out.u8(signedWidth | SIGNED);
      write(count, signedWidth, out);
      return;
    }
    for (int i = 0; i < count; i++) {
      packed[i] = of[from + i] - min;
    }
    cheapest(count);
    out.u8(width).signed(min);
    write(count, width, out);
  }

  /** Counts the widths of the packed numbers and returns the width that needs the fewest bytes. */
  private int cheapest(int count) {
    java.util.Arrays.fill(widths, 0);
    for (int i = 0; i < count; i++) {
      widths[BitPacking.width(packed[i])]++;
    }
    int best = Long.SIZE;
    long bytes = Long.MAX_VALUE;
    int wider = 0;
    for (int width = Long.SIZE; width >= 0; width--) {
      long needed = BitPacking.bytes(count, width) + (long) PATCH_BYTES * wider;
      if (needed <= bytes) {
        bytes = needed;
        best = width;
      }
      wider += widths[width];
    }
    return best;
  }

  private long cost(int count, int width) {
    int wider = 0;
    for (int more = width + 1; more <= Long.SIZE; more++) {
      wider += widths[more];
    }
    return BitPacking.bytes(count, width) + (long) PATCH_BYTES * wider;
  }

  private void write(int count, int width, ByteOutput out) {
    int wider = 0;
    for (int more = width + 1; more <= Long.SIZE; more++) {
      wider += widths[more];
    }
    out.varint(wider);
    long mask = width == 0 ? 0 : -1L >>> (Long.SIZE - width);
    for (int i = 0; i < count && wider > 0; i++) {
      if ((packed[i] & ~mask) != 0) {
        out.u16(i).varint(packed[i] >>> width);
        packed[i] &= mask;
      }
    }
    BitPacking.pack(packed, 0, count, width, out);
  }

  /**
   * Decodes a column of {@code count} numbers.
   *
   * @throws DamagedCellException if the bytes are not a column
   */
  static void decode(ByteInput in, int count, long[] into) {
    int code = in.u8();
    int model = code & MODEL;
    if (code > (DIVIDED | DELTA_OF_DELTA) || model > DELTA_OF_DELTA || model > count) {
      throw new DamagedCellException("value: a column of %d has model %d".formatted(count, code));
    }
    long factor = (code & DIVIDED) != 0 ? in.varint() : 1;
    for (int i = 0; i < model; i++) {
      into[i] = in.signed();
    }
    for (int i = model; i < count; i += BitPacking.VECTOR) {
      vector(in, Math.min(BitPacking.VECTOR, count - i), into, i);
    }
    if (factor != 1) {
      for (int i = model; i < count; i++) {
        into[i] *= factor;
      }
    }
    for (int round = model - 1; round >= 0; round--) {
      long sum = into[round];
      for (int i = round + 1; i < count; i++) {
        sum += into[i];
        into[i] = sum;
      }
    }
  }

  private static void vector(ByteInput in, int count, long[] into, int to) {
    int code = in.u8();
    int width = code & ~SIGNED;
    if (width > Long.SIZE) {
      throw new DamagedCellException("value: a vector has width " + code);
    }
    boolean signed = (code & SIGNED) != 0;
    long base = signed ? 0 : in.signed();
    int patches = in.count(count);
    ByteInput ofPatches = new ByteInput(in.array(), in.position(), in.left());
    for (int i = 0; i < patches; i++) {
      in.u16();
      in.varint();
    }
    BitPacking.unpack(in, count, width, into, to);
    for (int i = 0; i < patches; i++) {
      int index = ofPatches.u16();
      if (index >= count) {
        throw new DamagedCellException("value: a patch of place " + index + " of " + count);
      }
      into[to + index] |= ofPatches.varint() << width;
    }
    if (signed) {
      for (int i = to; i < to + count; i++) {
        into[i] = (into[i] >>> 1) ^ -(into[i] & 1);
      }
    } else if (base != 0) {
      for (int i = to; i < to + count; i++) {
        into[i] += base;
      }
    }
  }
}
