package dev.varve.engine.catalog;

import dev.varve.engine.request.ReadGuard;
import dev.varve.model.Selector;
import dev.varve.model.Series;
import java.util.List;

/**
 * Tests series against a selector without the index, with the same result. Safe for use by several
 * threads.
 */
public final class KeyFilter {
  private final List<FilterMatch> ofKey;
  private final List<FilterMatch> ofField;

  private KeyFilter(List<FilterMatch> filters) {
    this.ofKey =
        filters.stream().filter(filter -> !filter.label().equals(Series.FIELD_LABEL)).toList();
    this.ofField =
        filters.stream().filter(filter -> filter.label().equals(Series.FIELD_LABEL)).toList();
  }

  /**
   * Prepares a selector.
   *
   * @throws IllegalArgumentException if a filter is malformed
   */
  public static KeyFilter of(Selector selector) {
    return new KeyFilter(FilterMatch.of(selector, ReadGuard.NONE));
  }

  /** Returns whether a series matches. */
  public boolean accepts(Series series) {
    return acceptsKey(series) && all(ofField, series);
  }

  /** Returns whether the key of a series matches, whatever the field. */
  public boolean acceptsKey(Series series) {
    return all(ofKey, series);
  }

  private static boolean all(List<FilterMatch> filters, Series series) {
    return filters.stream().allMatch(filter -> filter.test(series.label(filter.label())));
  }
}
