package dev.varve.server.heroic.filter;

import com.google.re2j.Pattern;
import dev.varve.server.heroic.series.HeroicSeries;
import java.util.List;
import java.util.function.Predicate;

/**
 * A condition on the key and the tags of a series. Filters ignore resource identifiers. A tag that
 * is absent has no value: it equals nothing, not even the empty text.
 */
public sealed interface Filter {
  record And(List<Filter> terms) implements Filter {
    public And {
      terms = List.copyOf(terms);
    }
  }

  record Or(List<Filter> terms) implements Filter {
    public Or {
      terms = List.copyOf(terms);
    }
  }

  record Not(Filter term) implements Filter {}

  record MatchKey(String key) implements Filter {}

  record MatchTag(String tag, String value) implements Filter {}

  record HasTag(String tag) implements Filter {}

  record StartsWith(String tag, String prefix) implements Filter {}

  /**
   * A pattern for the whole value.
   *
   * @param pattern valid in RE2 syntax
   */
  record Regex(String tag, String pattern) implements Filter {}

  record True() implements Filter {}

  record False() implements Filter {}

  /** Returns the test for series. Patterns are compiled once. */
  default Predicate<HeroicSeries> test() {
    return switch (this) {
      case And and -> {
        List<Predicate<HeroicSeries>> all = and.terms().stream().map(Filter::test).toList();
        yield series -> all.stream().allMatch(one -> one.test(series));
      }
      case Or or -> {
        List<Predicate<HeroicSeries>> any = or.terms().stream().map(Filter::test).toList();
        yield series -> any.stream().anyMatch(one -> one.test(series));
      }
      case Not not -> not.term().test().negate();
      case MatchKey(String key) -> series -> series.key().equals(key);
      case MatchTag(String tag, String value) -> series -> value.equals(series.tags().get(tag));
      case HasTag(String tag) -> series -> series.tags().containsKey(tag);
      case StartsWith(String tag, String prefix) ->
          series -> {
            String value = series.tags().get(tag);
            return value != null && value.startsWith(prefix);
          };
      case Regex(String tag, String pattern) -> {
        Pattern compiled = Pattern.compile(pattern, Pattern.DOTALL);
        yield series -> {
          String value = series.tags().get(tag);
          return value != null && compiled.matches(value);
        };
      }
      case True t -> series -> true;
      case False f -> series -> false;
    };
  }
}
