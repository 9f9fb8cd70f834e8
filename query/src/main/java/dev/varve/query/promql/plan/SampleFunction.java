package dev.varve.query.promql.plan;

import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A function of a single value and its step. */
public enum SampleFunction {
  ABS,
  ACOS,
  ACOSH,
  ASIN,
  ASINH,
  ATAN,
  ATANH,
  CEIL,
  CLAMP,
  CLAMP_MAX,
  CLAMP_MIN,
  COS,
  COSH,
  DAY_OF_MONTH,
  DAY_OF_WEEK,
  DAY_OF_YEAR,
  DAYS_IN_MONTH,
  DEG,
  EXP,
  FLOOR,
  HOUR,
  LN,
  LOG10,
  LOG2,
  MINUTE,
  MONTH,
  RAD,
  ROUND,
  SGN,
  SIN,
  SINH,
  SQRT,
  TAN,
  TANH,
  /** The time of the step. */
  TIMESTAMP,
  /** Passes on the times of samples, which their scan returns as values. */
  TIMESTAMP_OF_THE_SAMPLE,
  YEAR;

  private static final Map<String, SampleFunction> BY_TEXT =
      Stream.of(values()).collect(Collectors.toMap(SampleFunction::text, Function.identity()));

  /** Returns the name in the language, or in explanations if it has none there. */
  public String text() {
    return this == TIMESTAMP_OF_THE_SAMPLE
        ? "timestamp of the sample"
        : name().toLowerCase(Locale.ROOT);
  }

  /** Returns the function of a name; null if there is none. */
  static @Nullable SampleFunction of(String text) {
    return BY_TEXT.get(text);
  }
}
