package dev.varve.model;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Selects the series that match every filter. A selector without filters matches all series; query
 * planners may reject it.
 */
public record Selector(List<TagFilter> filters) {
  public Selector {
    filters = List.copyOf(filters);
  }

  public static Selector metric(String metric, TagFilter... filters) {
    List<TagFilter> all = new ArrayList<>();
    all.add(new TagFilter.Equal(Series.NAME_LABEL, metric));
    all.addAll(List.of(filters));
    return new Selector(all);
  }

  /**
   * Returns the metric name that an equality filter demands, or null if there is no such filter.
   */
  public @Nullable String metric() {
    return equalTo(Series.NAME_LABEL);
  }

  /**
   * Returns the value that an equality filter demands of the label, or null if there is no such
   * filter.
   */
  public @Nullable String equalTo(String name) {
    for (TagFilter filter : filters) {
      if (filter instanceof TagFilter.Equal equal && equal.name().equals(name)) {
        return equal.value();
      }
    }
    return null;
  }
}
