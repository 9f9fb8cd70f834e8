package dev.varve.server.heroic.language;

import dev.varve.server.heroic.error.HeroicError;
import dev.varve.server.heroic.filter.Filter;
import dev.varve.server.heroic.filter.FilterJson;
import dev.varve.server.heroic.language.Token.Kind;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads filters. As in Heroic, {@code or} binds tighter than {@code and}, and {@code !} negates
 * everything that follows it up to the next closing parenthesis.
 */
final class Filters {
  private final Words words;
  private final Expressions expressions;

  Filters(Words words, Expressions expressions) {
    this.words = words;
    this.expressions = expressions;
  }

  Filter filter() {
    words.enter();
    List<Filter> terms = new ArrayList<>();
    do {
      terms.add(any());
    } while (words.takeIf(Kind.AND));
    words.leave();
    return terms.size() == 1 ? terms.getFirst() : new Filter.And(terms);
  }

  private Filter any() {
    List<Filter> terms = new ArrayList<>();
    do {
      terms.add(term());
    } while (words.takeIf(Kind.OR));
    return terms.size() == 1 ? terms.getFirst() : new Filter.Or(terms);
  }

  private Filter term() {
    Token token = words.peek();
    return switch (token.kind()) {
      case TRUE -> {
        words.take();
        yield new Filter.True();
      }
      case FALSE -> {
        words.take();
        yield new Filter.False();
      }
      case BANG -> {
        words.take();
        yield new Filter.Not(filter());
      }
      case PLUS -> {
        words.take();
        yield new Filter.HasTag(expressions.sum().text());
      }
      case KEY -> key();
      case OPEN -> parenthesised();
      default -> comparison();
    };
  }

  private Filter key() {
    words.take();
    boolean negated = words.takeIf(Kind.NOT_EQUAL);
    if (!negated) {
      words.expect(Kind.EQUAL, "'=' or '!='");
    }
    Filter key = new Filter.MatchKey(expressions.sum().text());
    return negated ? new Filter.Not(key) : key;
  }

  /** Reads a filter in parentheses, or a comparison whose tag is in parentheses. */
  private Filter parenthesised() {
    Words.Mark mark = words.mark();
    words.take();
    HeroicError failure;
    try {
      Filter inner = filter();
      if (words.takeIf(Kind.CLOSE)) {
        return inner;
      }
      failure = words.unexpected("expected ')'");
    } catch (HeroicError e) {
      failure = e;
    }
    words.back(mark);
    Filter comparison = null;
    try {
      comparison = comparison();
    } catch (HeroicError e) {
      // The filter in parentheses was meant: its error says what is wrong.
    }
    if (comparison == null) {
      throw failure;
    }
    return comparison;
  }

  private Filter comparison() {
    String tag = expressions.sum().text();
    Token operator = words.take();
    return switch (operator.kind()) {
      case EQUAL -> new Filter.MatchTag(tag, value());
      case NOT_EQUAL -> new Filter.Not(new Filter.MatchTag(tag, value()));
      case PREFIX -> new Filter.StartsWith(tag, value());
      case NOT_PREFIX -> new Filter.Not(new Filter.StartsWith(tag, value()));
      case REGEX -> regex(tag, operator);
      case NOT_REGEX -> new Filter.Not(regex(tag, operator));
      case IN -> in(tag);
      case NOT -> {
        words.expect(Kind.IN, "'in'");
        yield new Filter.Not(in(tag));
      }
      default ->
          throw operator.error(
              "unexpected token: '%s'; expected =, !=, ^, !^, ~, !~, in or not in"
                  .formatted(operator.text()));
    };
  }

  private String value() {
    return expressions.sum().text();
  }

  private Filter regex(String tag, Token operator) {
    try {
      return FilterJson.regex(tag, value());
    } catch (IllegalArgumentException e) {
      throw operator.error(String.valueOf(e.getMessage()));
    }
  }

  private Filter in(String tag) {
    List<Filter> values = new ArrayList<>();
    for (Expression value : expressions.sum().items()) {
      values.add(new Filter.MatchTag(tag, value.text()));
    }
    return new Filter.Or(values);
  }
}
