package dev.varve.server.otlp;

import dev.varve.model.GroupKey;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Adds up what comes as differences, series by series, since series are kept as sums from a start.
 * Safe for use by several threads.
 *
 * <p>A point goes on with the sum before it where its start is that one's time or earlier. Where
 * there is a gap between the two, or the sum is not known, a new sum begins. So many series are
 * remembered; of more those give way that have had no point for longest, and begin anew.
 *
 * <p>A request adds up in a {@link Request} of its own, which is kept once what it came to is
 * written: whoever sends the same again after a failure gets the same sums.
 */
final class CumulativeSums {
  /** How many series are remembered: some tens of megabytes at most. */
  static final int SERIES_MAX = 100_000;

  /** A series of a dataset; of a histogram its name without suffix. */
  record Key(String dataset, GroupKey series) {}

  /**
   * A sum up to a time.
   *
   * @param timeNanos of the last point
   * @param value of a number; of a histogram its sum, NaN where a point had none
   * @param count of a histogram
   * @param buckets of a histogram, each alone
   * @param bounds of these; empty for a number
   */
  record Running(long timeNanos, double value, long count, long[] buckets, double[] bounds) {
    private static final long[] NO_BUCKETS = {};
    private static final double[] NO_BOUNDS = {};

    static Running number(long timeNanos, double value) {
      return new Running(timeNanos, value, 0, NO_BUCKETS, NO_BOUNDS);
    }

    private boolean isAlike(Running other) {
      return buckets.length == other.buckets.length && Arrays.equals(bounds, other.bounds);
    }

    private Running plus(Running later) {
      long[] sums = buckets.length == 0 ? NO_BUCKETS : buckets.clone();
      for (int i = 0; i < sums.length; i++) {
        sums[i] += later.buckets[i];
      }
      return new Running(
          later.timeNanos, value + later.value, count + later.count, sums, later.bounds);
    }
  }

  /**
   * What became of a point.
   *
   * @param sum up to it
   * @param restarted whether the sum begins with it
   */
  record Added(Running sum, boolean restarted) {}

  private final int seriesMax;

  /** Guarded by this object; in the order of their last points. */
  private final LinkedHashMap<Key, Running> sums = new LinkedHashMap<>(16, 0.75f, true);

  CumulativeSums(int seriesMax) {
    this.seriesMax = seriesMax;
  }

  synchronized int size() {
    return sums.size();
  }

  private synchronized @Nullable Running get(Key key) {
    return sums.get(key);
  }

  private synchronized void put(Map<Key, @Nullable Running> changed) {
    changed.forEach((key, running) -> {
      if (running == null) {
        sums.remove(key);
      } else {
        sums.put(key, running);
      }
    });
    var eldest = sums.keySet().iterator();
    while (sums.size() > seriesMax) {
      eldest.next();
      eldest.remove();
    }
  }

  Request request() {
    return new Request();
  }

  /** The sums of one request. For one thread. */
  final class Request {
    private final Map<Key, @Nullable Running> changed = new HashMap<>();

    private Request() {}

    /**
     * Adds a point.
     *
     * @param startNanos from when its difference counts; 0 where that is not said, and it counts
     *     from the point before
     * @param difference what it says alone
     * @return null where it lies before points that have been added up
     */
    @Nullable Added add(Key key, long startNanos, Running difference) {
      Running before = changed.containsKey(key) ? changed.get(key) : get(key);
      if (before != null && !before.isAlike(difference)) {
        before = null;
      }
      if (before != null && Long.compareUnsigned(difference.timeNanos, before.timeNanos) <= 0) {
        // The same point once more: its sender has not heard that it was taken.
        return difference.timeNanos == before.timeNanos ? new Added(before, false) : null;
      }
      boolean goesOn = before != null && Long.compareUnsigned(startNanos, before.timeNanos) <= 0;
      Running sum = before != null && goesOn ? before.plus(difference) : difference;
      changed.put(key, sum);
      return new Added(sum, !goesOn);
    }

    /** Forgets a series, which begins anew with its next point. */
    void end(Key key) {
      changed.put(key, null);
    }

    /** Remembers the sums for later requests. */
    void keep() {
      put(changed);
      changed.clear();
    }
  }
}
