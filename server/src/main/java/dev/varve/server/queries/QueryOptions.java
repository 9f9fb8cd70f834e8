package dev.varve.server.queries;

import dev.varve.query.QueryLimits;
import dev.varve.query.running.QueryCapacity;
import java.time.Duration;

/**
 * What queries may take.
 *
 * @param limits what one may use
 * @param capacity what all of them may use together
 * @param slow from what time on a query is logged, with what it waited
 */
public record QueryOptions(QueryLimits limits, QueryCapacity capacity, Duration slow) {
  public static final QueryOptions DEFAULTS =
      new QueryOptions(QueryLimits.DEFAULTS, QueryCapacity.DEFAULTS, Duration.ofSeconds(10));
}
