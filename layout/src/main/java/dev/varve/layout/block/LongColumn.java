package dev.varve.layout.block;

import dev.varve.layout.DamagedCellException;
import java.util.Arrays;

/**
 * Encodes and decodes columns of int64s. Not safe for use by several threads.
 *
 * <pre>
 * model     u8      0 the numbers, 1 their deltas, 2 the deltas of their deltas; +4: divided by
 *                   a factor
 * factor    varint  if divided: greatest common divisor of all numbers of the model but the first leading
 *                   ones
 * stretches         of 1,024 packed numbers each, the last one shorter; each starts anew, so that
 *                   one can be decoded without those before it:
 *   as      u8      from the second stretch on (models 1, 2): 0 if the leading numbers are as
 *                   expected; 1 if they follow
 *   leading signed  the first number (models 1, 2), then the first delta (model 2), both less what
 *                   is expected: 0 at first; then those of the stretch before, the number
 *                   increased by the delta for every place of that stretch. Divided by the factor
 *                   from the second stretch on
 *   width   u8      bits of a packed number, 0 to 64; +128: numbers are signed, as zigzag;
 *                   otherwise base: signed, the smallest number, subtracted from all
 *   patches varint  number of numbers that are wider; for each: its index u16 and its bits above
 *                   the width, varint
 *   packed          {@link BitPacking}; a stretch of leading numbers alone ends before its width
 * </pre>
 */
final class LongColumn {
  private static final int PLAIN = 0;
  private static final int DELTA_OF_DELTA = 2;
  private static final int MODEL = 3;
  private static final int DIVIDED = 4;
  private static final int SIGNED = 128;

  /** Bytes of the index of a patch. */
  private static final int INDEX_BYTES = 2;

  /** Bits of a number in each byte of a varint. */
  private static final int VARINT_BITS = 7;

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
    long[] leading = leading(values, from, count, model);
    long factor = factor(best, model, count, leading);
    out.u8(factor > 1 ? model | DIVIDED : model);
    if (factor > 1) {
      out.varint(factor);
      for (int i = model; i < count; i++) {
        best[i] /= factor;
      }
    }
    for (int at = 0, stretch = 0; at < count; at += BitPacking.VECTOR + model, stretch++) {
      int length = Math.min(BitPacking.VECTOR + model, count - at);
      if (model > 0) {
        long unit = at == 0 || factor == 0 ? 1 : factor;
        leading(
            leading[2 * stretch] / unit,
            leading[2 * stretch + 1] / unit,
            at > 0,
            Math.min(model, length),
            out);
      }
      if (length > model) {
        vector(best, at + model, length - model, out);
      }
    }
  }

  /**
   * Returns the leading numbers and deltas of all stretches, each less the value that the stretch
   * before predicts.
   */
  private static long[] leading(long[] values, int from, int count, int model) {
    int stretches = Math.ceilDiv(count, BitPacking.VECTOR + model);
    long[] leading = new long[2 * stretches];
    long number = 0;
    long delta = 0;
    for (int stretch = 0; stretch < stretches && model > 0; stretch++) {
      int at = stretch * (BitPacking.VECTOR + model);
      int length = Math.min(BitPacking.VECTOR + model, count - at);
      long first = values[from + at];
      long next = model > 1 && length > 1 ? values[from + at + 1] - first : delta;
      leading[2 * stretch] = first - number;
      leading[2 * stretch + 1] = next - delta;
      delta = next;
      number = first + delta * length;
    }
    return leading;
  }

  private static void leading(long first, long delta, boolean optional, int count, ByteOutput out) {
    boolean asExpected = optional && first == 0 && delta == 0;
    if (optional) {
      out.u8(asExpected ? 0 : 1);
    }
    if (!asExpected) {
      out.signed(first);
      if (count > 1) {
        out.signed(delta);
      }
    }
  }

  /**
   * Computes the numbers of a model: values, deltas, or deltas of deltas. The first {@code model}
   * numbers are the leading ones. Overflows wrap, and decoding wraps them back.
   */
  private static void apply(int model, long[] values, int from, int count, long[] into) {
    System.arraycopy(values, from, into, 0, count);
    for (int round = 0; round < model; round++) {
      for (int i = count - 1; i > round; i--) {
        into[i] -= into[i - 1];
      }
    }
  }

  /** Estimates the size of the numbers of a model in bits. */
  private static long estimate(long[] numbers, int model, int count) {
    long bits = (long) model * Long.SIZE;
    for (int from = model; from < count; from += BitPacking.VECTOR + model) {
      int to = Math.min(count, from + BitPacking.VECTOR);
      long min = Long.MAX_VALUE;
      long max = Long.MIN_VALUE;
      long total = 0;
      long widths = 0;
      for (int i = from; i < to; i++) {
        min = Math.min(min, numbers[i]);
        max = Math.max(max, numbers[i]);
        total += numbers[i];
        widths += signedWidth(numbers[i]);
      }
      // Patches make a few outliers cheap, so the average counts as much as the range.
      long ofRange = (long) (to - from) * BitPacking.width(max - min) + signedWidth(min);
      bits += Math.min(ofRange, widths + 2L * (to - from));
      // The next stretch begins about this far from the start of this one.
      bits += model == 1 ? signedWidth(total) : 0;
    }
    return bits;
  }

  private static int signedWidth(long number) {
    return BitPacking.width(ByteOutput.zigzag(number));
  }

  /** Returns the common divisor of all numbers but the first leading ones; 0 if all are 0. */
  private static long factor(long[] numbers, int model, int count, long[] leading) {
    long factor = 0;
    for (int i = model; i < count && factor != 1; i++) {
      factor = divisor(factor, numbers[i]);
    }
    // Sums of multiples are multiples, unless they overflow.
    for (int i = 2; i < leading.length && factor > 1; i++) {
      factor = leading[i] % factor == 0 ? factor : 1;
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
    Arrays.fill(widths, 0);
    int widest = 0;
    for (int i = 0; i < count; i++) {
      int width = BitPacking.width(packed[i]);
      widths[width]++;
      widest = Math.max(widest, width);
    }
    int best = widest;
    long bytes = BitPacking.bytes(count, widest);
    for (int width = widest - 1; width >= 0; width--) {
      long needed = cost(count, width, widest);
      if (needed <= bytes) {
        bytes = needed;
        best = width;
      }
    }
    return best;
  }

  /** Returns the bytes of the packed numbers and the patches of those that are wider. */
  private long cost(int count, int width) {
    return cost(count, width, Long.SIZE);
  }

  private long cost(int count, int width, int widest) {
    long bytes = BitPacking.bytes(count, width);
    for (int wider = width + 1; wider <= widest; wider++) {
      bytes += (long) widths[wider] * (INDEX_BYTES + Math.ceilDiv(wider - width, VARINT_BITS));
    }
    return bytes;
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
    decode(in, count, into, 0, count);
  }

  /**
   * Decodes a part of a column of {@code count} numbers and skips the rest.
   *
   * @param into receives the numbers at their places; places outside of the part change as well
   * @param from first place of the part
   * @param to end of the part, at most {@code count}
   * @throws DamagedCellException if the bytes are not a column
   */
  static void decode(ByteInput in, int count, long[] into, int from, int to) {
    int code = in.u8();
    int model = code & MODEL;
    if (code > (DIVIDED | DELTA_OF_DELTA) || model > DELTA_OF_DELTA || model > count) {
      throw new DamagedCellException("value: a column of %d has model %d".formatted(count, code));
    }
    long factor = (code & DIVIDED) != 0 ? in.varint() : 1;
    long number = 0;
    long delta = 0;
    for (int at = 0; at < count; at += BitPacking.VECTOR + model) {
      int length = Math.min(BitPacking.VECTOR + model, count - at);
      int leading = Math.min(model, length);
      if (leading > 0 && isLed(in, at)) {
        long unit = at == 0 ? 1 : factor;
        number += in.signed() * unit;
        delta += leading > 1 ? in.signed() * unit : 0;
      }
      if (at < to && at + length > from) {
        stretch(in, number, delta, leading, factor, length, into, at);
      } else if (length > leading) {
        skip(in, length - leading);
      }
      number += delta * length;
    }
  }

  /** Returns whether leading numbers follow. */
  private static boolean isLed(ByteInput in, int at) {
    int as = at == 0 ? 1 : in.u8();
    if (as > 1) {
      throw new DamagedCellException("value: a stretch of numbers begins with " + as);
    }
    return as == 1;
  }

  private static void stretch(
      ByteInput in,
      long number,
      long delta,
      int leading,
      long factor,
      int length,
      long[] into,
      int at) {
    if (length > leading) {
      vector(in, length - leading, into, at + leading);
    }
    int end = at + length;
    if (factor != 1) {
      for (int i = at + leading; i < end; i++) {
        into[i] *= factor;
      }
    }
    if (leading > 1) {
      sum(into, at + 1, end, delta);
    }
    if (leading > 0) {
      sum(into, at, end, number);
    }
  }

  /** Replaces deltas by the numbers that they add up to. */
  private static void sum(long[] into, int from, int to, long first) {
    long sum = first;
    into[from] = first;
    for (int i = from + 1; i < to; i++) {
      sum += into[i];
      into[i] = sum;
    }
  }

  private static void skip(ByteInput in, int count) {
    int code = in.u8();
    int width = width(code);
    if (code == width) {
      in.signed();
    }
    int patches = in.count(count);
    for (int i = 0; i < patches; i++) {
      in.u16();
      in.varint();
    }
    in.skip(BitPacking.bytes(count, width));
  }

  private static int width(int code) {
    int width = code & ~SIGNED;
    if (width > Long.SIZE) {
      throw new DamagedCellException("value: a vector has width " + code);
    }
    return width;
  }

  private static void vector(ByteInput in, int count, long[] into, int to) {
    int code = in.u8();
    int width = width(code);
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
