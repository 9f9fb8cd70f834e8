package dev.varve.query.promql.eval;

import java.util.Map;
import org.jspecify.annotations.Nullable;

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

  /** Creates the function for each query, because it may have state. */
  @FunctionalInterface
  interface Factory {
    RangeFunction make();
  }

  Map<String, Factory> ALL =
      Map.ofEntries(
          Map.entry("avg_over_time", OverTime::avg),
          Map.entry("changes", () -> Counters::changes),
          Map.entry("count_over_time", () -> Window::size),
          Map.entry("delta", () -> window -> Counters.extrapolated(window, false, false)),
          Map.entry("deriv", () -> Regression::slope),
          Map.entry("idelta", () -> window -> Counters.last(window, false)),
          Map.entry("increase", () -> window -> Counters.extrapolated(window, true, false)),
          Map.entry("irate", () -> window -> Counters.last(window, true)),
          Map.entry("last_over_time", () -> window -> window.values[window.to - 1]),
          Map.entry("max_over_time", () -> OverTime::max),
          Map.entry("min_over_time", () -> OverTime::min),
          Map.entry("predict_linear", () -> Regression::predict),
          Map.entry("present_over_time", () -> window -> 1),
          Map.entry("quantile_over_time", () -> OverTime::quantile),
          Map.entry("rate", () -> window -> Counters.extrapolated(window, true, true)),
          Map.entry("resets", () -> Counters::resets),
          Map.entry("stddev_over_time", () -> window -> Math.sqrt(OverTime.variance(window))),
          Map.entry("stdvar_over_time", () -> OverTime::variance),
          Map.entry("sum_over_time", OverTime::sum));

  /** Returns the function of a name; null if there is none. */
  static @Nullable RangeFunction of(String name) {
    Factory factory = ALL.get(name);
    return factory == null ? null : factory.make();
  }
}
