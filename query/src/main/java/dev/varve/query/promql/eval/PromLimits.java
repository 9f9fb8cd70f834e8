package dev.varve.query.promql.eval;

import dev.varve.query.QueryLimits;
import java.time.Duration;

/**
 * What a query may use, and the two lengths of time that a server sets.
 *
 * @param samples how many samples it may read
 * @param series how many series it may read
 * @param memory bytes of values that it may hold
 * @param lookback how old the sample of an instant vector may be
 * @param subqueryStep the step of subqueries that name none
 */
public record PromLimits(
    long samples, long series, long memory, Duration lookback, Duration subqueryStep) {
  /** Prometheus' own lengths of time, and the memory of any query. */
  public static final PromLimits DEFAULTS =
      new PromLimits(
          1_000_000_000,
          1_000_000,
          QueryLimits.DEFAULTS.memory(),
          Duration.ofMinutes(5),
          Duration.ofMinutes(1));
}
