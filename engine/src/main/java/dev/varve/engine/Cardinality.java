package dev.varve.engine;

import dev.varve.model.TimeRange;
import java.util.List;

/**
 * How many series and labels there are, and of what most. Lists have the largest first.
 *
 * @param series how many keys there are; the fields of a key are not counted apart
 * @param labelPairs how many different pairs of a label and a value
 * @param times outside of which no series has a sample, in the dataset's resolution; empty where
 *     there is none
 * @param seriesByMetric metrics, by their series
 * @param valuesByLabel labels, by their values
 * @param valueBytesByLabel labels, by the bytes of their values in UTF-8
 * @param seriesByPair pairs as {@code label=value}, by the series that carry them
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

  /** How much there is of something. */
  public record Count(String name, long count) {}
}
