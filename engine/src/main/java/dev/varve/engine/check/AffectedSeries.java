package dev.varve.engine.check;

import java.time.Instant;

/**
 * A series with samples in a damaged place.
 *
 * @param series in the syntax of selectors
 * @param from no affected sample is older
 * @param to no affected sample is newer
 */
public record AffectedSeries(String dataset, String series, Instant from, Instant to) {
  @Override
  public String toString() {
    return "%s from %s to %s".formatted(series, from, to);
  }
}
