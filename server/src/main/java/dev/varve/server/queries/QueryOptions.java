package dev.varve.server.queries;

import dev.varve.query.limit.QueryLimits;
import dev.varve.query.running.QueryCapacity;
import java.time.Duration;

/**
 * The limits of queries.
 *
 * @param limits limits of one query
 * @param capacity limits of all queries together
 * @param slow duration from which a query is logged, including its wait
 */
public record QueryOptions(QueryLimits limits, QueryCapacity capacity, Duration slow) {
  public static final QueryOptions DEFAULTS =
      new QueryOptions(QueryLimits.DEFAULTS, QueryCapacity.DEFAULTS, Duration.ofSeconds(10));
}
