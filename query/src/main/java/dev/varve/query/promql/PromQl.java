package dev.varve.query.promql;

import java.nio.charset.StandardCharsets;

/** Reads queries. */
public final class PromQl {
  /** So long a query may be, in bytes of UTF-8. */
  public static final int LENGTH_MAX = 1 << 20;

  /**
   * So deep expressions may stand in expressions. Operators in a row nest, too, one level each: the
   * left side of the last holds all others.
   */
  public static final int DEPTH_MAX = 400;

  private PromQl() {}

  /**
   * Reads and checks a query.
   *
   * @throws PromQlException at the first place where it is none
   */
  public static Expr parse(String query) {
    byte[] utf8 = utf8(query);
    if (utf8.length > LENGTH_MAX) {
      throw new PromQlException(
          utf8,
          LENGTH_MAX,
          "the query has %d bytes, at most %d are possible".formatted(utf8.length, LENGTH_MAX));
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

  /** Well-formed UTF-8: half a character of UTF-16 becomes what stands for any that is broken. */
  private static byte[] utf8(String query) {
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
