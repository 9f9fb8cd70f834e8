package dev.varve.server.heroic.aggregation;

/** A reduction of the points of a bucket. */
public sealed interface Fold {
  /** Folds without parameters. */
  enum Basic implements Fold {
    AVERAGE("average"),
    SUM("sum"),
    /** The sum of squares. */
    SUM2("sum2"),
    MIN("min"),
    MAX("max"),
    COUNT("count"),
    /** The standard deviation of a population. */
    STDDEV("stddev"),
    /** Count, sum, sum of squares, minimum and maximum. */
    SPREAD("spread"),
    /** All points, one for each time. */
    GROUP_UNIQUE("group-unique"),
    /** The rises of a counter per second, without what it loses at a reset. */
    RATE_PER_SECOND("ratePerSecond"),
    /** Zero, Heroic's example of an aggregation. */
    TEMPLATE("tpl"),
    /** The merged digests of distributions. */
    TDIGEST("tdigest");

    private final String label;

    Basic(String label) {
      this.label = label;
    }

    /** Returns the name in queries. */
    public String label() {
      return label;
    }
  }

  /**
   * A quantile.
   *
   * @param q from 0 to 1
   */
  record Quantile(double q) implements Fold {}

  /**
   * The number of different values.
   *
   * @param includeKey whether equal values of different series count separately
   */
  record Cardinality(boolean includeKey) implements Fold {}
}
