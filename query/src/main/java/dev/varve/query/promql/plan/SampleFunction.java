package dev.varve.query.promql.plan;

import dev.varve.query.promql.Function;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A function of a single value and its step. */
public enum SampleFunction {
  ABS(Function.ABS),
  ACOS(Function.ACOS),
  ACOSH(Function.ACOSH),
  ASIN(Function.ASIN),
  ASINH(Function.ASINH),
  ATAN(Function.ATAN),
  ATANH(Function.ATANH),
  CEIL(Function.CEIL),
  CLAMP(Function.CLAMP),
  CLAMP_MAX(Function.CLAMP_MAX),
  CLAMP_MIN(Function.CLAMP_MIN),
  COS(Function.COS),
  COSH(Function.COSH),
  DAY_OF_MONTH(Function.DAY_OF_MONTH),
  DAY_OF_WEEK(Function.DAY_OF_WEEK),
  DAY_OF_YEAR(Function.DAY_OF_YEAR),
  DAYS_IN_MONTH(Function.DAYS_IN_MONTH),
  DEG(Function.DEG),
  EXP(Function.EXP),
  FLOOR(Function.FLOOR),
  HOUR(Function.HOUR),
  LN(Function.LN),
  LOG10(Function.LOG10),
  LOG2(Function.LOG2),
  MINUTE(Function.MINUTE),
  MONTH(Function.MONTH),
  RAD(Function.RAD),
  ROUND(Function.ROUND),
  SGN(Function.SGN),
  SIN(Function.SIN),
  SINH(Function.SINH),
  SQRT(Function.SQRT),
  TAN(Function.TAN),
  TANH(Function.TANH),
  /** The time of the step. */
  TIMESTAMP(Function.TIMESTAMP),
  /** Passes on the times of samples, which their scan returns as values. */
  TIMESTAMP_OF_THE_SAMPLE(null),
  YEAR(Function.YEAR);

  private static final Map<Function, SampleFunction> BY_FUNCTION = new EnumMap<>(Function.class);

  static {
    for (SampleFunction one : values()) {
      if (one.function != null) {
        BY_FUNCTION.put(one.function, one);
      }
    }
  }

  private final @Nullable Function function;

  /**
   * @param function of the language; null if it has none of this meaning
   */
  SampleFunction(@Nullable Function function) {
    this.function = function;
  }

  /** Returns the name in the language, or in explanations if it has none there. */
  public String text() {
    return function == null ? "timestamp of the sample" : function.text();
  }

  /**
   * Returns the function of values of a function of the language.
   *
   * @throws IllegalArgumentException if there is none
   */
  static SampleFunction of(Function function) {
    SampleFunction found = BY_FUNCTION.get(function);
    if (found == null) {
      throw new IllegalArgumentException(function.text() + " is not of single values");
    }
    return found;
  }
}
