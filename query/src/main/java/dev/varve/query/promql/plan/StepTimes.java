package dev.varve.query.promql.plan;

/**
 * The times at which an expression is evaluated.
 *
 * @param start the first time, in ms since 1970
 * @param step the distance between times, in ms; at least 1
 * @param count the number of times; at least 1
 */
public record StepTimes(long start, long step, int count) {
  public static StepTimes at(long time) {
    return new StepTimes(time, 1, 1);
  }

  public long time(int index) {
    return start + index * step;
  }
}
