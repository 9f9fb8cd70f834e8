package dev.varve.query.promql.eval;

import java.time.Duration;

/**
 * The two lengths of time that a server sets.
 *
 * @param lookback how old the sample of an instant vector may be
 * @param subqueryStep the step of subqueries that name none
 */
public record PromSettings(Duration lookback, Duration subqueryStep) {
  /** Prometheus' own. */
  public static final PromSettings DEFAULTS =
      new PromSettings(Duration.ofMinutes(5), Duration.ofMinutes(1));
}
