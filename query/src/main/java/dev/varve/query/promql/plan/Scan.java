package dev.varve.query.promql.plan;

import dev.varve.model.Recurring;
import dev.varve.query.promql.LabelMatcher;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A read: the samples of every series that fits, of a range of time.
 *
 * @param matchers that say which series
 * @param from the first time, in ms since 1970
 * @param to the last time; before {@code from} where nothing is read
 * @param labels what is wanted of the labels of each series
 * @param recurring of the times those that any step looks at, in ms; null for all
 */
public record Scan(
    List<LabelMatcher> matchers,
    long from,
    long to,
    Projection labels,
    @Nullable Recurring recurring) {
  public Scan {
    matchers = List.copyOf(matchers);
  }

  Scan with(Projection wanted) {
    return new Scan(matchers, from, to, wanted, recurring);
  }

  /**
   * Whether one scan of what both read looks at no more than both together, as far as their times
   * overlap: they look at the same stretches, or one looks at all that the other does.
   */
  boolean isOneWith(Scan other) {
    return Objects.equals(recurring, other.recurring)
        || (recurring == null && from <= other.from && other.to <= to)
        || (other.recurring == null && other.from <= from && to <= other.to);
  }

  /** A scan that reads what both do. */
  Scan spanning(Scan other) {
    return new Scan(
        matchers,
        Math.min(from, other.from),
        Math.max(to, other.to),
        labels.equals(other.labels) ? labels : Projection.ALL,
        Objects.equals(recurring, other.recurring) ? recurring : null);
  }
}
