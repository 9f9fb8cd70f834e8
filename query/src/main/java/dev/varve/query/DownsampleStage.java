package dev.varve.query;

import dev.varve.model.Kind;
import dev.varve.model.Resolution;
import dev.varve.model.Samples;
import dev.varve.query.QueryPlan.Downsample;
import dev.varve.query.running.QueryUse;

/** Emits one sample for each non-empty window. Holds one window at a time. */
final class DownsampleStage extends Stage {
  private final Downsample plan;
  private final Fold fold;
  private final Emitter out;
  private boolean open;
  private long start;
  private long end;
  private long first;
  private long last;

  DownsampleStage(Downsample plan, Resolution resolution, QueryUse use, Stage next) {
    super(next);
    this.plan = plan;
    this.fold = Fold.of(plan.aggregation(), resolution, use);
    this.out = new Emitter(next);
  }

  @Override
  public void begin(ResultSeries series) {
    if (series.text() && !plan.aggregation().takesText()) {
      throw new OperatorException(
          "%s cannot aggregate the texts of %s%s (count, first and last can)"
              .formatted(plan.aggregation(), series.metric(), series.labels()));
    }
    boolean countsText = plan.aggregation() == Aggregation.Basic.COUNT && series.text();
    next.begin(countsText ? series.asNumbers() : series);
    fold.beginSeries();
  }

  @Override
  public void samples(Samples samples, int from, int to) {
    if (samples.kind() == Kind.STRING && !plan.aggregation().takesText()) {
      throw new OperatorException(
          plan.aggregation() + " met a text among numbers at " + samples.time(from));
    }
    long[] times = samples.times();
    int at = from;
    while (at < to) {
      if (!open || times[at] >= end) {
        close();
        open(times[at]);
      }
      int until = endOf(times, at, to, end);
      fold.add(0, samples, at, until);
      last = times[until - 1];
      at = until;
    }
  }

  /**
   * Returns the index of the first sample after the window. Only the end of the window is compared:
   * if times descend, all older samples belong to the window.
   */
  private static int endOf(long[] times, int from, int to, long end) {
    if (times[from] < end && times[to - 1] < end) {
      return to;
    }
    int at = from;
    while (at < to && times[at] < end) {
      at++;
    }
    return at;
  }

  private void open(long time) {
    open = true;
    start = plan.windows().startOf(time);
    end = plan.windows().endOf(start);
    first = time;
    fold.reset(0);
  }

  private void close() {
    if (open) {
      open = false;
      long time =
          switch (plan.stamp()) {
            case START -> start;
            case END -> end;
            case FIRST -> first;
            case LAST -> last;
          };
      fold.emit(0, time, out);
    }
  }

  @Override
  public void gap(long time) {
    throw new OperatorException("gaps cannot be aggregated; fill them last");
  }

  @Override
  public void end() {
    close();
    out.flush();
    next.end();
  }
}
