package dev.varve.server.heroic.language;

import dev.varve.server.heroic.error.HeroicError;
import dev.varve.server.heroic.filter.Filter;
import dev.varve.server.heroic.filter.FilterRewrite;
import dev.varve.server.heroic.language.Token.Kind;
import org.jspecify.annotations.Nullable;

/** Heroic's language: {@code aggregation from source(range) where filter}. */
public final class Language {
  private Language() {}

  /**
   * A query.
   *
   * @param select the aggregation; null for {@code *}
   * @param source what follows {@code from}; null if it is absent
   * @param start of the range, in ms since 1970; null if no range is given
   * @param end of the range; null if no range is given
   * @param where the filter; null if it is absent
   */
  public record Statement(
      Expression.@Nullable Call select,
      @Nullable String source,
      @Nullable Long start,
      @Nullable Long end,
      @Nullable Filter where) {}

  /**
   * Reads a filter and normalises it.
   *
   * @throws HeroicError if the text is invalid
   */
  public static Filter filter(String text) {
    Words words = new Words(text);
    Filter filter = new Filters(words, new Expressions(words, 0)).filter();
    words.expectEnd();
    return FilterRewrite.normalised(filter);
  }

  /**
   * Reads a query.
   *
   * @param now the value of {@code $now}, in ms since 1970
   * @throws HeroicError if the text is invalid
   */
  public static Statement query(String text, long now) {
    Words words = new Words(text);
    Statement statement = new Reader(words, now).statement();
    words.takeIf(Kind.SEMICOLON);
    if (!words.at(Kind.END)) {
      throw words.unexpected("expected exactly one expression");
    }
    return statement;
  }

  private record Reader(Words words, Expressions expressions, long now) {
    Reader(Words words, long now) {
      this(words, new Expressions(words, now), now);
    }

    private Statement statement() {
      if (words.at(Kind.LET)) {
        throw words.peek().error("expected exactly one expression, and 'let' makes a second one");
      }
      Expression.Call select = words.takeIf(Kind.MULTIPLY) ? null : expressions.expression().call();
      String source = null;
      Long start = null;
      Long end = null;
      if (words.takeIf(Kind.FROM)) {
        source = words.expect(Kind.IDENTIFIER, "a source, such as 'points'").text();
        if (words.takeIf(Kind.OPEN)) {
          long first = expressions.expression().whole();
          boolean absolute = words.takeIf(Kind.COMMA);
          start = absolute ? (Long) first : (Long) (now - first);
          end = absolute ? (Long) expressions.expression().whole() : (Long) now;
          words.expect(Kind.CLOSE, "')'");
        }
      }
      Filter where = null;
      if (words.takeIf(Kind.WHERE)) {
        where = FilterRewrite.normalised(new Filters(words, expressions).filter());
      }
      ignored(Kind.WITH);
      ignored(Kind.AS);
      return new Statement(select, source, start, end, where);
    }

    /** Reads {@code with} and {@code as}, which Heroic reads and ignores. */
    private void ignored(Kind clause) {
      if (words.takeIf(clause)) {
        do {
          words.expect(Kind.IDENTIFIER, "a name");
          words.expect(Kind.EQUAL, "'='");
          Expression _ = expressions.expression();
        } while (words.takeIf(Kind.COMMA));
      }
    }
  }
}
