package dev.varve.query;

import java.util.Locale;

/**
 * What many samples become. Of int64 samples {@code sum} is an exact int64 until it no longer fits,
 * and a double from there on; {@code min}, {@code max}, {@code first} and {@code last} keep the
 * kind of the sample they found; {@code count} is an int64; all others are doubles. Where int64 and
 * double samples meet, sums go on as doubles from the first double on, in the order of the samples.
 * {@code min} and {@code max} pass over NaN unless there is nothing else.
 */
public sealed interface Aggregation {
  /** As it is written in a query. */
  @Override
  String toString();

  /** Whether texts can be aggregated so. */
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
     * What a counter gains per second, within one series: the sum of the rises from each sample to
     * the next, a fall counted as a reset to zero, over the time from the first of these samples to
     * the last. The sample before the window is the first of them. A window without a rise to look
     * at gives nothing. Not across series.
     */
    RATE,
    /**
     * The straight line of least squares through the samples, as two samples at the first and the
     * last time; one or two samples stay as they are. Not across series.
     */
    LEAST_SQUARES;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * Mean plus so many standard deviations.
   *
   * @param sample whether the deviation is that of a sample (divided by n - 1; 0 of one value) or
   *     of a population (divided by n)
   * @param ofMean 1 to start from the mean, 0 for the deviation alone
   * @param factor of the deviation
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
   * The exact percentile: every value is held and sorted, eight bytes each, within the memory that
   * the query may use.
   *
   * @param fraction 0 to 1
   * @param rank how a fraction becomes a place among n sorted values
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

    /** Where between two values the place lies is interpolated linearly. */
    public enum Rank {
      /** The place is {@code fraction * (n - 1)}, counted from 0, as in PromQL. */
      N_MINUS_1,
      /** The place is {@code fraction * (n + 1)}, counted from 1, as in KairosDB and OpenTSDB. */
      N_PLUS_1
    }
  }

  /**
   * Reads the name of an aggregation: {@code avg min max sum count first last rate dev pdev}, or
   * {@code p} and a percentage such as {@code p99} or {@code p99.9}.
   *
   * @throws IllegalArgumentException if there is none of that name
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
            + "' is no aggregation (try avg, min, max, sum, count, first, last, rate, dev, pdev, or a percentile such as p99)");
  }
}
