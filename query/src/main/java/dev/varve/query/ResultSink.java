package dev.varve.query;

import dev.varve.model.Samples;

/**
 * Receives the result of a query. Each series is one {@link #begin}, then samples and gaps in
 * order, then one {@link #end}. Called by the thread that runs the query. A sink may block; the
 * query then waits.
 */
public interface ResultSink {
  void begin(ResultSeries series);

  /**
   * Receives samples of one kind. The vector belongs to the query and is valid only during the
   * call.
   *
   * @param from index of the first sample
   * @param to index after the last sample
   */
  void samples(Samples samples, int from, int to);

  /** Receives a window without a sample. Only {@link QueryPlan.Gaps} emits gaps. */
  void gap(long time);

  void end();
}
