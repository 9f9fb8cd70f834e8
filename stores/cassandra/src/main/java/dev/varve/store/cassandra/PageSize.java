package dev.varve.store.cassandra;

/**
 * The number of cells in the next page of a read: few at first, then as many as make a page of a
 * suitable size. Used by one thread.
 */
final class PageSize {
  private static final int START_CELLS = 50;
  private static final int GROWTH = 8;
  private static final int SHRINKING = 4;
  private static final long GOOD_BYTES = 2 << 20;

  private final int max;
  private int cells;

  /**
   * Creates a page size.
   *
   * @param max maximum number of cells in a page, however small they are
   */
  PageSize(int max) {
    this.max = max;
    this.cells = Math.min(START_CELLS, max);
  }

  int cells() {
    return cells;
  }

  /**
   * Adapts to a page.
   *
   * @param bytes size of the answer; negative if unknown
   */
  void learn(int rows, long bytes) {
    if (rows > 0 && bytes > 0) {
      long fit = GOOD_BYTES * rows / bytes;
      cells = Math.clamp(Math.min(fit, (long) cells * GROWTH), 1, max);
    }
  }

  /** Reduces the size after a page that did not arrive; returns whether that was possible. */
  boolean shrink() {
    boolean can = cells > 1;
    cells = Math.max(1, cells / SHRINKING);
    return can;
  }
}
