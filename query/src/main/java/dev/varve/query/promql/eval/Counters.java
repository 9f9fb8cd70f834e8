package dev.varve.query.promql.eval;

/** Functions of the change over a window: rates, increases, resets. */
final class Counters {
  /**
   * Maximum gap at an end of the window, in mean distances, up to which the whole gap is
   * extrapolated.
   */
  private static final double EXTRAPOLATED_GAPS = 1.1;

  private Counters() {}

  /**
   * Returns the change over the window, extrapolated to its ends if the samples are close enough to
   * them.
   *
   * @param counter whether a decrease is a reset to zero, and values cannot be negative
   * @param perSecond whether to divide by the length of the window
   */
  static double extrapolated(Window window, boolean counter, boolean perSecond) {
    int last = window.to - 1;
    if (last == window.from) {
      return RangeFunction.NOTHING;
    }
    double first = window.values[window.from];
    double change = window.values[last] - first;
    if (counter) {
      change = withResets(window, change);
    }
    double toStart = (window.time(window.from) - window.start) / 1000.0;
    double toEnd = (window.end - window.time(last)) / 1000.0;
    double sampled = (window.time(last) - window.time(window.from)) / 1000.0;
    double distance = sampled / (last - window.from);
    double near = distance * EXTRAPOLATED_GAPS;
    if (toStart >= near) {
      toStart = distance / 2;
    }
    if (counter && change > 0 && first >= 0) {
      toStart = Math.min(toStart, sampled * (first / change));
    }
    if (toEnd >= near) {
      toEnd = distance / 2;
    }
    double factor = (sampled + toStart + toEnd) / sampled;
    return change * (perSecond ? factor / window.rangeSeconds() : factor);
  }

  /** Adds the value before each reset, one after another, so that rounding is as in Prometheus. */
  private static double withResets(Window window, double change) {
    double total = change;
    double before = window.values[window.from];
    for (int i = window.from + 1; i < window.to; ) {
      for (int end = window.stretch(i); i < end; i++) {
        double value = window.values[i];
        if (value < before) {
          total += before;
        }
        before = value;
      }
    }
    return total;
  }

  /** Returns the change between the last two samples. */
  static double last(Window window, boolean rate) {
    if (window.size() < 2) {
      return RangeFunction.NOTHING;
    }
    double last = window.values[window.to - 1];
    double before = window.values[window.to - 2];
    long millis = window.time(window.to - 1) - window.time(window.to - 2);
    if (millis == 0) {
      return RangeFunction.NOTHING;
    }
    double change = rate && last < before ? last : last - before;
    return rate ? change / (millis / 1000.0) : change;
  }

  static double changes(Window window) {
    int changes = 0;
    for (int i = window.from + 1; i < window.to; ) {
      for (int end = window.stretch(i); i < end; i++) {
        double value = window.values[i];
        double before = window.values[i - 1];
        if (value != before && !(Double.isNaN(value) && Double.isNaN(before))) {
          changes++;
        }
      }
    }
    return changes;
  }

  static double resets(Window window) {
    int resets = 0;
    for (int i = window.from + 1; i < window.to; ) {
      for (int end = window.stretch(i); i < end; i++) {
        if (window.values[i] < window.values[i - 1]) {
          resets++;
        }
      }
    }
    return resets;
  }
}
