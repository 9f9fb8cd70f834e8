package dev.varve.server.otlp;

import dev.varve.engine.HeapShares;
import dev.varve.engine.OverloadedException;
import dev.varve.model.GroupKey;
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
 * Adds up what comes as differences, series by series, since series are kept as sums from a start.
 * Safe for use by several threads.
 *
 * <p>A point goes on with the sum before it where its start is that one's time or earlier. Where
 * there is a gap between the two, or the sum is not known, a new sum begins. The number of
 * remembered series and their memory are limited. Beyond that, the series without a point for
 * longest are evicted and begin anew.
 *
 * <p>A request adds up in a {@link Request} of its own, which is kept once what it came to is
 * written: whoever sends the same again after a failure gets the same sums. Until it is kept or
 * closed no other request adds to its series.
 */
final class CumulativeSums {
  /** How many series are remembered. */
  static final int SERIES_MAX = 100_000;

  /** How much memory they may take: a 32nd of the heap, 32 MiB at most. Bytes. */
  static final long BYTES_MAX = Math.min(32L << 20, HeapShares.OF_THIS_PROCESS.heap() / 32);

  /** Memory of a remembered series in addition to its key, buckets and times. Bytes. */
  private static final int OVERHEAD_BYTES = 250;

  /** How long a request waits for others that add to its series. */
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  /** By so many times of a series points are known again that come once more. */
  private static final int TIMES_MAX = 16;

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

  /** What became of a point. */
  sealed interface Outcome {}

  /**
   * It was added.
   *
   * @param sum up to it
   * @param restarted whether the sum begins with it
   */
  record Added(Running sum, boolean restarted) implements Outcome {}

  /** It had been added before, and others behind it: what was written of it stands. */
  record Known() implements Outcome {}

  /** It lies before points that have been added up. */
  record Late() implements Outcome {}

  /**
   * What is remembered of a series.
   *
   * @param earlier the times, in ns, of the last points before the one up to which the sum is
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

  /** Guards all below. */
  private final ReentrantLock lock = new ReentrantLock();

  private final Condition released = lock.newCondition();

  /** In the order of their last points. */
  private final LinkedHashMap<Key, Remembered> sums = new LinkedHashMap<>(16, 0.75f, true);

  /** Memory that the sums take. */
  private long bytes;

  /** The series of requests that are under way. */
  private final Set<Key> claimed = new HashSet<>();

  /**
   * Creates an empty memory of sums.
   *
   * @param bytesMax memory that it may take
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
   * Begins to add up, once no other request adds to any of the series. All are claimed at once, so
   * that no two requests wait for each other.
   *
   * @param series all that the request adds to
   * @throws OverloadedException if others add to them for {@link #PATIENCE}
   */
  Request request(Set<Key> series) {
    Set<Key> wanted = Set.copyOf(series);
    long left = PATIENCE.toNanos();
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
        "other requests add to the same sums: send the same again when they have ended", PATIENCE);
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

  /** The sums of one request. For one thread. */
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
     * @param startNanos from when its difference counts; 0 where that is not said, and it counts
     *     from the point before
     * @param difference what it says alone
     */
    Outcome add(Key key, long startNanos, Running difference) {
      Remembered before = before(key);
      if (before == null) {
        changed.put(key, new Remembered(difference, Remembered.NONE));
        return new Added(difference, true);
      }
      boolean isAlike = before.sum.isAlike(difference);
      // The same point once more: its sender has not heard that it was taken.
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
        throw new IllegalArgumentException(key + " is none of the series of the request");
      }
      return changed.containsKey(key) ? changed.get(key) : get(key);
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

    /** Lets other requests add to the series. */
    @Override
    public void close() {
      release(series);
    }
  }
}
