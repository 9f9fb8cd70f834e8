package dev.varve.server.opentsdb.aggregator;

import java.util.Arrays;

/**
 * Computes one value from several, in arithmetic of int64 or of doubles. Arithmetic of int64 wraps
 * around and truncates, as in OpenTSDB.
 */
public sealed interface Fold {
  /**
   * Folds integers.
   *
   * @param values may be reordered
   * @param count number of values, at least 1
   */
  long longs(long[] values, int count);

  /**
   * Folds doubles.
   *
   * @param values may be reordered
   * @param count number of values, at least 1
   * @return NaN if every value is NaN
   */
  double doubles(double[] values, int count);

  /** The folds without parameters. Those that skip NaN say so. */
  enum Basic implements Fold {
    /** The sum; skips NaN. */
    SUM {
      @Override
      public long longs(long[] values, int count) {
        long sum = 0;
        for (int i = 0; i < count; i++) {
          sum += values[i];
        }
        return sum;
      }

      @Override
      public double doubles(double[] values, int count) {
        int numbers = withoutNaN(values, count);
        double sum = 0;
        for (int i = 0; i < numbers; i++) {
          sum += values[i];
        }
        return numbers == 0 ? Double.NaN : sum;
      }
    },
    /** The sum of the squares; skips NaN. */
    SQUARE_SUM {
      @Override
      public long longs(long[] values, int count) {
        long sum = 0;
        for (int i = 0; i < count; i++) {
          sum += values[i] * values[i];
        }
        return sum;
      }

      @Override
      public double doubles(double[] values, int count) {
        int numbers = withoutNaN(values, count);
        double sum = 0;
        for (int i = 0; i < numbers; i++) {
          sum += values[i] * values[i];
        }
        return numbers == 0 ? Double.NaN : sum;
      }
    },
    /** The smallest; skips NaN. */
    MIN {
      @Override
      public long longs(long[] values, int count) {
        long min = values[0];
        for (int i = 1; i < count; i++) {
          min = Math.min(min, values[i]);
        }
        return min;
      }

      @Override
      public double doubles(double[] values, int count) {
        double min = Double.POSITIVE_INFINITY;
        for (int i = 0; i < count; i++) {
          min = values[i] < min ? values[i] : min;
        }
        return min == Double.POSITIVE_INFINITY ? Double.NaN : min;
      }
    },
    /** The largest; skips NaN. */
    MAX {
      @Override
      public long longs(long[] values, int count) {
        long max = values[0];
        for (int i = 1; i < count; i++) {
          max = Math.max(max, values[i]);
        }
        return max;
      }

      @Override
      public double doubles(double[] values, int count) {
        double max = Double.NEGATIVE_INFINITY;
        for (int i = 0; i < count; i++) {
          max = values[i] > max ? values[i] : max;
        }
        return max == Double.NEGATIVE_INFINITY ? Double.NaN : max;
      }
    },
    /** The mean; skips NaN. */
    AVG {
      @Override
      public long longs(long[] values, int count) {
        return SUM.longs(values, count) / count;
      }

      @Override
      public double doubles(double[] values, int count) {
        int numbers = withoutNaN(values, count);
        double sum = 0;
        for (int i = 0; i < numbers; i++) {
          sum += values[i];
        }
        return numbers == 0 ? Double.NaN : sum / numbers;
      }
    },
    /** The upper one of the middle values; skips NaN. */
    MEDIAN {
      @Override
      public long longs(long[] values, int count) {
        Arrays.sort(values, 0, count);
        return values[count / 2];
      }

      @Override
      public double doubles(double[] values, int count) {
        int numbers = withoutNaN(values, count);
        Arrays.sort(values, 0, numbers);
        return numbers == 0 ? Double.NaN : values[numbers / 2];
      }
    },
    /** The product. */
    MULTIPLY {
      @Override
      public long longs(long[] values, int count) {
        long product = values[0];
        for (int i = 1; i < count; i++) {
          product *= values[i];
        }
        return product;
      }

      @Override
      public double doubles(double[] values, int count) {
        double product = values[0];
        for (int i = 1; i < count; i++) {
          product *= values[i];
        }
        return product;
      }
    },
    /** The deviation of the population, by Welford's method; skips NaN. */
    DEV {
      @Override
      public long longs(long[] values, int count) {
        double[] wide = new double[count];
        for (int i = 0; i < count; i++) {
          wide[i] = values[i];
        }
        return (long) deviation(wide, count);
      }

      @Override
      public double doubles(double[] values, int count) {
        int numbers = withoutNaN(values, count);
        return numbers == 0 ? Double.NaN : deviation(values, numbers);
      }

      private static double deviation(double[] values, int count) {
        double mean = values[0];
        double squares = 0;
        for (int i = 1; i < count; i++) {
          double next = mean + (values[i] - mean) / (i + 1);
          squares += (values[i] - mean) * (values[i] - next);
          mean = next;
        }
        return count == 1 ? 0 : Math.sqrt(squares / count);
      }
    },
    /** The last value minus the first one that is not NaN; 0 for a single value. */
    DIFF {
      @Override
      public long longs(long[] values, int count) {
        return count == 1 ? 0 : values[count - 1] - values[0];
      }

      @Override
      public double doubles(double[] values, int count) {
        int first = 0;
        while (first < count && Double.isNaN(values[first])) {
          first++;
        }
        if (first == count) {
          return Double.NaN;
        }
        return first == count - 1 ? 0 : values[count - 1] - values[first];
      }
    },
    /** The number of values; skips NaN, and is 0 if all are. */
    COUNT {
      @Override
      public long longs(long[] values, int count) {
        return count;
      }

      @Override
      public double doubles(double[] values, int count) {
        return withoutNaN(values, count);
      }
    },
    /** The value of the first series. */
    FIRST {
      @Override
      public long longs(long[] values, int count) {
        return values[0];
      }

      @Override
      public double doubles(double[] values, int count) {
        return values[0];
      }
    },
    /** The value of the last series. */
    LAST {
      @Override
      public long longs(long[] values, int count) {
        return values[count - 1];
      }

      @Override
      public double doubles(double[] values, int count) {
        return values[count - 1];
      }
    };

    /** Moves the values that are not NaN to the front, in their order. Returns their number. */
    private static int withoutNaN(double[] values, int count) {
      int numbers = 0;
      for (int i = 0; i < count; i++) {
        if (!Double.isNaN(values[i])) {
          values[numbers++] = values[i];
        }
      }
      return numbers;
    }
  }

  /** A method to estimate a percentile between two ranks, named as by Hyndman and Fan. */
  enum Estimation {
    /** The type of Apache Commons Math that weighs by {@code p (n + 1)}; type 6. */
    LEGACY {
      @Override
      double rank(double share, int count) {
        return share * (count + 1);
      }
    },
    R_3 {
      @Override
      double rank(double share, int count) {
        return share <= 0.5 / count ? 0 : Math.rint(count * share);
      }
    },
    R_7 {
      @Override
      double rank(double share, int count) {
        return 1 + (count - 1) * share;
      }
    };

    /** Returns the rank, from 1, of a share between 0 and 1. */
    abstract double rank(double share, int count);
  }

  /**
   * A percentile; skips NaN.
   *
   * @param percent between 0 and 100
   * @param ofLongs the estimation for integers; doubles always take {@link Estimation#LEGACY}
   */
  record Percentile(double percent, Estimation ofLongs) implements Fold {
    @Override
    public long longs(long[] values, int count) {
      double[] wide = new double[count];
      for (int i = 0; i < count; i++) {
        wide[i] = values[i];
      }
      return (long) estimate(wide, count, ofLongs);
    }

    @Override
    public double doubles(double[] values, int count) {
      int numbers = Basic.withoutNaN(values, count);
      return numbers == 0 ? Double.NaN : estimate(values, numbers, Estimation.LEGACY);
    }

    private double estimate(double[] values, int count, Estimation estimation) {
      Arrays.sort(values, 0, count);
      double rank = estimation.rank(percent / 100, count);
      if (rank < 1) {
        return values[0];
      }
      if (rank >= count) {
        return values[count - 1];
      }
      int below = (int) Math.floor(rank);
      double low = values[below - 1];
      return low + (rank - below) * (values[below] - low);
    }
  }
}
