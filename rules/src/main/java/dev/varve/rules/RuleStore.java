package dev.varve.rules;

import dev.varve.engine.request.WriteResult;
import dev.varve.model.Batch;
import dev.varve.query.promql.eval.PromResult;
import dev.varve.query.promql.eval.PromSettings;
import dev.varve.query.running.QueryUse;
import java.time.Instant;
import java.util.function.Consumer;

/** The store that rules read from and write to. Called by many threads. */
public interface RuleStore {
  /**
   * Evaluates an expression at one time, within the limits of any query.
   *
   * @param known receives the query before it waits for admission, so that it can be stopped
   * @throws dev.varve.query.promql.PromQlException if the text is not a valid expression
   * @throws dev.varve.query.promql.eval.PromQlEvaluationException if it cannot be evaluated on the
   *     series
   * @throws dev.varve.engine.error.QueryRefusedException if it exceeds a limit
   * @throws dev.varve.query.running.QueryStoppedException if it was not admitted, or was stopped
   */
  PromResult instant(
      String expression, Instant at, PromSettings settings, Consumer<QueryUse> known);

  /**
   * Returns whether the store can hold staleness markers; without them, series end by going stale.
   */
  boolean holdsMarkers();

  /**
   * Writes samples with times in ms, and returns when the accepted ones are readable.
   *
   * @throws RuntimeException if no sample is known to have been written
   */
  WriteResult write(Batch batch);
}
