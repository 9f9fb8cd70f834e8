package dev.varve.server.heroic.filter;

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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * Normalises filters as Heroic does: nested terms are flattened and ordered, negated conjunctions
 * and disjunctions are resolved, contradictions become false, and redundant prefixes disappear.
 */
public final class FilterRewrite {
  private FilterRewrite() {}

  public static Filter normalised(Filter filter) {
    return switch (filter) {
      case And and -> and(flattened(and));
      case Or or -> or(flattened(or));
      case Not(Not(Filter term)) -> normalised(term);
      case Not(Filter term) -> new Not(normalised(term));
      case MatchKey key -> key;
      case MatchTag match -> match;
      case HasTag has -> has;
      case StartsWith prefix -> prefix;
      case Regex regex -> regex;
      case True t -> t;
      case False f -> f;
    };
  }

  private static SortedSet<Filter> flattened(And and) {
    SortedSet<Filter> terms = new TreeSet<>(FilterOrder.ORDER);
    for (Filter term : and.terms()) {
      switch (normalised(term)) {
        case And inner -> terms.addAll(inner.terms());
        case Not(Or(List<Filter> inner)) -> terms.addAll(negated(inner).toList());
        case Filter other -> terms.add(other);
      }
    }
    return terms;
  }

  private static SortedSet<Filter> flattened(Or or) {
    SortedSet<Filter> terms = new TreeSet<>(FilterOrder.ORDER);
    for (Filter term : or.terms()) {
      switch (normalised(term)) {
        case Or inner -> terms.addAll(inner.terms());
        case Not(And(List<Filter> inner)) -> terms.addAll(negated(inner).toList());
        case Filter other -> terms.add(other);
      }
    }
    return terms;
  }

  private static Stream<Filter> negated(List<Filter> terms) {
    return terms.stream().map(term -> normalised(new Not(term)));
  }

  private static Filter and(SortedSet<Filter> terms) {
    if (terms.isEmpty() || contradicts(terms)) {
      return new False();
    }
    List<Filter> kept = new ArrayList<>();
    for (Filter term : terms) {
      // foo ^ hello and foo ^ helloworld: the longer prefix implies the shorter.
      boolean redundant =
          term instanceof StartsWith outer
              && prefixes(terms, outer).anyMatch(inner -> extend(inner, outer));
      if (!redundant) {
        kept.add(term);
      }
    }
    return kept.size() == 1 ? kept.getFirst() : new And(kept);
  }

  private static boolean contradicts(SortedSet<Filter> terms) {
    Map<String, String> values = new HashMap<>();
    String key = null;
    for (Filter term : terms) {
      boolean conflict =
          switch (term) {
            case Not(Filter inner) -> terms.contains(inner);
            case MatchTag(String tag, String value) -> {
              String before = values.put(tag, value);
              yield before != null && !before.equals(value);
            }
            case MatchKey(String other) -> {
              String before = key;
              key = other;
              yield before != null && !before.equals(other);
            }
            case And and -> false;
            case Or or -> false;
            case HasTag has -> false;
            case StartsWith prefix -> false;
            case Regex regex -> false;
            case True t -> false;
            case False f -> false;
          };
      if (conflict) {
        return true;
      }
    }
    return false;
  }

  private static Filter or(SortedSet<Filter> terms) {
    List<Filter> kept = new ArrayList<>();
    for (Filter term : terms) {
      if (term instanceof Not(Filter inner) && terms.contains(inner)) {
        return new True();
      }
      // foo ^ hello or foo ^ helloworld: the longer prefix implies the shorter.
      boolean redundant =
          term instanceof StartsWith outer
              && prefixes(terms, outer).anyMatch(inner -> extend(outer, inner));
      if (!redundant) {
        kept.add(term);
      }
    }
    if (kept.isEmpty()) {
      return new True();
    }
    return kept.size() == 1 ? kept.getFirst() : new Or(kept);
  }

  private static Stream<StartsWith> prefixes(SortedSet<Filter> terms, StartsWith like) {
    return terms.stream()
        .filter(StartsWith.class::isInstance)
        .map(StartsWith.class::cast)
        .filter(other -> other.tag().equals(like.tag()));
  }

  /** Returns whether the prefix of {@code longer} begins with that of {@code shorter}. */
  private static boolean extend(StartsWith longer, StartsWith shorter) {
    return !longer.prefix().equals(shorter.prefix())
        && longer.prefix().startsWith(shorter.prefix());
  }
}
