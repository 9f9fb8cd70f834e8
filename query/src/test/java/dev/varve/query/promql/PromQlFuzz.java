package dev.varve.query.promql;

import java.nio.charset.StandardCharsets;

/**
 * Fuzz target: a valid query is formatted, in one line and in several, and parsed to the same tree.
 */
public final class PromQlFuzz {
  private PromQlFuzz() {}

  /** Processes one input; called by fuzzers. */
  public static void fuzzerTestOneInput(byte[] input) {
    Expr expr;
    try {
      expr = PromQl.parse(new String(input, StandardCharsets.UTF_8));
    } catch (PromQlException e) {
      return;
    }
    requireSame(expr, Printer.print(expr));
    String lines;
    try {
      lines = PrettyPrinter.print(expr);
    } catch (IllegalArgumentException e) {
      // Too long to be formatted, which is one of the limits.
      return;
    }
    requireSame(expr, lines);
  }

  private static void requireSame(Expr expr, String printed) {
    Expr again;
    try {
      again = PromQl.parse(printed);
    } catch (PromQlException e) {
      throw new AssertionError("printed as " + printed, e);
    }
    if (!PlainTrees.of(again).equals(PlainTrees.of(expr))) {
      throw new AssertionError("printed as another query: " + printed);
    }
  }
}
