package dev.varve.query;

import dev.varve.model.Samples;

/**
 * Takes the result of a query: one series after the other, each as one {@link #begin}, then samples
 * and gaps in their order, then one {@link #end}. Called by the thread that runs the query; it may
 * block, and the query waits for it.
 */
public interface ResultSink {
  void begin(ResultSeries series);

  /**
   * Takes samples of one kind. The vector belongs to the query and is valid during the call only.
   *
   * @param from the first
   * @param to behind the last
   */
  void samples(Samples samples, int from, int to);

  /** Takes a window without a sample. Comes only out of {@link QueryPlan.Gaps}. */
  void gap(long time);

  void end();
}
