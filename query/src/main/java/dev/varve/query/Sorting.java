package dev.varve.query;

import java.util.Arrays;
import java.util.Comparator;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Sorts what may be long, in the order of {@link Arrays#sort}, and asks between whether to go on.
 */
public final class Sorting {
  /** So many are sorted without a question, within some milliseconds. */
  private static final int AT_ONCE = 1 << 17;

  private Sorting() {}

  /**
   * Sorts the first values.
   *
   * @param between throws where the result is not wanted any more
   */
  public static void sort(double[] values, int size, Runnable between) {
    sort(values, 0, size, between);
  }

  /** Quicksort as long as a part is long: each pass over it is short, and none takes memory. */
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
      // The shorter part by a call, so that calls stay few, whatever the values are.
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

  /** Chosen by chance, so that no order of values is a bad one. */
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
   * @param between throws where the result is not wanted any more
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
      // The shorter part by a call, so that calls stay few, whatever the values are.
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

  /** An order that asks as it compares. */
  public static <T> Comparator<T> asking(Comparator<? super T> order, Runnable between) {
    return (a, b) -> {
      between.run();
      return order.compare(a, b);
    };
  }
}
