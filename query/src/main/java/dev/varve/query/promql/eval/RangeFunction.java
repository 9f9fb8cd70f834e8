package dev.varve.query.promql.eval;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A function of the samples in a window, of which there is at least one. */
@FunctionalInterface
interface RangeFunction {
  /** What a function answers that has no value here. */
  double NOTHING = Double.longBitsToDouble(0x7ff4_7661_7276_6500L);

  double apply(Window window);

  /** Whether an answer is no value at all; NaN is one. */
  static boolean isNothing(double answer) {
    return Double.isNaN(answer)
        && Double.doubleToRawLongBits(answer) == Double.doubleToRawLongBits(NOTHING);
  }

  /** A function made anew for each query, since it may keep what it works with; by its name. */
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

  /** The function of a name; null where there is none. */
  static @Nullable RangeFunction of(String name) {
    Factory factory = ALL.get(name);
    return factory == null ? null : factory.make();
  }
}
