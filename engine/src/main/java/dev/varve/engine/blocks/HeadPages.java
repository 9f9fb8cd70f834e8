package dev.varve.engine.blocks;

import java.util.ArrayDeque;

/**
 * Pages of sealed heads for the next head. A head lives too long for a young collection and too
 * short for an old one: without reuse, dead heads would be most of the heap. Not thread-safe.
 */
final class HeadPages {
  private final int most;
  private final ArrayDeque<long[]> free = new ArrayDeque<>();

  /**
   * @param bytes memory that unused pages may take
   */
  HeadPages(long bytes) {
    this.most = (int) Math.min(Integer.MAX_VALUE, bytes / (Long.BYTES * (long) Head.PAGE));
  }

  /** Returns a page with any content. */
  long[] take() {
    long[] page = free.poll();
    return page == null ? new long[Head.PAGE] : page;
  }

  /** Gives pages back that nobody reads any more. */
  void giveBack(long[][] pages) {
    for (long[] page : pages) {
      if (free.size() < most) {
        free.push(page);
      }
    }
  }

  /** Leaves all unused pages to the garbage collector. */
  void clear() {
    free.clear();
  }
}
