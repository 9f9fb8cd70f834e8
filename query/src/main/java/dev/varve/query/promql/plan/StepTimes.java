package dev.varve.query.promql.plan;

/**
 * The times at which an expression is evaluated.
 *
 * @param start the first time, in ms since 1970
 * @param step the distance between times, in ms; at least 1
 * @param count the number of times; at least 1
 */
public record StepTimes(long start, long step, int count) {
  /** Maximum number of steps of a range query: the first and 11,000 more, as in Prometheus. */
  public static final int OF_RANGE_MAX = 11_001;

  public static StepTimes at(long time) {
    return new StepTimes(time, 1, 1);
  }

  public long time(int index) {
    return start + index * step;
  }
}
