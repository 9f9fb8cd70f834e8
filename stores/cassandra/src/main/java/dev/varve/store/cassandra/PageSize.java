package dev.varve.store.cassandra;

/**
 * The number of cells in the next page of a read, chosen so that the page has a suitable size in
 * bytes. The number is small until a read of the table has shown the size of its cells. Used by one
 * thread.
 */
final class PageSize {
  private static final int START_CELLS = 50;
  private static final int GROWTH = 8;
  private static final int SHRINKING = 4;
  private static final long GOOD_BYTES = 2 << 20;

  private final int max;
  private final CellWeight weight;
  private int cells;

  /**
   * Creates a page size.
   *
   * @param max maximum number of cells in a page, however small they are
   * @param weight the estimated size of the table's cells; adapted to the pages of this read
   */
  PageSize(int max, CellWeight weight) {
    this.max = max;
    this.weight = weight;
    long known = weight.bytes();
    this.cells = known == 0 ? Math.min(START_CELLS, max) : Math.clamp(GOOD_BYTES / known, 1, max);
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
      weight.learn(rows, bytes);
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
