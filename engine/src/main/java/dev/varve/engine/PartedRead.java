package dev.varve.engine;

import dev.varve.store.ReadCost;

/**
 * A read whose series are known and can be read in parts, by several threads at once. Its methods
 * may be called by any thread; each cursor belongs to one. It is closed behind the last of them.
 */
public interface PartedRead extends AutoCloseable {
  /** How many series there are; some may have no sample in the range. */
  int size();

  /**
   * How many series a part should have at least, since what it costs to begin one is as much as to
   * read so many; as many as there are, or more, where all are best read as one part.
   */
  int leastPart();

  /**
   * Starts to read some of them, as {@link ReadRequest.Order#SERIES_BY_SERIES} says. The budget of
   * the request is shared with the parts that were read before and not with those under way.
   *
   * @param from the place of the first series in the order of the request
   * @param to behind the last
   */
  RunCursor part(int from, int to);

  /** What the stores have done for all parts so far. */
  ReadCost cost();

  /** Makes all parts under way fail within 100 ms, and later ones at once. */
  void cancel();

  /** Ends the read; its parts are closed already. */
  @Override
  void close();
}
