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
import java.util.Comparator;
import java.util.List;

/** The order of terms in a normalised filter: by operator, then by tag and value. */
final class FilterOrder implements Comparator<Filter> {
  static final FilterOrder ORDER = new FilterOrder();

  private FilterOrder() {}

  /** Returns the operator of a filter in JSON. */
  static String operator(Filter filter) {
    return switch (filter) {
      case And and -> "and";
      case Or or -> "or";
      case Not not -> "not";
      case MatchKey key -> "key";
      case MatchTag match -> "=";
      case HasTag has -> "+";
      case StartsWith prefix -> "^";
      case Regex regex -> "~";
      case True t -> "true";
      case False f -> "false";
    };
  }

  /** Returns the texts that follow the operator in JSON. */
  static List<String> texts(Filter filter) {
    return switch (filter) {
      case MatchKey(String key) -> List.of(key);
      case HasTag(String tag) -> List.of(tag);
      case MatchTag(String tag, String value) -> List.of(tag, value);
      case StartsWith(String tag, String prefix) -> List.of(tag, prefix);
      case Regex(String tag, String pattern) -> List.of(tag, pattern);
      case And and -> List.of();
      case Or or -> List.of();
      case Not not -> List.of();
      case True t -> List.of();
      case False f -> List.of();
    };
  }

  /** Returns the filters that follow the operator in JSON. */
  static List<Filter> terms(Filter filter) {
    return switch (filter) {
      case And and -> and.terms();
      case Or or -> or.terms();
      case Not not -> List.of(not.term());
      case MatchKey key -> List.of();
      case MatchTag match -> List.of();
      case HasTag has -> List.of();
      case StartsWith prefix -> List.of();
      case Regex regex -> List.of();
      case True t -> List.of();
      case False f -> List.of();
    };
  }

  @Override
  public int compare(Filter a, Filter b) {
    int byOperator = operator(a).compareTo(operator(b));
    if (byOperator != 0) {
      return byOperator;
    }
    int byText = lists(texts(a), texts(b), Comparator.naturalOrder());
    return byText != 0 ? byText : lists(terms(a), terms(b), this);
  }

  private static <T> int lists(List<T> a, List<T> b, Comparator<T> order) {
    for (int i = 0; i < Math.min(a.size(), b.size()); i++) {
      int one = order.compare(a.get(i), b.get(i));
      if (one != 0) {
        return one;
      }
    }
    return Integer.compare(a.size(), b.size());
  }
}
