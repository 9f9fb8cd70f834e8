package dev.varve.query.promql;

import java.nio.charset.StandardCharsets;

/** Parses queries. */
public final class PromQl {
  /** Maximum length of a query, in bytes of UTF-8. */
  public static final int LENGTH_MAX = 1 << 20;

  /**
   * Maximum nesting of expressions. A chain of operators also nests, one level each, because the
   * left side of the last operator contains all others.
   */
  public static final int DEPTH_MAX = 400;

  private PromQl() {}

  /**
   * Parses and checks a query.
   *
   * @throws PromQlException with the first error
   */
  public static Expr parse(String query) {
    byte[] utf8 = utf8(query);
    if (utf8.length > LENGTH_MAX) {
      throw new PromQlException(
          utf8,
          LENGTH_MAX,
          "the query has %d bytes, more than the limit of %d".formatted(utf8.length, LENGTH_MAX));
    }
    Patterns patterns = new Patterns(utf8);
    Expr expr = read(utf8, patterns);
    patterns.check();
    new TypeChecker(utf8, patterns).check(expr);
    return expr;
  }

  private static Expr read(byte[] utf8, Patterns patterns) {
    try {
      return new Parser(utf8, patterns).parse();
    } catch (PromQlException e) {
      patterns.check();
      throw e;
    }
  }

  /** Encodes as well-formed UTF-8. An unpaired surrogate becomes the replacement character. */
  private static byte[] utf8(String query) {
    if (query.chars().noneMatch(unit -> Character.isSurrogate((char) unit))) {
      return query.getBytes(StandardCharsets.UTF_8);
    }
    StringBuilder whole = new StringBuilder(query.length());
    query
        .codePoints()
        .forEach(point ->
            whole.appendCodePoint(
                point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE
                    ? Quoting.REPLACEMENT
                    : point));
    return whole.toString().getBytes(StandardCharsets.UTF_8);
  }
}
