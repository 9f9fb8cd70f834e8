package dev.varve.cli.migrate;

import dev.varve.cli.io.MetricSelector;
import dev.varve.model.Resolution;
import dev.varve.model.Selector;
import dev.varve.model.TimeRange;
import dev.varve.query.SelectorParser;
import dev.varve.server.varve.QueryParameters;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The part of a source that is copied.
 *
 * @param selector in PromQL's syntax
 * @param from the first instant, as in a query; null for no bound
 * @param to the last instant, likewise
 */
record Selection(String selector, @Nullable String from, @Nullable String to) {
  /** Returns the bounds of time that there are, as parameters of a query. */
  Map<String, String> times() {
    Map<String, String> texts = new LinkedHashMap<>();
    if (from != null) {
      texts.put("from", from);
    }
    if (to != null) {
      texts.put("to", to);
    }
    return texts;
  }

  /**
   * Returns the range of times in a unit.
   *
   * @throws IllegalArgumentException if a bound is not a time
   */
  TimeRange range(Resolution resolution) {
    Map<String, String> texts = times();
    texts.put("selector", selector);
    return QueryParameters.ofRows(texts).read(resolution, Instant.now()).times();
  }

  Selector parsed() {
    return SelectorParser.parse(selector);
  }

  /** Returns the selector of the same series of one metric. */
  String of(String metric) {
    return MetricSelector.of(selector, metric);
  }
}
