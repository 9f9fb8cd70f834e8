package dev.varve.engine.catalog;

import java.util.Arrays;

/**
 * Growable arrays of numbers, stored in chunks that never move. Growing copies no elements, so an
 * element can be read and set while others are appended.
 */
final class NumberColumns {
  private static final int SHIFT = 14;
  private static final int CHUNK = 1 << SHIFT;
  private static final int MASK = CHUNK - 1;

  private NumberColumns() {}

  static final class Longs {
    private volatile long[][] chunks = new long[0][];

    long bytes() {
      return chunks.length * (long) CHUNK * Long.BYTES;
    }

    long get(int index) {
      return chunks[index >>> SHIFT][index & MASK];
    }

    /** Sets an element. The first element of a chunk allocates the chunk. */
    void set(int index, long value) {
      int chunk = index >>> SHIFT;
      if (chunk >= chunks.length) {
        long[][] grown = Arrays.copyOf(chunks, chunk + 1);
        grown[chunk] = new long[CHUNK];
        chunks = grown;
      }
      chunks[chunk][index & MASK] = value;
    }
  }

  static final class Ints {
    private volatile int[][] chunks = new int[0][];

    long bytes() {
      return chunks.length * (long) CHUNK * Integer.BYTES;
    }

    int get(int index) {
      return chunks[index >>> SHIFT][index & MASK];
    }

    /** Sets an element. The first element of a chunk allocates the chunk. */
    void set(int index, int value) {
      int chunk = index >>> SHIFT;
      if (chunk >= chunks.length) {
        int[][] grown = Arrays.copyOf(chunks, chunk + 1);
        grown[chunk] = new int[CHUNK];
        chunks = grown;
      }
      chunks[chunk][index & MASK] = value;
    }
  }
}
