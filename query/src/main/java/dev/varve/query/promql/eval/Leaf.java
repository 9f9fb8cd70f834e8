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
      Column column = new Column(plan.at().steps().count());
      double[] into = column.values();
      long[] times = samples.times();
      double[] values = samples.values();
      int size = samples.size();
      long lookback = plan.lookback();
      long at = plan.at().at(0);
      long stride = plan.at().stride();
      int next = 0;
      // The steps of a word are marked at once: marking each would wait for the one before.
      long marks = 0;
      for (int step = 0; step < into.length; step++) {
        while (next < size && times[next] <= at) {
          next++;
        }
        if (next > 0 && times[next - 1] > at - lookback) {
          double value = values[next - 1];
          into[step] = value;
          marks |= SampleVector.isStale(value) ? 0 : 1L << step;
        }
        if (Column.endsWord(step)) {
          column.mark(step, marks);
          marks = 0;
        }
        at += stride;
      }
      if (marks != 0) {
        column.mark(into.length - 1, marks);
      }
      return plan.timestamps() ? timestamps(column, samples) : column;
    }

    /** Returns the times of the newest samples, in seconds, instead of their values. */
    private Column timestamps(Column values, SampleVector samples) {
      Column column = new Column(values.steps());
      int next = 0;
      for (int step = values.next(0); step < values.steps(); step = values.next(step + 1)) {
        next = samples.after(plan.at().at(step), next, 1);
        column.set(step, samples.time(next - 1) / 1000.0);
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
