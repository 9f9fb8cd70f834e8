package dev.varve.query.promql.plan;

import dev.varve.query.promql.Function;
import java.util.EnumMap;
import java.util.Map;

/** A function of the samples in the window before each step. */
public enum WindowFunction {
  AVG_OVER_TIME(Function.AVG_OVER_TIME),
  CHANGES(Function.CHANGES),
  COUNT_OVER_TIME(Function.COUNT_OVER_TIME),
  DELTA(Function.DELTA),
  DERIV(Function.DERIV),
  IDELTA(Function.IDELTA),
  INCREASE(Function.INCREASE),
  IRATE(Function.IRATE),
  LAST_OVER_TIME(Function.LAST_OVER_TIME),
  MAX_OVER_TIME(Function.MAX_OVER_TIME),
  MIN_OVER_TIME(Function.MIN_OVER_TIME),
  PREDICT_LINEAR(Function.PREDICT_LINEAR),
  PRESENT_OVER_TIME(Function.PRESENT_OVER_TIME),
  QUANTILE_OVER_TIME(Function.QUANTILE_OVER_TIME),
  RATE(Function.RATE),
  RESETS(Function.RESETS),
  STDDEV_OVER_TIME(Function.STDDEV_OVER_TIME),
  STDVAR_OVER_TIME(Function.STDVAR_OVER_TIME),
  SUM_OVER_TIME(Function.SUM_OVER_TIME);

  private static final Map<Function, WindowFunction> BY_FUNCTION = new EnumMap<>(Function.class);

  static {
    for (WindowFunction one : values()) {
      BY_FUNCTION.put(one.function, one);
    }
  }

  private final Function function;

  WindowFunction(Function function) {
    this.function = function;
  }

  /** Returns the name in the language. */
  public String text() {
    return function.text();
  }

  /**
   * Returns the window function of a function of the language.
   *
   * @throws IllegalArgumentException if there is none
   */
  static WindowFunction of(Function function) {
    WindowFunction found = BY_FUNCTION.get(function);
    if (found == null) {
      throw new IllegalArgumentException(function.text() + " has no window");
    }
    return found;
  }
}
