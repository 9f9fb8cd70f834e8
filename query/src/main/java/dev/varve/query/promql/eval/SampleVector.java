package dev.varve.query.promql.eval;

import java.util.Arrays;

/** Samples of one series in the order of time; made to be filled again and again. */
public final class SampleVector {
  /** The bits of the value that says that a series has ended; other NaNs are values. */
  public static final long STALE_BITS = 0x7ff0000000000002L;

  private long[] times = new long[64];
  private double[] values = new double[64];
  private int size;

  public void clear() {
    size = 0;
  }

  /**
   * Adds a sample.
   *
   * @param time in ms since 1970; not before that of the last one, of which it takes the place if
   *     it is the same
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

  /** Whether a value says that the series has ended. */
  public static boolean isStale(double value) {
    return Double.isNaN(value) && Double.doubleToRawLongBits(value) == STALE_BITS;
  }

  /** Takes away the markers that say that the series has ended. */
  void dropStale() {
    int kept = 0;
    for (int i = 0; i < size; i++) {
      if (!isStale(values[i])) {
        times[kept] = times[i];
        values[kept++] = values[i];
      }
    }
    size = kept;
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
