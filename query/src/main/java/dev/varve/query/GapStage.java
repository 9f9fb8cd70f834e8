package dev.varve.query;

import dev.varve.engine.error.QueryRefusedException;
import dev.varve.model.Samples;
import dev.varve.query.QueryPlan.Gaps;
import org.jspecify.annotations.Nullable;

/** Emits a gap for each window without a sample. */
final class GapStage extends Stage {
  private final Gaps plan;
  private final Emitter out;

  /** Start of the first window without a sample so far; null before the first sample. */
  private @Nullable Long expected;

  /** Whether the series had a sample or a gap. */
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

  /** A gap from another such operator fills its window like a sample. */
  @Override
  public void gap(long time) {
    seen(time);
    out.gap(time);
  }

  /** Emits the gaps between the last sample and this one. */
  private void seen(long time) {
    Long start = expected;
    if (start == null || time >= start) {
      long window = plan.windows().startOf(time);
      if (start != null) {
        mark(start, window);
      }
      expected = plan.windows().endOf(window);
    } else if (!begun) {
      // Samples before the first window count as part of it.
      expected = plan.windows().endOf(start);
    }
    begun = true;
  }

  /**
   * Emits a gap for every window that starts in [{@code start}, {@code end}). Checks the minimum
   * number of windows first, so that most queries with too many gaps fail before the answer begins.
   */
  private void mark(long start, long end) {
    if (plan.windows().leastBetween(start, end) > Gaps.MAX - gaps) {
      throw tooMany();
    }
    for (long window = start; window < end; window = plan.windows().endOf(window)) {
      if (++gaps > Gaps.MAX) {
        throw tooMany();
      }
      out.gap(window);
    }
  }

  private QueryRefusedException tooMany() {
    return new QueryRefusedException(
        "more than %,d windows of %s hold no sample; make the windows wider or the range shorter"
            .formatted(Gaps.MAX, plan.windows()));
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
