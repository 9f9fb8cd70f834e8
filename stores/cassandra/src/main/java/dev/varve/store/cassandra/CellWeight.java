package dev.varve.store.cassandra;

/**
 * The bytes of a table's cells, by the pages of earlier reads: heavy ones are believed at once,
 * light ones by and by. Safe for use by several threads.
 */
final class CellWeight {
  private static final int WAIT_MAX = 64;

  private volatile long bytes;

  /**
   * Learns from a page.
   *
   * @param cells number of its cells, at least 1
   * @param size its size in bytes
   */
  void learn(int cells, long size) {
    long seen = Math.max(1, size / cells);
    long known = bytes;
    bytes = known == 0 || seen > known ? seen : known - (known - seen) / WAIT_MAX;
  }

  /** Returns the bytes of a cell, rather too many than too few; 0 if there was no page yet. */
  long bytes() {
    return bytes;
  }
}
