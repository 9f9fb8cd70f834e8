package dev.varve.model;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The series for which every filter holds. No filter at all selects everything, which whoever plans
 * a query may refuse.
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

  /** The one metric that the selector names, or null where it leaves that open. */
  public @Nullable String metric() {
    return equalTo(Series.NAME_LABEL);
  }

  /** The one value that a label must have, or null where the selector leaves that open. */
  public @Nullable String equalTo(String name) {
    for (TagFilter filter : filters) {
      if (filter instanceof TagFilter.Equal equal && equal.name().equals(name)) {
        return equal.value();
      }
    }
    return null;
  }
}
