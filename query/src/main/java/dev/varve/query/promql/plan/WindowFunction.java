package dev.varve.query.promql.plan;

import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A function of the samples in the window before each step. */
public enum WindowFunction {
  AVG_OVER_TIME,
  CHANGES,
  COUNT_OVER_TIME,
  DELTA,
  DERIV,
  IDELTA,
  INCREASE,
  IRATE,
  LAST_OVER_TIME,
  MAX_OVER_TIME,
  MIN_OVER_TIME,
  PREDICT_LINEAR,
  PRESENT_OVER_TIME,
  QUANTILE_OVER_TIME,
  RATE,
  RESETS,
  STDDEV_OVER_TIME,
  STDVAR_OVER_TIME,
  SUM_OVER_TIME;

  private static final Map<String, WindowFunction> BY_TEXT =
      Stream.of(values()).collect(Collectors.toMap(WindowFunction::text, Function.identity()));

  /** Returns the name in the language. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Returns the function of a name; null if there is none. */
  static @Nullable WindowFunction of(String text) {
    return BY_TEXT.get(text);
  }
}
