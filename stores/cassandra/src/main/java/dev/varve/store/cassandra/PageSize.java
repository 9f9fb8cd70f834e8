package dev.varve.store.cassandra;

/**
 * How many cells the next page of a read has: few at first, then as many as make a page of a good
 * weight. Used by one thread.
 */
final class PageSize {
  private static final int START_CELLS = 50;
  private static final int GROWTH = 8;
  private static final int SHRINKING = 4;
  private static final long GOOD_BYTES = 2 << 20;

  private final int max;
  private int cells;

  /**
   * @param max cells of a page, however light they are
   */
  PageSize(int max) {
    this.max = max;
    this.cells = Math.min(START_CELLS, max);
  }

  int cells() {
    return cells;
  }

  /**
   * Learns from a page.
   *
   * @param bytes of the answer; negative where nobody knows
   */
  void learn(int rows, long bytes) {
    if (rows > 0 && bytes > 0) {
      long fit = GOOD_BYTES * rows / bytes;
      cells = Math.clamp(Math.min(fit, (long) cells * GROWTH), 1, max);
    }
  }

  /** Makes pages smaller after one that did not arrive; says whether they can be. */
  boolean shrink() {
    boolean can = cells > 1;
    cells = Math.max(1, cells / SHRINKING);
    return can;
  }
}
