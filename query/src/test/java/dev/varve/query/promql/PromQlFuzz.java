package dev.varve.query.promql;

import java.nio.charset.StandardCharsets;

/** Fuzzed: what is read is printed, in one line and in many, so that it is read as the same. */
public final class PromQlFuzz {
  private PromQlFuzz() {}

  /** Takes one input, as fuzzers call it. */
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
      // Too long to be laid out, which is one of the limits.
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
