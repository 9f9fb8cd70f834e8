package dev.varve.engine.heat;

import dev.varve.store.CellBatch;
import java.util.Arrays;
import java.util.List;

/**
 * A sample of row keys: one key per interval of cells, on average. When it is full it drops every
 * other key and takes half as many from then on, so its size is bounded. Not safe for use by
 * several threads.
 */
final class KeySample {
  /** Largest number of keys. */
  static final int MAX = 512;

  /**
   * A sampled key.
   *
   * @param row at most {@link KeyRanges#KEY_BYTES_MAX} bytes
   * @param weight the number of cells that it stands for
   */
  record Key(byte[] row, boolean written, long weight) {}

  private final byte[][] rows = new byte[MAX][];
  private final boolean[] written = new boolean[MAX];
  private int size;
  private long every = 1;
  private long random;

  /** Number of cells up to the next one that is taken, including it. */
  private long left = 1;

  /**
   * @param seed not 0
   */
  KeySample(long seed) {
    random = seed;
  }

  /** Returns the number that follows in a random sequence (xorshift, after Marsaglia, 2003). */
  static long random(long before) {
    long next = before ^ (before << 13);
    next ^= next >>> 7;
    return next ^ (next << 17);
  }

  /** Adds a run of cells, which any of its rows may represent. */
  void add(CellBatch cells, int from, long count, long each, boolean write) {
    while (left <= count) {
      take(cells, from + (int) ((left - 1) / each), write);
      left += gap();
    }
    left -= count;
  }

  /** Returns a gap that is random, because cells come in batches that are alike. */
  private long gap() {
    random = random(random);
    return 1 + Long.remainderUnsigned(random, 2 * every - 1);
  }

  private void take(CellBatch cells, int cell, boolean write) {
    if (size == MAX) {
      thin();
    }
    int at = cells.rowOffset(cell);
    int length = Math.min(cells.rowLength(cell), KeyRanges.KEY_BYTES_MAX);
    rows[size] = Arrays.copyOfRange(cells.bytes(), at, at + length);
    written[size] = write;
    size++;
  }

  private void thin() {
    size = MAX / 2;
    for (int i = 0; i < size; i++) {
      rows[i] = rows[2 * i];
      written[i] = written[2 * i];
    }
    every *= 2;
  }

  /** Adds the keys to a list. */
  void copyTo(List<Key> into) {
    for (int i = 0; i < size; i++) {
      into.add(new Key(rows[i], written[i], every));
    }
  }

  void clear() {
    Arrays.fill(rows, null);
    size = 0;
    every = 1;
    left = 1;
  }
}
