package dev.varve.query.promql.eval;

/** Least-squares line through the samples of a window. */
final class Regression {
  private Regression() {}

  /** Returns the slope per second; nothing if the window has fewer than two samples. */
  static double slope(Window window) {
    return window.size() < 2
        ? RangeFunction.NOTHING
        : line(window, window.time(window.from)).slope();
  }

  /** Returns the value {@code parameter} seconds from now; nothing for fewer than two samples. */
  static double predict(Window window) {
    if (window.size() < 2) {
      return RangeFunction.NOTHING;
    }
    Line line = line(window, window.now);
    return line.slope() * window.parameter + line.value();
  }

  /**
   * A line.
   *
   * @param slope per second
   * @param value at the time for which it was computed
   */
  private record Line(double slope, double value) {}

  /**
   * Fits a line to the samples of a window.
   *
   * @param at time of its value, in ms since 1970
   */
  private static Line line(Window window, long at) {
    Kahan x = new Kahan();
    Kahan y = new Kahan();
    Kahan xy = new Kahan();
    Kahan xx = new Kahan();
    double first = window.values[window.from];
    boolean constant = true;
    for (int i = window.from; i < window.to; ) {
      for (int end = window.stretch(i); i < end; i++) {
        double value = window.values[i];
        constant &= i == window.from || value == first;
        double seconds = (window.time(i) - at) / 1e3;
        x.add(seconds);
        y.add(value);
        xy.add(seconds * value);
        xx.add(seconds * seconds);
      }
    }
    if (constant) {
      return Double.isInfinite(first) ? new Line(Double.NaN, Double.NaN) : new Line(0, first);
    }
    double n = window.size();
    double covariance = xy.all() - x.all() * y.all() / n;
    double variance = xx.all() - x.all() * x.all() / n;
    double slope = covariance / variance;
    return new Line(slope, y.all() / n - slope * x.all() / n);
  }
}
