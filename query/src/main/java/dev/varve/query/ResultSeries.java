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
 * @param textStored whether the samples it was made of are texts
 * @param parts the part it is of each splitter; empty where nothing was split
 */
public record ResultSeries(
    String metric,
    Map<String, String> labels,
    List<Series> sources,
    boolean text,
    boolean textStored,
    List<Integer> parts) {
  static ResultSeries of(Series series, boolean text) {
    return new ResultSeries(
        series.metric(), series.labels(), List.of(series), text, text, List.of());
  }

  /** The same with samples that are numbers now. */
  ResultSeries asNumbers() {
    return new ResultSeries(metric, labels, sources, false, textStored, parts);
  }

  ResultSeries part(List<Integer> part) {
    return new ResultSeries(metric, labels, sources, text, textStored, part);
  }
}
