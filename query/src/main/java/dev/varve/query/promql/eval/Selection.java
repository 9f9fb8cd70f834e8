package dev.varve.query.promql.eval;

import dev.varve.query.promql.At;
import dev.varve.query.promql.Expr;
import dev.varve.query.promql.Modifiers;

/** Reads what selectors ask for, at the times that their modifiers say. */
final class Selection {
  /** No sample is further away, and sums of such times stay within 64 bits. */
  private static final long FAR = 1L << 60;

  private static final long STEPS_MAX = 1 << 28;
  private static final long SAMPLES_BETWEEN_LOOKS = 1 << 20;

  private final SampleSource source;
  private final Held held;
  private final long queryStart;
  private final long queryEnd;
  private final long lookback;
  private final long subqueryStep;

  /**
   * @param queryStart what {@code start()} is, in ms since 1970
   * @param queryEnd what {@code end()} is, which may lie behind the last step
   * @param lookback how old the sample of an instant vector may be, in ms
   * @param subqueryStep the step of subqueries that name none, in ms
   */
  Selection(
      SampleSource source,
      Held held,
      long queryStart,
      long queryEnd,
      long lookback,
      long subqueryStep) {
    this.source = source;
    this.held = held;
    this.queryStart = queryStart;
    this.queryEnd = queryEnd;
    this.lookback = lookback;
    this.subqueryStep = subqueryStep;
  }

  /** The time that a selector looks at, at each step. */
  record Times(Steps steps, boolean fixed, long first) {
    long at(int step) {
      return fixed ? first : first + step * steps.step();
    }

    long last() {
      return at(steps.count() - 1);
    }
  }

  private Times times(Modifiers modifiers, Steps steps) {
    long offset = modifiers.offset().toMillis();
    At at = modifiers.at();
    return switch (at) {
      case null -> new Times(steps, false, steps.start() - offset);
      case At.Time time ->
          new Times(steps, true, Math.clamp(time.epochMillis(), -FAR, FAR) - offset);
      case At.Edge edge ->
          new Times(steps, true, (edge == At.Edge.START ? queryStart : queryEnd) - offset);
    };
  }

  /**
   * The newest sample of each series, not older than the look-back.
   *
   * @param timestamps whether the values are the times of the samples, in seconds
   */
  void instant(Expr.VectorSelector selector, Steps steps, boolean timestamps, RowSink into) {
    Times times = times(selector.modifiers(), steps);
    source.read(
        selector.matchers(),
        times.first() - lookback + 1,
        times.last(),
        (labels, samples) -> {
          Column column = newest(samples, times, timestamps);
          if (!column.isEmpty()) {
            into.row(labels, column);
          }
        });
  }

  private Column newest(SampleVector samples, Times times, boolean timestamps) {
    Column column = new Column(times.steps().count());
    int next = 0;
    for (int step = 0; step < column.steps(); step++) {
      long at = times.at(step);
      while (next < samples.size() && samples.time(next) <= at) {
        next++;
      }
      if (next > 0 && samples.time(next - 1) > at - lookback) {
        double value = samples.value(next - 1);
        if (!SampleVector.isStale(value)) {
          column.set(step, timestamps ? samples.time(next - 1) / 1000.0 : value);
        }
      }
    }
    return column;
  }

  /** Applies a function to the samples of each series in the range before each step. */
  void range(
      Expr.MatrixSelector matrix,
      RangeFunction function,
      double[] parameter,
      Steps steps,
      RowSink into) {
    Times times = times(matrix.selector().modifiers(), steps);
    long range = matrix.range().toMillis();
    source.read(
        matrix.selector().matchers(),
        times.first() - range + 1,
        times.last(),
        (labels, samples) -> {
          samples.dropStale();
          Column column = windows(samples, times, range, function, parameter, held);
          if (!column.isEmpty()) {
            into.row(labels, column);
          }
        });
  }

  static Column windows(
      SampleVector samples,
      Times times,
      long range,
      RangeFunction function,
      double[] parameter,
      Held held) {
    Column column = new Column(times.steps().count());
    Window window = new Window(samples);
    long looked = 0;
    for (int step = 0; step < column.steps(); step++) {
      window.end = times.at(step);
      window.start = window.end - range;
      while (window.from < samples.size() && samples.time(window.from) <= window.start) {
        window.from++;
      }
      while (window.to < samples.size() && samples.time(window.to) <= window.end) {
        window.to++;
      }
      looked += window.size();
      if (looked > SAMPLES_BETWEEN_LOOKS) {
        held.wanted();
        looked = 0;
      }
      if (window.to > window.from) {
        window.now = times.steps().time(step);
        window.parameter = parameter[step];
        double value = function.apply(window);
        if (!RangeFunction.isNothing(value)) {
          column.set(step, value);
        }
      }
    }
    return column;
  }

  /** The samples that a range selector names at one time. */
  void samples(Expr.MatrixSelector matrix, Steps at, SampleSource.Sink into) {
    Times times = times(matrix.selector().modifiers(), at);
    long from = times.first() - matrix.range().toMillis() + 1;
    source.read(
        matrix.selector().matchers(),
        from,
        times.first(),
        (labels, samples) -> {
          samples.dropStale();
          if (samples.size() > 0) {
            into.series(labels, samples);
          }
        });
  }

  /** What has to be worked out for a subquery. */
  Subquery subquery(Expr.Subquery expr, Steps steps) {
    Times times = times(expr.modifiers(), steps);
    long step = expr.step() == null ? subqueryStep : expr.step().toMillis();
    if (step == 0) {
      throw new PromQlEvaluationException("a subquery steps by a millisecond at least");
    }
    long before = times.first() - expr.range().toMillis();
    long start = step * (before / step);
    if (start <= before) {
      start += step;
    }
    long count = times.last() < start ? 0 : (times.last() - start) / step + 1;
    if (count > STEPS_MAX) {
      throw new PromQlEvaluationException(
          "a subquery of %,d steps, more than the %,d that are possible"
              .formatted(count, STEPS_MAX));
    }
    return new Subquery(times, expr.range().toMillis(), start, step, count, held);
  }

  /**
   * The steps of a subquery, and the windows of the query around it.
   *
   * @param count how many steps; may be none
   */
  record Subquery(Times times, long range, long start, long step, long count, Held held) {
    Steps steps() {
      return new Steps(start, step, Math.toIntExact(count));
    }

    /** Applies a function to what the subquery gave for one series. */
    Column apply(Column inner, RangeFunction function, double[] parameter) {
      return windows(samples(inner), times, range, function, parameter, held);
    }

    SampleVector samples(Column inner) {
      SampleVector samples = new SampleVector();
      for (int i = inner.next(0); i < inner.steps(); i = inner.next(i + 1)) {
        samples.add(start + i * step, inner.get(i));
      }
      return samples;
    }
  }
}
