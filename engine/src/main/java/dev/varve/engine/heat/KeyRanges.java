package dev.varve.engine.heat;

import dev.varve.model.Bytes;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;

/**
 * Ranges that divide the rows of a table, found by their first keys. Immutable.
 *
 * <p>Keys of a table mostly begin alike. So the ranges are searched by the eight bytes that follow
 * the common beginning of all bounds, as numbers, and whole keys are compared only where those are
 * equal.
 */
final class KeyRanges {
  /** Largest number of ranges. */
  static final int MAX = 256;

  /** Maximum bytes of a bound or sampled key; of a longer key, the beginning is taken. */
  static final int KEY_BYTES_MAX = 256;

  static final KeyRanges ONE = new KeyRanges(List.of(Bytes.EMPTY));

  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  private final Bytes[] bounds;
  private final byte[] common;

  /** The bytes of each bound after the common ones, as numbers of an order like that of bytes. */
  private final long[] heads;

  private final int size;

  /**
   * @param bounds the first key of each range, ascending without repetition; the first is empty
   */
  KeyRanges(List<Bytes> bounds) {
    this.bounds = bounds.toArray(Bytes[]::new);
    this.size = this.bounds.length;
    this.common = common(this.bounds);
    this.heads = new long[size];
    for (int i = 1; i < size; i++) {
      byte[] bound = this.bounds[i].toArray();
      heads[i] = head(bound, common.length, bound.length);
    }
  }

  private static byte[] common(Bytes[] bounds) {
    if (bounds.length < 2) {
      return new byte[0];
    }
    byte[] first = bounds[1].toArray();
    byte[] last = bounds[bounds.length - 1].toArray();
    int different = Arrays.mismatch(first, last);
    return different < 0 ? first : Arrays.copyOf(first, different);
  }

  private static long head(byte[] bytes, int from, int to) {
    if (to - from >= Long.BYTES && from + Long.BYTES <= bytes.length) {
      return (long) LONGS.get(bytes, from) ^ Long.MIN_VALUE;
    }
    long head = 0;
    for (int i = 0; i < Long.BYTES; i++) {
      head = (head << 8) | (from + i < to ? bytes[from + i] & 0xff : 0);
    }
    return head ^ Long.MIN_VALUE;
  }

  int size() {
    return size;
  }

  Bytes from(int range) {
    return bounds[range];
  }

  List<Bytes> bounds() {
    return List.of(bounds);
  }

  /** Returns the range of a key. */
  int find(byte[] bytes, int offset, int length) {
    if (size == 1) {
      return 0;
    }
    int shared = Math.min(common.length, length);
    int different = Arrays.mismatch(common, 0, shared, bytes, offset, offset + shared);
    if (different >= 0) {
      return (bytes[offset + different] & 0xff) < (common[different] & 0xff) ? 0 : size - 1;
    }
    if (length < common.length) {
      return 0;
    }
    long head = head(bytes, offset + common.length, offset + length);
    int low = 0;
    int high = size;
    while (high - low > 1) {
      int middle = (low + high) >>> 1;
      long bound = heads[middle];
      boolean starts =
          bound < head || (bound == head && bounds[middle].compareTo(bytes, offset, length) <= 0);
      if (starts) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return low;
  }
}
