package dev.varve.query;

import dev.varve.model.Series;
import java.util.List;
import java.util.Map;

/**
 * A series of a result, without its samples.
 *
 * @param metric the metric that all its sources share; empty where they differ
 * @param labels of one series all labels but the name, of several those by which they were grouped
 * @param sources the stored series it is made of; grows until the series ends where its samples did
 *     not fit into memory at once
 * @param text whether its samples are texts
 * @param parts the part it is of each splitter; empty where nothing was split
 */
public record ResultSeries(
    String metric,
    Map<String, String> labels,
    List<Series> sources,
    boolean text,
    List<Integer> parts) {
  static ResultSeries of(Series series, boolean text) {
    return new ResultSeries(series.metric(), series.labels(), List.of(series), text, List.of());
  }
}
