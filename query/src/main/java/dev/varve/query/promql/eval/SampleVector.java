package dev.varve.query.promql.eval;

import dev.varve.model.Kind;
import dev.varve.model.Resolution;
import dev.varve.model.Samples;
import dev.varve.model.StaleMarker;
import java.util.Arrays;

/** Samples of one series in order of time; reusable. */
public final class SampleVector {
  private long[] times = new long[64];
  private double[] values = new double[64];
  private int size;

  public void clear() {
    size = 0;
  }

  /**
   * Adds a sample.
   *
   * @param time in ms since 1970; not less than that of the last sample, which is replaced if the
   *     times are equal
   */
  public void add(long time, double value) {
    if (size > 0 && times[size - 1] == time) {
      values[size - 1] = value;
      return;
    }
    if (size == times.length) {
      times = Arrays.copyOf(times, 2 * size);
      values = Arrays.copyOf(values, 2 * size);
    }
    times[size] = time;
    values[size++] = value;
  }

  /** Adds samples of a series, in order of time, after the existing ones. */
  void addAll(Samples from, Resolution resolution) {
    int more = from.size();
    boolean asTheyAre =
        resolution == Resolution.MILLISECONDS
            && from.kind() == Kind.DOUBLE
            && more > 0
            && (size == 0 || times[size - 1] < from.time(0));
    if (asTheyAre) {
      if (size + more > times.length) {
        int capacity = Math.max(size + more, 2 * times.length);
        times = Arrays.copyOf(times, capacity);
        values = Arrays.copyOf(values, capacity);
      }
      System.arraycopy(from.times(), 0, times, size, more);
      System.arraycopy(from.doubles(), 0, values, size, more);
      size += more;
      return;
    }
    for (int i = 0; i < more; i++) {
      add(Millis.of(from.time(i), resolution), from.number(i));
    }
  }

  /** Returns the number of bytes by which the vector grows at most if samples are added. */
  long bytesToGrow(int more) {
    long wanted = size + (long) more;
    long length = times.length;
    while (length < wanted) {
      length *= 2;
    }
    return 16 * (length - times.length);
  }

  /** Returns whether a value is a staleness marker. */
  public static boolean isStale(double value) {
    return StaleMarker.is(value);
  }

  /** Removes staleness markers. */
  void dropStale() {
    int kept = 0;
    while (kept < size && !isStale(values[kept])) {
      kept++;
    }
    for (int i = kept + 1; i < size; i++) {
      if (!isStale(values[i])) {
        times[kept] = times[i];
        values[kept++] = values[i];
      }
    }
    size = kept;
  }

  /**
   * Returns the index of the first sample after a time.
   *
   * @param from an index that is at most the result
   * @param guess how far after {@code from} the result is expected
   */
  int after(long time, int from, int guess) {
    int low = from;
    int high = Math.min(from + guess, size);
    for (int step = 1; high < size && times[high] <= time; step *= 2) {
      low = high + 1;
      high = Math.min(high + step, size);
    }
    int before = high - 1;
    for (int step = 1; before >= low && times[before] > time; step *= 2) {
      high = before;
      before -= step;
    }
    low = Math.max(low, before + 1);
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (times[middle] <= time) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  int size() {
    return size;
  }

  long time(int index) {
    return times[index];
  }

  double value(int index) {
    return values[index];
  }

  long[] times() {
    return times;
  }

  double[] values() {
    return values;
  }
}
