package dev.varve.server.heroic.filter;

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
import dev.varve.server.heroic.series.HeroicSeries;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A filter as alternatives, each a conjunction that a selector of the engine bounds from above.
 *
 * <p>A selector sees tags and resource identifiers as one set of labels, in which a tag hides a
 * resource identifier of its name. So a selector may match too much, never too little: what it
 * finds is tested once more. Negations are only tested.
 */
public final class Alternatives {
  /**
   * Maximum number of alternatives. A filter with more is read as one, by the terms that all of
   * them share.
   */
  private static final int ALTERNATIVES_MAX = 64;

  /**
   * One alternative.
   *
   * @param selector matches at least the series of this alternative
   * @param test matches exactly its series, without those of earlier alternatives
   */
  public record Alternative(Selector selector, Predicate<HeroicSeries> test) {}

  private Alternatives() {}

  /** Returns the alternatives of a filter; none if it matches no series. */
  public static List<Alternative> of(Filter filter) {
    List<List<Filter>> conjunctions = conjunctions(filter, false);
    if (conjunctions == null) {
      conjunctions = List.of(List.of(filter));
    }
    List<Alternative> alternatives = new ArrayList<>();
    Predicate<HeroicSeries> before = series -> false;
    for (List<Filter> terms : conjunctions) {
      List<TagFilter> labels = new ArrayList<>();
      terms.stream().map(Alternatives::label).filter(Objects::nonNull).forEach(labels::add);
      if (labels.isEmpty()) {
        // Heroic answers about all series; the limits of a query bound that here.
        labels.add(new TagFilter.Has(Series.NAME_LABEL));
      }
      Predicate<HeroicSeries> own = new And(terms).test();
      alternatives.add(new Alternative(new Selector(labels), own.and(before.negate())));
      before = before.or(own);
    }
    return alternatives;
  }

  /** Returns the conjunctions of which one must hold; null if there are too many. */
  static @Nullable List<List<Filter>> conjunctions(Filter filter, boolean negated) {
    return switch (filter) {
      case Not(Filter term) -> conjunctions(term, !negated);
      case And and -> negated ? either(and.terms(), true) : both(and.terms(), false);
      case Or or -> negated ? both(or.terms(), true) : either(or.terms(), false);
      case True t -> negated ? List.of() : List.of(List.of());
      case False f -> negated ? List.of(List.of()) : List.of();
      case MatchKey key -> one(key, negated);
      case MatchTag match -> one(match, negated);
      case HasTag has -> one(has, negated);
      case StartsWith prefix -> one(prefix, negated);
      case Regex regex -> one(regex, negated);
    };
  }

  private static List<List<Filter>> one(Filter filter, boolean negated) {
    return List.of(List.of(negated ? new Not(filter) : filter));
  }

  private static @Nullable List<List<Filter>> either(List<Filter> terms, boolean negated) {
    if (!negated && oneLabel(terms) != null) {
      return List.of(List.of(new Or(terms)));
    }
    List<List<Filter>> all = new ArrayList<>();
    for (Filter term : terms) {
      List<List<Filter>> some = conjunctions(term, negated);
      if (some == null || all.size() + some.size() > ALTERNATIVES_MAX) {
        return null;
      }
      all.addAll(some);
    }
    return all;
  }

  private static @Nullable List<List<Filter>> both(List<Filter> terms, boolean negated) {
    List<List<Filter>> all = List.of(List.of());
    for (Filter term : terms) {
      List<List<Filter>> some = conjunctions(term, negated);
      if (some == null) {
        // What cannot be taken apart is tested as a whole.
        some = one(term, negated);
      }
      if ((long) all.size() * some.size() > ALTERNATIVES_MAX) {
        some = one(term, negated);
      }
      List<List<Filter>> more = new ArrayList<>();
      for (List<Filter> left : all) {
        for (List<Filter> right : some) {
          List<Filter> joined = new ArrayList<>(left);
          joined.addAll(right);
          more.add(joined);
        }
      }
      all = more;
    }
    return all;
  }

  /** Returns the selector's condition for a term; null if there is none. */
  private static @Nullable TagFilter label(Filter term) {
    return switch (term) {
      case MatchKey(String key) -> new TagFilter.Equal(Series.NAME_LABEL, key);
      case MatchTag(String tag, String value) ->
          isLabel(tag) ? new TagFilter.Equal(tag, value) : null;
      case HasTag(String tag) -> isLabel(tag) ? new TagFilter.Has(tag) : null;
      case StartsWith(String tag, String prefix) ->
          isLabel(tag) ? new TagFilter.Prefix(tag, prefix) : null;
      case Regex(String tag, String pattern) ->
          isLabel(tag) ? new TagFilter.Regex(tag, pattern) : null;
      case Or or -> oneLabel(or.terms());
      case And and -> null;
      case Not not -> null;
      case True t -> null;
      case False f -> null;
    };
  }

  /** Returns the condition for several values of one tag or of the key; null for other terms. */
  static @Nullable TagFilter oneLabel(List<Filter> terms) {
    Set<String> values = new LinkedHashSet<>();
    String name = null;
    for (Filter term : terms) {
      String label;
      if (term instanceof MatchKey(String key)) {
        label = Series.NAME_LABEL;
        values.add(key);
      } else if (term instanceof MatchTag(String tag, String value) && isLabel(tag)) {
        label = tag;
        values.add(value);
      } else {
        return null;
      }
      if (name != null && !name.equals(label)) {
        return null;
      }
      name = label;
    }
    return name == null ? null : new TagFilter.In(name, values);
  }

  /** Returns whether a tag of this name is the label of this name. */
  static boolean isLabel(String tag) {
    return !tag.equals(Series.NAME_LABEL) && !tag.equals(Series.FIELD_LABEL);
  }
}
