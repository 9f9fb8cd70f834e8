package dev.varve.server.heroic.filter;

import com.google.re2j.Pattern;
import dev.varve.model.Selector;
import dev.varve.model.Series;
import dev.varve.model.TagFilter;
import dev.varve.server.heroic.filter.Filter.And;
import dev.varve.server.heroic.filter.Filter.False;
import dev.varve.server.heroic.filter.Filter.HasTag;
import dev.varve.server.heroic.filter.Filter.MatchKey;
import dev.varve.server.heroic.filter.Filter.MatchTag;
import dev.varve.server.heroic.filter.Filter.Not;
import dev.varve.server.heroic.filter.Filter.Or;
import dev.varve.server.heroic.filter.Filter.Regex;
import dev.varve.server.heroic.filter.Filter.StartsWith;
import dev.varve.server.heroic.filter.Filter.True;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A filter as selectors that match exactly its series, for deletes, which must not match more. They
 * see a resource identifier as a tag where a series has no tag of its name.
 */
public final class ExactSelectors {
  private ExactSelectors() {}

  /**
   * Returns selectors of which at least one matches each series of a filter; none if it matches no
   * series. Null if selectors cannot tell what the filter tells apart, or if it takes too many.
   */
  public static @Nullable List<Selector> of(Filter filter) {
    List<List<Filter>> conjunctions = Alternatives.conjunctions(filter, false);
    if (conjunctions == null) {
      return null;
    }
    List<Selector> selectors = new ArrayList<>();
    for (List<Filter> terms : conjunctions) {
      List<TagFilter> conditions = new ArrayList<>();
      for (Filter term : terms) {
        List<TagFilter> some = conditions(term);
        if (some == null) {
          return null;
        }
        conditions.addAll(some);
      }
      if (conditions.isEmpty()) {
        conditions.add(new TagFilter.Has(Series.NAME_LABEL));
      }
      selectors.add(new Selector(conditions));
    }
    return selectors;
  }

  /** Returns the conditions that together are a term; null if there are none. */
  private static @Nullable List<TagFilter> conditions(Filter term) {
    return switch (term) {
      case MatchKey(String key) -> List.of(new TagFilter.Equal(Series.NAME_LABEL, key));
      case MatchTag(String tag, String value) ->
          value.isEmpty() ? null : one(tag, new TagFilter.Equal(tag, value));
      case HasTag(String tag) -> one(tag, new TagFilter.Has(tag));
      case StartsWith(String tag, String prefix) ->
          prefix.isEmpty()
              ? one(tag, new TagFilter.Has(tag))
              : one(tag, new TagFilter.Prefix(tag, prefix));
      case Regex(String tag, String pattern) ->
          Alternatives.isLabel(tag)
              ? List.of(new TagFilter.Has(tag), new TagFilter.Regex(tag, pattern))
              : null;
      case Or(List<Filter> terms) -> {
        TagFilter values = Alternatives.oneLabel(terms);
        yield values == null || values.equals(new TagFilter.Equal(values.name(), ""))
            ? null
            : List.of(values);
      }
      case Not(Filter negated) -> absence(negated);
      case And and -> null;
      case True t -> List.of();
      case False f -> null;
    };
  }

  private static @Nullable List<TagFilter> one(String tag, TagFilter condition) {
    return Alternatives.isLabel(tag) ? List.of(condition) : null;
  }

  /** Returns the condition that a term does not hold, which a series without the tag fulfils. */
  private static @Nullable List<TagFilter> absence(Filter term) {
    return switch (term) {
      case MatchKey(String key) -> List.of(new TagFilter.NotEqual(Series.NAME_LABEL, key));
      case MatchTag(String tag, String value) ->
          value.isEmpty() ? null : one(tag, new TagFilter.NotEqual(tag, value));
      case HasTag(String tag) -> one(tag, new TagFilter.Equal(tag, ""));
      case StartsWith(String tag, String prefix) ->
          prefix.isEmpty()
              ? one(tag, new TagFilter.Equal(tag, ""))
              : one(tag, new TagFilter.NotRegex(tag, Pattern.quote(prefix) + ".*"));
      case Regex(String tag, String pattern) ->
          Pattern.matches(pattern, "") ? null : one(tag, new TagFilter.NotRegex(tag, pattern));
      case And and -> null;
      case Or or -> null;
      case Not not -> null;
      case True t -> null;
      case False f -> null;
    };
  }
}
