package dev.varve.query;

import dev.varve.model.Samples;
import dev.varve.query.QueryPlan.Select;
import org.jspecify.annotations.Nullable;

/** Counts what an operator passes on, and the time that it takes. */
final class MeasuredStage extends Stage {
  private final Analysis<QueryPlan, Select> analysis;
  private final QueryPlan from;
  private final @Nullable QueryPlan to;

  /**
   * Creates a stage between two operators.
   *
   * @param to null at the end
   */
  MeasuredStage(
      Analysis<QueryPlan, Select> analysis, QueryPlan from, @Nullable QueryPlan to, Stage next) {
    super(next);
    this.analysis = analysis;
    this.from = from;
    this.to = to;
    analysis.returned(from, 0, 0);
  }

  @Override
  public void begin(ResultSeries series) {
    analysis.returned(from, 1, 0);
    QueryPlan before = analysis.enter(to);
    next.begin(series);
    analysis.enter(before);
  }

  @Override
  public void samples(Samples samples, int start, int end) {
    analysis.returned(from, 0, end - start);
    QueryPlan before = analysis.enter(to);
    next.samples(samples, start, end);
    analysis.enter(before);
  }

  @Override
  public void gap(long time) {
    QueryPlan before = analysis.enter(to);
    next.gap(time);
    analysis.enter(before);
  }

  @Override
  public void end() {
    QueryPlan before = analysis.enter(to);
    next.end();
    analysis.enter(before);
  }

  @Override
  void finish() {
    QueryPlan before = analysis.enter(to);
    next.finish();
    analysis.enter(before);
  }
}
