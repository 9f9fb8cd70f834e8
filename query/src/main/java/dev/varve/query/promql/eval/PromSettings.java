package dev.varve.query.promql.eval;

import java.time.Duration;

/**
 * Evaluation settings of a server.
 *
 * @param lookback maximum age of a sample of an instant vector
 * @param subqueryStep the step of subqueries without their own
 */
public record PromSettings(Duration lookback, Duration subqueryStep) {
  /** The defaults of Prometheus. */
  public static final PromSettings DEFAULTS =
      new PromSettings(Duration.ofMinutes(5), Duration.ofMinutes(1));
}
