package dev.varve.server.opentsdb.query;

import dev.varve.query.running.QueryUse;
import dev.varve.server.opentsdb.aggregator.Aggregator;
import java.util.List;

/**
 * Aggregates the series of a group: one point at every time at which any series has one. A series
 * takes part from its first to its last point; between two points its value is interpolated.
 *
 * <p>A result is an int64 only if the current and the next point of every series are, as in
 * OpenTSDB, so that one answer may contain both integers and doubles.
 */
final class GroupMerge {
  private final List<Points> series;
  private final Aggregator aggregator;
  private final boolean rate;
  private final QueryUse use;

  /** By series: the index of the current point; -1 before the first and after the last. */
  private final int[] current;

  /** By series: the index of the next point; the size of the series if there is none. */
  private final int[] next;

  private final long[] longs;
  private final double[] doubles;

  /**
   * Creates a merge.
   *
   * @param rate whether the points are rates, which are held instead of interpolated
   */
  GroupMerge(List<Points> series, Aggregator aggregator, boolean rate, QueryUse use) {
    this.series = series;
    this.aggregator = aggregator;
    this.rate = rate;
    this.use = use;
    int count = series.size();
    use.memory().hold(24L * count, "the series of a group of an OpenTSDB query");
    current = new int[count];
    next = new int[count];
    longs = new long[count];
    doubles = new double[count];
    for (int i = 0; i < count; i++) {
      current[i] = -1;
      if (rate && series.get(i).size() > 0) {
        moveOn(i);
        // A single rate, which has no value before it, is not a result.
        current[i] = series.get(i).size() > 1 ? current[i] : -1;
      }
    }
  }

  /** Passes the result to a sink. */
  void into(PointSink sink) {
    for (long time = earliest(); time != Long.MAX_VALUE; time = earliest()) {
      use.ensureWanted();
      boolean integer = !rate;
      for (int i = 0; i < current.length; i++) {
        if (next[i] < series.get(i).size() && series.get(i).time(next[i]) == time) {
          moveOn(i);
        } else if (next[i] == series.get(i).size()) {
          current[i] = -1;
        }
        integer &= isInteger(i);
      }
      if (integer) {
        sink.whole(time, aggregator.fold().longs(longs, gatherLongs(time)));
      } else {
        sink.real(time, aggregator.fold().doubles(doubles, gatherDoubles(time)));
      }
    }
  }

  private long earliest() {
    long time = Long.MAX_VALUE;
    for (int i = 0; i < next.length; i++) {
      Points points = series.get(i);
      if (next[i] < points.size()) {
        time = Math.min(time, points.time(next[i]));
      }
    }
    return time;
  }

  private void moveOn(int i) {
    current[i] = next[i]++;
  }

  private boolean isInteger(int i) {
    Points points = series.get(i);
    return !(current[i] >= 0 && points.isReal(current[i]))
        && !(next[i] < points.size() && points.isReal(next[i]));
  }

  private int gatherLongs(long time) {
    int count = 0;
    for (int i = 0; i < current.length; i++) {
      if (current[i] >= 0) {
        longs[count++] = longAt(series.get(i), current[i], time);
      }
    }
    return count;
  }

  private long longAt(Points points, int at, long time) {
    long before = points.longAt(at);
    long since = time - points.time(at);
    if (since == 0) {
      return before;
    }
    return switch (aggregator.between()) {
      case LERP ->
          before
              + since * (points.longAt(at + 1) - before) / (points.time(at + 1) - points.time(at));
      case ZERO -> 0;
      case MAX -> Long.MAX_VALUE;
      case MIN -> Long.MIN_VALUE;
      case PREVIOUS -> before;
    };
  }

  private int gatherDoubles(long time) {
    int count = 0;
    for (int i = 0; i < current.length; i++) {
      if (current[i] >= 0) {
        doubles[count++] = doubleAt(series.get(i), current[i], time);
      }
    }
    return count;
  }

  private double doubleAt(Points points, int at, long time) {
    double before = points.number(at);
    long since = time - points.time(at);
    if (since == 0 || rate) {
      return before;
    }
    return switch (aggregator.between()) {
      case LERP ->
          before
              + since * (points.number(at + 1) - before) / (points.time(at + 1) - points.time(at));
      case ZERO -> 0;
      case MAX -> Double.MAX_VALUE;
      // OpenTSDB 2.4.0 takes the smallest positive number, and its answers show it.
      case MIN -> Double.MIN_VALUE;
      case PREVIOUS -> before;
    };
  }
}
