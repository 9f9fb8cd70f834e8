package dev.varve.query;

import dev.varve.engine.QueryRefusedException;
import dev.varve.model.Samples;
import dev.varve.query.QueryPlan.Gaps;
import org.jspecify.annotations.Nullable;

/** Marks the windows that hold no sample. */
final class GapStage extends Stage {
  /** A series with more gaps than this is refused: each is written out. */
  static final int GAPS_MAX = 1_000_000;

  private final Gaps plan;
  private final Emitter out;

  /** The start of the first window that no sample has been seen of yet; null before the first. */
  private @Nullable Long expected;

  private int gaps;

  GapStage(Gaps plan, Stage next) {
    super(next);
    this.plan = plan;
    this.out = new Emitter(next);
  }

  @Override
  public void begin(ResultSeries series) {
    next.begin(series);
    Long from = plan.from();
    expected = from == null ? null : plan.windows().startOf(from);
    gaps = 0;
  }

  @Override
  public void samples(Samples samples, int from, int to) {
    for (int i = from; i < to; i++) {
      long time = samples.time(i);
      Long start = expected;
      if (start == null) {
        start = plan.windows().startOf(time);
        expected = plan.windows().endOf(start);
      } else if (time >= start) {
        long window = plan.windows().startOf(time);
        mark(start, window);
        expected = plan.windows().endOf(window);
      }
      out.addFrom(samples, i);
    }
  }

  /** Marks every window from {@code start} on that begins before {@code end}. */
  private void mark(long start, long end) {
    for (long window = start; window < end; window = plan.windows().endOf(window)) {
      if (++gaps > GAPS_MAX) {
        throw new QueryRefusedException(
            "more than %d windows of %s hold no sample; make the windows wider or the range shorter"
                .formatted(GAPS_MAX, plan.windows()));
      }
      out.gap(window);
    }
  }

  @Override
  public void end() {
    Long start = expected;
    Long to = plan.to();
    if (start != null && to != null && start <= to) {
      mark(start, plan.windows().endOf(plan.windows().startOf(to)));
    }
    out.flush();
    next.end();
  }
}
