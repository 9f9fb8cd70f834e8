package dev.varve.query.running;

import dev.varve.model.HeapShares;
import java.time.Duration;

/**
 * Capacity that all queries of a server share.
 *
 * @param running maximum number of running queries
 * @param waiting maximum number of waiting queries
 * @param waitMax maximum waiting time
 * @param memory maximum number of bytes that they hold together
 */
public record QueryCapacity(int running, int waiting, Duration waitMax, long memory) {
  /** The memory is the share of queries in the heap. */
  public static final QueryCapacity DEFAULTS =
      new QueryCapacity(16, 256, Duration.ofSeconds(10), HeapShares.OF_THIS_PROCESS.queries());
}
