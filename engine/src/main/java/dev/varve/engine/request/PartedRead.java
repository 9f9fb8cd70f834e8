package dev.varve.engine.request;

import dev.varve.store.ReadCost;

/**
 * A read whose series are known and that several threads can perform in parts. Any thread may call
 * its methods; each cursor is used by one thread. It is closed after all cursors.
 */
public interface PartedRead extends AutoCloseable {
  /** Returns the number of series; some may have no samples in the range. */
  int size();

  /**
   * Returns the recommended minimum number of series of a part. Starting a part costs about as much
   * as reading that many series. Returns {@link #size()} or more if one part is best.
   */
  int leastPart();

  /**
   * Starts to read some of the series, in the order {@link ReadRequest.Order#SERIES_BY_SERIES}. The
   * part shares the budget of the request with completed parts, but not with those in progress.
   *
   * @param from index of the first series in the order of the request
   * @param to index after the last series
   */
  RunCursor part(int from, int to);

  /** Returns the cost of all parts so far. */
  ReadCost cost();

  /** Makes all parts in progress fail within 100 ms, and later ones immediately. */
  void cancel();

  /** Ends the read. All parts must be closed already. */
  @Override
  void close();
}
