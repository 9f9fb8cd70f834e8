package dev.varve.query.rules;

import dev.varve.engine.WriteResult;
import dev.varve.model.Batch;
import dev.varve.query.promql.eval.PromResult;
import dev.varve.query.promql.eval.PromSettings;
import dev.varve.query.running.QueryUse;
import java.time.Instant;
import java.util.function.Consumer;

/** Where rules read and write. Called by many threads. */
public interface RuleStore {
  /**
   * What an expression gives at a time, within the limits of any query.
   *
   * @param known told of the query before it waits to be let in, so that it can be stopped
   * @throws dev.varve.query.promql.PromQlException if the text is none
   * @throws dev.varve.query.promql.eval.PromQlEvaluationException if the series do not allow it
   * @throws dev.varve.engine.QueryRefusedException if it needs more than it may
   * @throws dev.varve.query.running.QueryStoppedException if it was not let in, or was stopped
   */
  PromResult instant(
      String expression, Instant at, PromSettings settings, Consumer<QueryUse> known);

  /**
   * Whether the value is held that says that a series has ended; else series end by growing old.
   */
  boolean holdsMarkers();

  /**
   * Writes samples whose times are in ms, and returns once those that were accepted can be read.
   *
   * @throws RuntimeException if nothing is known to be written
   */
  WriteResult write(Batch batch);
}
