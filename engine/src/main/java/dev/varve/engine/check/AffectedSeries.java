package dev.varve.engine.check;

import java.time.Instant;

/**
 * A series that may have lost samples to damage.
 *
 * @param series in the syntax of selectors
 * @param from lower bound of the times of affected samples, inclusive
 * @param to upper bound of the times of affected samples, inclusive
 */
public record AffectedSeries(String dataset, String series, Instant from, Instant to) {
  @Override
  public String toString() {
    return "%s from %s to %s".formatted(series, from, to);
  }
}
