package dev.varve.server.heroic.aggregation;

/** An aggregation without buckets: it maps the points of each series, or chooses among series. */
public sealed interface Rule {
  /** Maps the points of one series. */
  sealed interface OfPoints extends Rule {}

  /** Chooses among series. */
  sealed interface OfSeries extends Rule {}

  /**
   * The difference to the point before; the first point is dropped.
   *
   * @param perSecond whether it is divided by the seconds in between
   */
  record Delta(boolean perSecond) implements OfPoints {}

  /** Drops points below zero. */
  record NotNegative() implements OfPoints {}

  /**
   * Keeps points beyond a threshold.
   *
   * @param above whether points above it are kept, or those below it
   */
  record Points(boolean above, double threshold) implements OfPoints {}

  /**
   * Keeps the series with the largest or smallest areas under their lines.
   *
   * @param largest whether the largest are kept, or the smallest
   * @param k maximum number of series that are kept
   */
  record Area(boolean largest, long k) implements OfSeries {}

  /**
   * Keeps the series that have a point beyond a threshold.
   *
   * @param above whether the point must be above it, or below it
   */
  record Extreme(boolean above, double k) implements OfSeries {}
}
