package dev.varve.query.promql.plan;

/**
 * The times for which an expression is worked out.
 *
 * @param start the first, in ms since 1970
 * @param step from one to the next, in ms; at least 1
 * @param count how many; at least 1
 */
public record Steps(long start, long step, int count) {
  public static Steps at(long time) {
    return new Steps(time, 1, 1);
  }

  public long time(int index) {
    return start + index * step;
  }
}
