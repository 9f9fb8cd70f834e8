package dev.varve.engine.pending;

import dev.varve.engine.catalog.Matches;
import dev.varve.model.TimeRange;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The samples that deletes hide from a read. The matching series are those at the time when the
 * filter was made: a series that is newer has no deleted sample.
 */
public final class DeleteFilter {
  /** Hides nothing. */
  public static final DeleteFilter NONE = new DeleteFilter(List.of());

  private final List<Rule> rules;

  /** One delete and the series that it matches. */
  record Rule(Matches matches, HiddenSamples.Span span) {}

  DeleteFilter(List<Rule> rules) {
    this.rules = List.copyOf(rules);
  }

  /**
   * Returns which samples of a field are hidden; null if none is.
   *
   * @param series the number of the series in the index
   */
  public @Nullable HiddenSamples of(int series, String field) {
    if (rules.isEmpty()) {
      return null;
    }
    List<HiddenSamples.Span> spans = new ArrayList<>(rules.size());
    for (Rule rule : rules) {
      if (rule.matches().contains(series, field)) {
        spans.add(rule.span());
      }
    }
    return spans.isEmpty() ? null : new HiddenSamples(spans);
  }

  /** Returns the deleted times of a field that overlap a range; null if there are none. */
  public @Nullable TimeRange overlapping(int series, String field, TimeRange times) {
    for (Rule rule : rules) {
      if (rule.span().times().overlaps(times)
          && (series < 0 || rule.matches().contains(series, field))) {
        return rule.span().times();
      }
    }
    return null;
  }

  public boolean isEmpty() {
    return rules.isEmpty();
  }
}
