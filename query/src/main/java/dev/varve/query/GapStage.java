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

  /** Whether a sample of the series has come. */
  private boolean begun;

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
    begun = false;
    gaps = 0;
  }

  @Override
  public void samples(Samples samples, int from, int to) {
    for (int i = from; i < to; i++) {
      seen(samples.time(i));
      out.addFrom(samples, i);
    }
  }

  /** A gap that another such operator has marked fills its window, as a sample does. */
  @Override
  public void gap(long time) {
    seen(time);
    out.gap(time);
  }

  /** Marks the windows that ended without a sample before this one came. */
  private void seen(long time) {
    Long start = expected;
    if (start == null || time >= start) {
      long window = plan.windows().startOf(time);
      if (start != null) {
        mark(start, window);
      }
      expected = plan.windows().endOf(window);
    } else if (!begun) {
      // What comes before the first window counts as part of it.
      expected = plan.windows().endOf(start);
    }
    begun = true;
  }

  /**
   * Marks every window from {@code start} on that begins before {@code end}. Too many are refused
   * before the first of them is handed on, so that most queries end before an answer has begun.
   */
  private void mark(long start, long end) {
    if (plan.windows().leastBetween(start, end) > GAPS_MAX - gaps) {
      throw tooMany();
    }
    for (long window = start; window < end; window = plan.windows().endOf(window)) {
      if (++gaps > GAPS_MAX) {
        throw tooMany();
      }
      out.gap(window);
    }
  }

  private QueryRefusedException tooMany() {
    return new QueryRefusedException(
        "more than %d windows of %s hold no sample; make the windows wider or the range shorter"
            .formatted(GAPS_MAX, plan.windows()));
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
