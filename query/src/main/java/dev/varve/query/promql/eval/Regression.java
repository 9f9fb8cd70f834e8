package dev.varve.query.promql.eval;

/** Least-squares line through the samples of a window. */
final class Regression {
  private Regression() {}

  static double slope(Window window) {
    return window.size() < 2 ? RangeFunction.NOTHING : line(window, window.time(window.from))[0];
  }

  /** Returns the value of the line {@code parameter} seconds from now. */
  static double predict(Window window) {
    if (window.size() < 2) {
      return RangeFunction.NOTHING;
    }
    double[] line = line(window, window.now);
    return line[0] * window.parameter + line[1];
  }

  /**
   * Returns the slope per second and the value at a time.
   *
   * @param at in ms since 1970
   */
  private static double[] line(Window window, long at) {
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
      return Double.isInfinite(first)
          ? new double[] {Double.NaN, Double.NaN}
          : new double[] {0, first};
    }
    double n = window.size();
    double covariance = xy.all() - x.all() * y.all() / n;
    double variance = xx.all() - x.all() * x.all() / n;
    double slope = covariance / variance;
    return new double[] {slope, y.all() / n - slope * x.all() / n};
  }
}
