package dev.varve.query.promql.eval;

import dev.varve.query.promql.plan.WindowFunction;

/** A function of the samples in a window, which contains at least one. */
@FunctionalInterface
interface RangeFunction {
  /** Result of a function that has no value. */
  double NOTHING = Double.longBitsToDouble(0x7ff4_7661_7276_6500L);

  double apply(Window window);

  /** Returns whether a result means no value; other NaNs are values. */
  static boolean isNothing(double answer) {
    return Double.isNaN(answer)
        && Double.doubleToRawLongBits(answer) == Double.doubleToRawLongBits(NOTHING);
  }

  /** Creates the function for one query, because it may have state. */
  static RangeFunction of(WindowFunction function) {
    return switch (function) {
      case AVG_OVER_TIME -> OverTime.avg();
      case CHANGES -> Counters::changes;
      case COUNT_OVER_TIME -> Window::size;
      case DELTA -> window -> Counters.extrapolated(window, false, false);
      case DERIV -> Regression::slope;
      case IDELTA -> window -> Counters.last(window, false);
      case INCREASE -> window -> Counters.extrapolated(window, true, false);
      case IRATE -> window -> Counters.last(window, true);
      case LAST_OVER_TIME -> window -> window.values[window.to - 1];
      case MAX_OVER_TIME -> OverTime::max;
      case MIN_OVER_TIME -> OverTime::min;
      case PREDICT_LINEAR -> Regression::predict;
      case PRESENT_OVER_TIME -> window -> 1;
      case QUANTILE_OVER_TIME -> OverTime::quantile;
      case RATE -> window -> Counters.extrapolated(window, true, true);
      case RESETS -> Counters::resets;
      case STDDEV_OVER_TIME -> window -> Math.sqrt(OverTime.variance(window));
      case STDVAR_OVER_TIME -> OverTime::variance;
      case SUM_OVER_TIME -> OverTime.sum();
    };
  }
}
