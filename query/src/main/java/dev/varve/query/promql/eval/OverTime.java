package dev.varve.query.promql.eval;

import java.util.Arrays;

/** Aggregations over the samples of a window. */
final class OverTime {
  private OverTime() {}

  static RangeFunction sum() {
    Kahan sum = new Kahan();
    return window -> {
      double exact = exactSum(window);
      if (!Double.isNaN(exact)) {
        return exact;
      }
      sum.clear();
      for (int i = window.from; i < window.to; ) {
        for (int end = window.stretch(i); i < end; i++) {
          sum.add(window.values[i]);
        }
      }
      return sum.total();
    };
  }

  static RangeFunction avg() {
    Mean mean = new Mean();
    return window -> {
      double exact = exactSum(window);
      if (!Double.isNaN(exact)) {
        return exact / window.size();
      }
      mean.clear();
      for (int i = window.from; i < window.to; ) {
        for (int end = window.stretch(i); i < end; i++) {
          mean.add(window.values[i]);
        }
      }
      return mean.value();
    };
  }

  /** Returns the sum of a window of small integers; NaN for others. */
  private static double exactSum(Window window) {
    boolean isOneStretch = window.stretch(window.from) == window.to;
    return isOneStretch ? ExactSum.of(window.values, window.from, window.to) : Double.NaN;
  }

  static double max(Window window) {
    double max = window.values[window.from];
    for (int i = window.from + 1; i < window.to; ) {
      for (int end = window.stretch(i); i < end; i++) {
        double value = window.values[i];
        if (value > max || Double.isNaN(max)) {
          max = value;
        }
      }
    }
    return max;
  }

  static double min(Window window) {
    double min = window.values[window.from];
    for (int i = window.from + 1; i < window.to; ) {
      for (int end = window.stretch(i); i < end; i++) {
        double value = window.values[i];
        if (value < min || Double.isNaN(min)) {
          min = value;
        }
      }
    }
    return min;
  }

  /** Returns the population variance (Welford 1962). */
  static double variance(Window window) {
    double count = 0;
    Kahan mean = new Kahan();
    Kahan squares = new Kahan();
    for (int i = window.from; i < window.to; ) {
      for (int end = window.stretch(i); i < end; i++) {
        double value = window.values[i];
        count++;
        double delta = value - mean.all();
        mean.add(delta / count);
        squares.add(delta * (value - mean.all()));
      }
    }
    return squares.all() / count;
  }

  static double quantile(Window window) {
    double[] sorted = Arrays.copyOfRange(window.values, window.from, window.to);
    return Quantiles.of(window.parameter, sorted, sorted.length, window.held);
  }
}
