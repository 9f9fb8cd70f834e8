package dev.varve.query.promql.plan;

import dev.varve.query.promql.LabelMatcher;
import java.util.List;

/**
 * A read: the samples of every series that fits, of a range of time.
 *
 * @param matchers that say which series
 * @param from the first time, in ms since 1970
 * @param to the last time; before {@code from} where nothing is read
 * @param labels what is wanted of the labels of each series
 */
public record Scan(List<LabelMatcher> matchers, long from, long to, Projection labels) {
  public Scan {
    matchers = List.copyOf(matchers);
  }

  Scan with(Projection wanted) {
    return new Scan(matchers, from, to, wanted);
  }

  /** A scan that reads what both do. */
  Scan spanning(Scan other) {
    return new Scan(
        matchers,
        Math.min(from, other.from),
        Math.max(to, other.to),
        labels.equals(other.labels) ? labels : Projection.ALL);
  }
}
