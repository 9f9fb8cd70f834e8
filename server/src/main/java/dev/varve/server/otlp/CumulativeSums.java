package dev.varve.server.otlp;

import dev.varve.engine.error.OverloadedException;
import dev.varve.model.GroupKey;
import dev.varve.model.HeapShares;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Adds up deltas per series, since series store cumulative sums. Thread-safe.
 *
 * <p>A point continues the preceding sum if its start is not after the time of that sum. If there
 * is a gap between the two or no sum is known, a new sum begins. The number of remembered series
 * and their memory are limited. Beyond that, the least recently updated series are evicted and
 * restart.
 *
 * <p>Each request adds up in its own {@link Request}, whose sums are kept only after they were
 * written: a client that retries after a failure gets the same sums. Until the request is closed,
 * no other request can add to its series.
 */
final class CumulativeSums {
  /** Maximum number of remembered series. */
  static final int SERIES_MAX = 100_000;

  /** Maximum memory of remembered series in bytes: 1/32 of the heap, at most 32 MiB. */
  static final long BYTES_MAX = Math.min(32L << 20, HeapShares.OF_THIS_PROCESS.heap() / 32);

  /** Memory of a remembered series in addition to its key, buckets and times, in bytes. */
  private static final int OVERHEAD_BYTES = 250;

  /** Maximum wait for other requests that add to the same series. */
  private static final Duration WAIT_MAX = Duration.ofSeconds(10);

  /** Number of preceding times remembered per series, to recognise points that are sent again. */
  private static final int TIMES_MAX = 16;

  /** A series of a dataset; for a histogram its name without suffix. */
  record Key(String dataset, GroupKey series) {}

  /**
   * A sum up to a time.
   *
   * @param timeNanos time of the last point
   * @param value sum of a number or histogram; NaN if a point of the histogram had no sum
   * @param count of a histogram
   * @param buckets counts of a histogram, not cumulative over buckets
   * @param bounds of the buckets; empty for a number
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

  /** The outcome of adding a point. */
  sealed interface Outcome {}

  /**
   * The point was added.
   *
   * @param sum the sum including the point
   * @param restarted whether the sum begins with the point
   */
  record Added(Running sum, boolean restarted) implements Outcome {}

  /** The point was added before, and later points followed; its written sum is kept. */
  record Known() implements Outcome {}

  /** The point is older than points already added. */
  record Late() implements Outcome {}

  /**
   * The remembered state of a series.
   *
   * @param earlier times, in ns, of the last points before the current one
   */
  private record Remembered(Running sum, long[] earlier) {
    private static final long[] NONE = {};

    private Remembered with(Running next) {
      int kept = Math.min(earlier.length, TIMES_MAX - 1);
      long[] times = Arrays.copyOfRange(earlier, earlier.length - kept, earlier.length + 1);
      times[kept] = sum.timeNanos;
      return new Remembered(next, times);
    }

    private boolean knows(long timeNanos) {
      return Arrays.stream(earlier).anyMatch(time -> time == timeNanos);
    }

    private long bytes(Key key) {
      int numbers = sum.buckets.length + sum.bounds.length + earlier.length;
      return OVERHEAD_BYTES + key.series.byteCount() + 8L * numbers;
    }
  }

  private final int seriesMax;
  private final long bytesMax;

  /** Guards all fields below. */
  private final ReentrantLock lock = new ReentrantLock();

  private final Condition released = lock.newCondition();

  /** In the order of last use. */
  private final LinkedHashMap<Key, Remembered> sums = new LinkedHashMap<>(16, 0.75f, true);

  /** Memory of the sums, in bytes. */
  private long bytes;

  /** The series of requests in progress. */
  private final Set<Key> claimed = new HashSet<>();

  /**
   * Creates an instance without sums.
   *
   * @param bytesMax maximum memory of remembered series, in bytes
   */
  CumulativeSums(int seriesMax, long bytesMax) {
    this.seriesMax = seriesMax;
    this.bytesMax = bytesMax;
  }

  int size() {
    lock.lock();
    try {
      return sums.size();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Begins a request as soon as no other request adds to any of its series. All series are claimed
   * at once to avoid deadlocks.
   *
   * @param series all series to which the request adds
   * @throws OverloadedException if other requests hold some of the series for {@link #WAIT_MAX}
   */
  Request request(Set<Key> series) {
    Set<Key> wanted = Set.copyOf(series);
    long left = WAIT_MAX.toNanos();
    lock.lock();
    try {
      while (!Collections.disjoint(claimed, wanted)) {
        if (left <= 0) {
          throw busy();
        }
        left = released.awaitNanos(left);
      }
      claimed.addAll(wanted);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw busy();
    } finally {
      lock.unlock();
    }
    return new Request(wanted);
  }

  private static OverloadedException busy() {
    return new OverloadedException(
        "other requests are adding to the same sums: retry after they have ended", WAIT_MAX);
  }

  private @Nullable Remembered get(Key key) {
    lock.lock();
    try {
      return sums.get(key);
    } finally {
      lock.unlock();
    }
  }

  private void put(Map<Key, @Nullable Remembered> changed) {
    lock.lock();
    try {
      changed.forEach((key, remembered) -> {
        Remembered before = remembered == null ? sums.remove(key) : sums.put(key, remembered);
        bytes -= before == null ? 0 : before.bytes(key);
        bytes += remembered == null ? 0 : remembered.bytes(key);
      });
      var eldest = sums.entrySet().iterator();
      while (sums.size() > seriesMax || bytes > bytesMax) {
        Map.Entry<Key, Remembered> evicted = eldest.next();
        bytes -= evicted.getValue().bytes(evicted.getKey());
        eldest.remove();
      }
    } finally {
      lock.unlock();
    }
  }

  private void release(Set<Key> series) {
    lock.lock();
    try {
      claimed.removeAll(series);
      released.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** The sums of one request. Not thread-safe. */
  final class Request implements AutoCloseable {
    private final Set<Key> series;
    private final Map<Key, @Nullable Remembered> changed = new HashMap<>();

    private Request(Set<Key> series) {
      this.series = series;
    }

    /**
     * Adds a point.
     *
     * @param key one of the series of the request
     * @param startNanos start of the delta's interval; 0 if unknown: then it continues from the
     *     preceding point
     * @param difference the delta itself
     */
    Outcome add(Key key, long startNanos, Running difference) {
      Remembered before = before(key);
      if (before == null) {
        changed.put(key, new Remembered(difference, Remembered.NONE));
        return new Added(difference, true);
      }
      boolean isAlike = before.sum.isAlike(difference);
      // A retransmission: the sender did not receive the acknowledgement.
      if (difference.timeNanos == before.sum.timeNanos && isAlike) {
        return new Added(before.sum, false);
      }
      if (Long.compareUnsigned(difference.timeNanos, before.sum.timeNanos) <= 0) {
        return before.knows(difference.timeNanos) ? new Known() : new Late();
      }
      boolean goesOn = isAlike && Long.compareUnsigned(startNanos, before.sum.timeNanos) <= 0;
      Running sum = goesOn ? before.sum.plus(difference) : difference;
      changed.put(key, before.with(sum));
      return new Added(sum, !goesOn);
    }

    private @Nullable Remembered before(Key key) {
      if (!series.contains(key)) {
        throw new IllegalArgumentException(key + " is not one of the series of the request");
      }
      return changed.containsKey(key) ? changed.get(key) : get(key);
    }

    /** Forgets a series; it restarts with its next point. */
    void end(Key key) {
      changed.put(key, null);
    }

    /** Keeps the sums for later requests. */
    void keep() {
      put(changed);
      changed.clear();
    }

    /** Releases the series to other requests. */
    @Override
    public void close() {
      release(series);
    }
  }
}
