package dev.varve.server.explain;

import dev.varve.engine.Dataset;
import dev.varve.query.PlanExplanation;
import dev.varve.query.running.QueryUse;
import java.util.function.Function;

/** A parsed query of a dialect that can be explained. */
@FunctionalInterface
public interface Explainable {
  /**
   * Explains the operators of the query and the ranges of rows that it reads. Nothing is written.
   *
   * @param beside finds a dataset beside it by its name, such as one of its roll-ups, as the caller
   *     may use it
   * @param use accounts for what the query reads and holds while it runs
   * @param analyze whether to run the query as well and measure it; its result is dropped
   * @throws dev.varve.server.http.HttpError with the dialect's message if the query is wrong
   * @throws dev.varve.engine.error.QueryRefusedException if it exceeds a limit
   */
  PlanExplanation explain(
      Dataset dataset, Function<String, Dataset> beside, QueryUse use, boolean analyze);
}
