package dev.varve.server.opentsdb.expression;

import dev.varve.query.running.QueryUse;
import dev.varve.server.opentsdb.query.PointSink;
import dev.varve.server.opentsdb.query.Points;
import java.util.regex.Pattern;

/**
 * The mean of a window that ends at each point of the requested range. It is zero until the window
 * is full, as in OpenTSDB.
 */
final class MovingAverage {
  private static final Pattern WHOLE = Pattern.compile("[0-9]+");

  /**
   * The extent of a window.
   *
   * @param size in points or milliseconds, at least 1
   * @param timed whether it is in milliseconds
   */
  record Window(long size, boolean timed) {
    static Window parse(String text) {
      String stripped = text.strip();
      if (Quoted.is(stripped)) {
        return new Window(Quoted.window(stripped), true);
      }
      if (!WHOLE.matcher(stripped).matches()) {
        throw new IllegalArgumentException("Unparseable window size: " + stripped);
      }
      try {
        int size = Integer.parseInt(stripped);
        if (size > 0) {
          return new Window(size, false);
        }
      } catch (NumberFormatException e) {
        throw new IllegalArgumentException("Invalid parameter, must be an integer", e);
      }
      throw new IllegalArgumentException(
          "Moving average window must be an integer greater than zero");
    }
  }

  private final Window window;
  private final long from;
  private final long to;
  private final QueryUse use;

  /**
   * Creates a computation.
   *
   * @param from start of the requested range, inclusive
   * @param to end of the requested range, inclusive
   */
  MovingAverage(Window window, long from, long to, QueryUse use) {
    this.window = window;
    this.from = from;
    this.to = to;
    this.use = use;
  }

  void run(Points points, PointSink sink) {
    int first = 0;
    while (first < points.size() && points.time(first) < from) {
      first++;
    }
    for (int i = first; i < points.size() && points.time(i) <= to; i++) {
      use.ensureWanted();
      sink.real(points.time(i), mean(points, first, i));
    }
  }

  /** Adds up from the newest point on, so that rounding is that of OpenTSDB. */
  private double mean(Points points, int first, int newest) {
    double sum = 0;
    long count = 0;
    for (int i = newest; i >= first; i--) {
      if (window.timed() && points.time(newest) - points.time(i) >= window.size()) {
        return count == 0 ? 0 : sum / count;
      }
      double value = points.number(i);
      if (!Double.isNaN(value)) {
        sum += value;
        count++;
      }
      if (!window.timed() && count == window.size()) {
        return sum / count;
      }
    }
    return 0;
  }
}
