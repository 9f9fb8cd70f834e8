package dev.varve.engine.request;

import dev.varve.model.TimeRange;
import java.util.List;

/**
 * Statistics of series and labels. Lists are in descending order of counts.
 *
 * @param series number of series keys; fields are not counted separately
 * @param labelPairs number of distinct pairs of a label and a value
 * @param times combined extent of all series, in the dataset's resolution; empty if there are no
 *     samples
 * @param seriesByMetric metrics with the most series
 * @param valuesByLabel labels with the most values
 * @param valueBytesByLabel labels with the largest values, in total bytes of UTF-8
 * @param seriesByPair pairs as {@code label=value}, with the most series
 */
public record Cardinality(
    long series,
    long labelPairs,
    TimeRange times,
    List<Count> seriesByMetric,
    List<Count> valuesByLabel,
    List<Count> valueBytesByLabel,
    List<Count> seriesByPair) {
  public Cardinality {
    seriesByMetric = List.copyOf(seriesByMetric);
    valuesByLabel = List.copyOf(valuesByLabel);
    valueBytesByLabel = List.copyOf(valueBytesByLabel);
    seriesByPair = List.copyOf(seriesByPair);
  }

  /** A name with a count. */
  public record Count(String name, long count) {}
}
