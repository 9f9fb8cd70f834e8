package dev.varve.query.promql.plan;

import dev.varve.model.Recurring;
import dev.varve.query.promql.LabelMatcher;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A read of the samples of every matching series in a range of time.
 *
 * @param matchers select the series
 * @param from the first time, in ms since 1970
 * @param to the last time, in ms since 1970; less than {@code from} if nothing is read
 * @param labels the labels that are used
 * @param recurring the times that are used by some step, in ms; null for all
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
   * Returns whether a single scan of overlapping or adjacent times covers no more than both scans
   * together: either both have the same stretches, or one covers everything that the other does.
   */
  boolean isOneWith(Scan other) {
    return Objects.equals(recurring, other.recurring)
        || (recurring == null && from <= other.from && other.to <= to)
        || (other.recurring == null && other.from <= from && to <= other.to);
  }

  /** Returns a scan that covers both. */
  Scan spanning(Scan other) {
    return new Scan(
        matchers,
        Math.min(from, other.from),
        Math.max(to, other.to),
        labels.equals(other.labels) ? labels : Projection.ALL,
        Objects.equals(recurring, other.recurring) ? recurring : null);
  }
}
