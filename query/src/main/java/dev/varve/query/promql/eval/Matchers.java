package dev.varve.query.promql.eval;

import dev.varve.model.Selector;
import dev.varve.model.TagFilter;
import dev.varve.query.promql.LabelMatcher;
import java.util.List;

/** Converts PromQL matchers to filters of the engine. */
public final class Matchers {
  private Matchers() {}

  public static Selector selector(List<LabelMatcher> matchers) {
    return new Selector(matchers.stream().map(Matchers::filter).toList());
  }

  private static TagFilter filter(LabelMatcher matcher) {
    String name = matcher.name();
    String value = matcher.value();
    return switch (matcher.operator()) {
      case EQUAL -> new TagFilter.Equal(name, value);
      case NOT_EQUAL -> new TagFilter.NotEqual(name, value);
      case MATCH -> new TagFilter.Regex(name, value);
      case NO_MATCH -> new TagFilter.NotRegex(name, value);
    };
  }
}
