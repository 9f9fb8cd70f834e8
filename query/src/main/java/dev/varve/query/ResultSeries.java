package dev.varve.query;

import dev.varve.model.Series;
import java.util.List;
import java.util.Map;

/**
 * A series of a result, without its samples.
 *
 * @param metric the metric shared by all sources; empty if they differ
 * @param labels all labels but the name for a single series, or the grouping labels for several
 * @param sources the stored series of which it consists. If the samples did not fit into memory at
 *     once, the list grows until the series ends
 * @param text whether its samples are texts
 * @param textStored whether the underlying stored samples are texts
 * @param parts its part for each splitter; empty if nothing was split
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

  /** Returns the value of a label, or the metric for the name; empty if it is missing. */
  String valueOf(String label) {
    return label.equals(Series.NAME_LABEL) ? metric : labels.getOrDefault(label, "");
  }

  /** Returns the same series, marked as having numbers. */
  ResultSeries asNumbers() {
    return new ResultSeries(metric, labels, sources, false, textStored, parts);
  }

  ResultSeries part(List<Integer> part) {
    return new ResultSeries(metric, labels, sources, text, textStored, part);
  }
}
