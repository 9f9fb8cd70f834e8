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
 * @param used the samples of each series that are used
 */
public record Scan(
    List<LabelMatcher> matchers,
    long from,
    long to,
    Projection labels,
    @Nullable Recurring recurring,
    Used used) {
  /** The samples of a series that are used. */
  public enum Used {
    ALL,
    /** The latest one. */
    LATEST,
    /** The latest one that is not a staleness marker. */
    LATEST_NOT_STALE
  }

  public Scan {
    matchers = List.copyOf(matchers);
  }

  Scan with(Projection wanted) {
    return new Scan(matchers, from, to, wanted, recurring, used);
  }

  Scan with(Used wanted) {
    return new Scan(matchers, from, to, labels, recurring, wanted);
  }

  /**
   * Returns whether a single scan of overlapping or adjacent times covers no more than both scans
   * together: either both have the same stretches and use the same samples, or one covers
   * everything that the other does.
   */
  boolean isOneWith(Scan other) {
    return (isAlike(other) && (used == Used.ALL || to == other.to))
        || covers(other)
        || other.covers(this);
  }

  private boolean isAlike(Scan other) {
    return Objects.equals(recurring, other.recurring) && used == other.used;
  }

  private boolean covers(Scan other) {
    return recurring == null && used == Used.ALL && from <= other.from && other.to <= to;
  }

  /** Returns a scan that covers both. */
  Scan spanning(Scan other) {
    return new Scan(
        matchers,
        Math.min(from, other.from),
        Math.max(to, other.to),
        labels.equals(other.labels) ? labels : Projection.ALL,
        Objects.equals(recurring, other.recurring) ? recurring : null,
        used == other.used && to == other.to ? used : Used.ALL);
  }
}
