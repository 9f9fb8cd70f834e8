package dev.varve.store.cassandra;

/**
 * An estimate of the bytes per cell of a table, from the pages of earlier reads. Larger cells raise
 * the estimate at once; smaller cells lower it gradually. Safe for use by several threads.
 */
final class CellWeight {
  /** A page of smaller cells lowers the estimate by this part of the difference, rounded up. */
  private static final int SHARE = 64;

  private volatile long bytes;

  /**
   * Adapts the estimate to a page. Of two pages at once, one may go unnoticed: the next will tell.
   *
   * @param cells number of its cells, at least 1
   * @param size its size in bytes
   */
  void learn(int cells, long size) {
    long seen = Math.max(1, size / cells);
    long known = bytes;
    bytes = known == 0 || seen > known ? seen : known - Math.ceilDiv(known - seen, SHARE);
  }

  /**
   * Returns the estimated bytes of a cell, too high rather than too low; 0 before the first page.
   */
  long bytes() {
    return bytes;
  }
}
