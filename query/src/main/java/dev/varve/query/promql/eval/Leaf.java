package dev.varve.query.promql.eval;

import dev.varve.query.promql.plan.Instants;
import dev.varve.query.promql.plan.StepPlan;

/** Computes a column from the samples of a series. For one thread. */
sealed interface Leaf {
  /**
   * Returns the values at all steps; there may be none.
   *
   * @param samples may be changed
   */
  Column column(SampleVector samples);

  /**
   * Creates the evaluation of an operator.
   *
   * @param parameter the numeric parameter of the operator at every step
   */
  static Leaf of(StepPlan.SeriesOperator plan, double[] parameter, RowMemory held) {
    return switch (plan) {
      case StepPlan.Newest newest -> new OfNewest(newest);
      case StepPlan.Window window ->
          new OfWindow(
              window.input().at(),
              window.input().length(),
              RangeFunction.of(window.function()),
              parameter,
              held);
    };
  }

  /** The newest sample that is not older than the look-back. */
  record OfNewest(StepPlan.Newest plan) implements Leaf {
    @Override
    public Column column(SampleVector samples) {
      Instants instants = plan.at();
      long lookback = plan.lookback();
      Column column = new Column(instants.steps().count());
      long[] times = samples.times();
      double[] values = samples.values();
      int size = samples.size();
      int next = 0;
      for (int step = 0; step < column.steps(); step++) {
        long at = instants.at(step);
        while (next < size && times[next] <= at) {
          next++;
        }
        if (next > 0 && times[next - 1] > at - lookback) {
          double value = values[next - 1];
          if (!SampleVector.isStale(value)) {
            column.set(step, plan.timestamps() ? times[next - 1] / 1000.0 : value);
          }
        }
      }
      return column;
    }
  }

  /** A function of the samples in the window before each step. */
  record OfWindow(
      Instants instants, long length, RangeFunction function, double[] parameter, RowMemory held)
      implements Leaf {
    private static final long BETWEEN_LOOKS = 1 << 16;

    @Override
    public Column column(SampleVector samples) {
      samples.dropStale();
      Column column = new Column(instants.steps().count());
      Window window = new Window(samples, held);
      long looked = 0;
      int stride = 0;
      for (int step = 0; step < column.steps(); step++) {
        window.end = instants.at(step);
        window.start = window.end - length;
        // Windows begin about as far from each other as the two before them, and hold as many.
        int before = window.from;
        window.from = samples.after(window.start, before, stride);
        stride = window.from - before;
        window.to = samples.after(window.end, Math.max(window.to, window.from), stride);
        looked += 1 + window.size();
        if (looked > BETWEEN_LOOKS) {
          held.wanted();
          looked = 0;
        }
        if (window.to > window.from) {
          window.now = instants.steps().time(step);
          window.parameter = parameter[step];
          double value = function.apply(window);
          if (!RangeFunction.isNothing(value)) {
            column.set(step, value);
          }
        }
      }
      return column;
    }
  }
}
