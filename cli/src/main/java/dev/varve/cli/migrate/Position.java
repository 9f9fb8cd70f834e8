package dev.varve.cli.migrate;

import dev.varve.engine.catalog.Matches;
import dev.varve.model.Series;
import java.util.Comparator;

/**
 * A place in the order of samples: by series, then by time.
 *
 * @param series of the source
 * @param time in the unit of the source
 */
record Position(Series series, long time) {
  /** The order of series: by metric, tags, resource, then field. */
  static final Comparator<Series> ORDER =
      Comparator.comparing(Series::key, Matches.ORDER).thenComparing(Series::field);

  /** Returns whether a sample is here or before. */
  boolean isAtOrAfter(Series other, long otherTime) {
    int order = ORDER.compare(other, series);
    return order < 0 || (order == 0 && otherTime <= time);
  }
}
