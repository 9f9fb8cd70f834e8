package dev.varve.engine.catalog;

import dev.varve.engine.request.ReadGuard;
import dev.varve.model.Selector;
import dev.varve.model.TagFilter;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A prepared filter: the value of a label must match, or must not match. An absent label has the
 * empty text as its value.
 *
 * @param match null if the label only has to be present
 */
record FilterMatch(String label, @Nullable ValueMatch match, boolean negated) {
  /**
   * @param guard checked while patterns are evaluated
   * @throws IllegalArgumentException if a pattern is invalid
   */
  static List<FilterMatch> of(Selector selector, ReadGuard guard) {
    List<FilterMatch> filters = new ArrayList<>(selector.filters().size());
    for (TagFilter filter : selector.filters()) {
      filters.add(of(filter, guard));
    }
    return filters;
  }

  private static FilterMatch of(TagFilter filter, ReadGuard guard) {
    return switch (filter) {
      case TagFilter.Equal(var name, var value) -> oneOf(name, Set.of(value), false);
      case TagFilter.NotEqual(var name, var value) -> oneOf(name, Set.of(value), true);
      case TagFilter.In(var name, var values) -> oneOf(name, values, false);
      case TagFilter.Prefix(var name, var prefix) ->
          new FilterMatch(name, new ValueMatch.Begins(prefix, 0), false);
      case TagFilter.Regex(var name, var pattern) ->
          new FilterMatch(name, ValueMatch.ofRegex(pattern, guard), false);
      case TagFilter.NotRegex(var name, var pattern) ->
          new FilterMatch(name, ValueMatch.ofRegex(pattern, guard), true);
      case TagFilter.Has(var name) -> new FilterMatch(name, null, false);
    };
  }

  private static FilterMatch oneOf(String name, Set<String> values, boolean negated) {
    return new FilterMatch(name, new ValueMatch.OneOf(values), negated);
  }

  /**
   * Returns whether the filter accepts a label's value.
   *
   * @param value null if the label is absent
   */
  boolean test(@Nullable String value) {
    return match == null ? value != null : match.test(value == null ? "" : value) != negated;
  }

  /** Returns whether the values can be looked up without iterating over all values of the label. */
  boolean isLookUp() {
    return match == null || match instanceof ValueMatch.OneOf;
  }
}
