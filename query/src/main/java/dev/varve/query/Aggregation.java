package dev.varve.query;

import java.util.Locale;

/**
 * Reduces many samples to one. For int64 samples, {@code sum} is an exact int64 until it overflows,
 * then a double; {@code min}, {@code max}, {@code first} and {@code last} keep the kind of the
 * sample they select; {@code count} is an int64; all others yield doubles. If int64 and double
 * samples are mixed, a sum becomes a double at the first double, in sample order. {@code min} and
 * {@code max} ignore NaN unless every value is NaN.
 */
public sealed interface Aggregation {
  /** Returns the name used in queries. */
  @Override
  String toString();

  /** Returns whether this aggregation accepts texts. */
  default boolean takesText() {
    return this == Basic.COUNT || this == Basic.FIRST || this == Basic.LAST;
  }

  enum Basic implements Aggregation {
    AVG,
    MIN,
    MAX,
    SUM,
    COUNT,
    FIRST,
    LAST,
    /**
     * Increase of a counter per second, within one series: the sum of the increases between
     * consecutive samples, where a decrease counts as a reset to zero, divided by the time from the
     * first of these samples to the last. The last sample before the window counts as the first. A
     * window without a pair of consecutive samples yields no result. Not allowed across series.
     */
    RATE,
    /**
     * Least-squares straight line through the samples, returned as two samples at the first and
     * last time. One or two samples are returned unchanged. Not allowed across series.
     */
    LEAST_SQUARES;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * Mean plus a multiple of the standard deviation.
   *
   * @param sample true for the deviation of a sample (divided by n - 1; 0 for a single value),
   *     false for that of a population (divided by n)
   * @param ofMean 1 to add the mean, 0 for the deviation alone
   * @param factor multiplier of the deviation
   */
  record Deviation(boolean sample, int ofMean, double factor) implements Aggregation {
    public static final Deviation SAMPLE = new Deviation(true, 0, 1);
    public static final Deviation POPULATION = new Deviation(false, 0, 1);

    @Override
    public String toString() {
      return sample ? "dev" : "pdev";
    }
  }

  /**
   * Exact percentile. Holds and sorts all values, at eight bytes each, within the memory of the
   * query.
   *
   * @param fraction 0 to 1
   * @param rank how a fraction maps to a position among n sorted values
   */
  record Percentile(double fraction, Rank rank) implements Aggregation {
    public Percentile {
      if (!(fraction >= 0 && fraction <= 1)) {
        throw new IllegalArgumentException("a percentile is from 0 to 1, got " + fraction);
      }
    }

    public static Percentile of(double fraction) {
      return new Percentile(fraction, Rank.N_MINUS_1);
    }

    @Override
    public String toString() {
      return "p" + fraction;
    }

    /** Maps a fraction to a position. Between two values, the result is interpolated linearly. */
    public enum Rank {
      /** The position is {@code fraction * (n - 1)}, counted from 0, as in PromQL. */
      N_MINUS_1,
      /**
       * The position is {@code fraction * (n + 1)}, counted from 1, as in KairosDB and OpenTSDB.
       */
      N_PLUS_1
    }
  }

  /**
   * Parses the name of an aggregation: {@code avg min max sum count first last rate dev pdev}, or
   * {@code p} and a percentage such as {@code p99} or {@code p99.9}.
   *
   * @throws IllegalArgumentException if there is no aggregation of that name
   */
  static Aggregation parse(String name) {
    return switch (name) {
      case "avg" -> Basic.AVG;
      case "min" -> Basic.MIN;
      case "max" -> Basic.MAX;
      case "sum" -> Basic.SUM;
      case "count" -> Basic.COUNT;
      case "first" -> Basic.FIRST;
      case "last" -> Basic.LAST;
      case "rate" -> Basic.RATE;
      case "dev" -> Deviation.SAMPLE;
      case "pdev" -> Deviation.POPULATION;
      default -> percentile(name);
    };
  }

  private static Aggregation percentile(String name) {
    if (name.matches("p[0-9]{1,3}(\\.[0-9]{1,9})?")) {
      double percent = Double.parseDouble(name.substring(1));
      if (percent <= 100) {
        return Percentile.of(percent / 100);
      }
    }
    throw new IllegalArgumentException(
        "'"
            + name
            + "' is not an aggregation (try avg, min, max, sum, count, first, last, rate, dev, pdev, or a percentile such as p99)");
  }
}
