package dev.varve.query.running;

import dev.varve.engine.HeapShares;
import java.time.Duration;

/**
 * What all queries of a server may use together.
 *
 * @param running how many run at once
 * @param waiting how many more may wait for one of these to end
 * @param patience how long they wait
 * @param memory bytes that they may hold
 */
public record QueryCapacity(int running, int waiting, Duration patience, long memory) {
  /** The share of queries in the heap. */
  public static final QueryCapacity DEFAULTS =
      new QueryCapacity(16, 256, Duration.ofSeconds(10), HeapShares.OF_THIS_PROCESS.queries());
}
