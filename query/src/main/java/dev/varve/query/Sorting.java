package dev.varve.query;

import java.util.Arrays;
import java.util.Comparator;
import java.util.concurrent.ThreadLocalRandom;

/** Sorts long arrays in the order of {@link Arrays#sort}, checking for cancellation in between. */
public final class Sorting {
  /** This many values are sorted without a check, which takes a few milliseconds. */
  private static final int AT_ONCE = 1 << 17;

  private Sorting() {}

  /**
   * Sorts the first {@code size} values.
   *
   * @param between called in between; throws if the query is cancelled
   */
  public static void sort(double[] values, int size, Runnable between) {
    sort(values, 0, size, between);
  }

  /** Quicksort for long parts: each pass is short and takes no extra memory. */
  private static void sort(double[] values, int from, int to, Runnable between) {
    int start = from;
    int end = to;
    while (end - start > AT_ONCE) {
      between.run();
      double pivot =
          middle(any(values, start, end), any(values, start, end), any(values, start, end));
      int low = start - 1;
      int high = end;
      while (true) {
        do {
          low++;
        } while (Double.compare(values[low], pivot) < 0);
        do {
          high--;
        } while (Double.compare(values[high], pivot) > 0);
        if (low >= high) {
          break;
        }
        double other = values[low];
        values[low] = values[high];
        values[high] = other;
      }
      int cut = Math.clamp(high + 1L, start + 1, end - 1);
      // Recurse into the shorter part, which bounds the depth for any input.
      if (cut - start < end - cut) {
        sort(values, start, cut, between);
        start = cut;
      } else {
        sort(values, cut, end, between);
        end = cut;
      }
    }
    Arrays.sort(values, start, end);
  }

  /** Random pivots, so that no input is a bad case. */
  private static double any(double[] values, int from, int to) {
    return values[ThreadLocalRandom.current().nextInt(from, to)];
  }

  private static double middle(double a, double b, double c) {
    double low = Double.compare(a, b) < 0 ? a : b;
    double high = Double.compare(a, b) < 0 ? b : a;
    return Double.compare(c, low) < 0 ? low : Double.compare(c, high) > 0 ? high : c;
  }

  /**
   * Sorts all values.
   *
   * @param between called in between; throws if the query is cancelled
   */
  static void sort(long[] values, Runnable between) {
    sort(values, 0, values.length, between);
  }

  private static void sort(long[] values, int from, int to, Runnable between) {
    int start = from;
    int end = to;
    while (end - start > AT_ONCE) {
      between.run();
      long pivot =
          middle(any(values, start, end), any(values, start, end), any(values, start, end));
      int low = start - 1;
      int high = end;
      while (true) {
        do {
          low++;
        } while (values[low] < pivot);
        do {
          high--;
        } while (values[high] > pivot);
        if (low >= high) {
          break;
        }
        long other = values[low];
        values[low] = values[high];
        values[high] = other;
      }
      int cut = Math.clamp(high + 1L, start + 1, end - 1);
      // Recurse into the shorter part, which bounds the depth for any input.
      if (cut - start < end - cut) {
        sort(values, start, cut, between);
        start = cut;
      } else {
        sort(values, cut, end, between);
        end = cut;
      }
    }
    Arrays.sort(values, start, end);
  }

  private static long any(long[] values, int from, int to) {
    return values[ThreadLocalRandom.current().nextInt(from, to)];
  }

  private static long middle(long a, long b, long c) {
    return Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
  }

  /** Returns a comparator that checks for cancellation at each comparison. */
  public static <T> Comparator<T> asking(Comparator<? super T> order, Runnable between) {
    return (a, b) -> {
      between.run();
      return order.compare(a, b);
    };
  }
}
