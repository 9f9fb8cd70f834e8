package dev.varve.query.promql.eval;

import dev.varve.query.promql.Expr;
import java.util.List;

/** The operators and functions of a query without its selectors and numbers, for the query log. */
final class AggregationText {
  private AggregationText() {}

  /**
   * Returns the operators and functions, such as {@code sum by (host)(rate)}; empty for a plain
   * selector.
   */
  static String of(Expr expr) {
    return switch (expr) {
      case Expr.NumberLiteral _,
          Expr.StringLiteral _,
          Expr.VectorSelector _,
          Expr.MatrixSelector _ ->
          "";
      case Expr.Subquery subquery -> of(subquery.expr());
      case Expr.Paren paren -> of(paren.expr());
      case Expr.Unary unary -> of(unary.expr());
      case Expr.Binary binary -> of(binary.left()) + binary.operator().text() + of(binary.right());
      case Expr.Aggregate aggregate -> around(head(aggregate), List.of(aggregate.expr()));
      case Expr.Call call -> around(call.function().text(), call.arguments());
    };
  }

  private static String head(Expr.Aggregate aggregate) {
    String name = aggregate.operator().text();
    return aggregate.labels().isEmpty() && !aggregate.without()
        ? name
        : name
            + (aggregate.without() ? " without (" : " by (")
            + String.join(", ", aggregate.labels())
            + ")";
  }

  private static String around(String name, List<Expr> inner) {
    StringBuilder text = new StringBuilder(name);
    String before = "(";
    for (Expr expr : inner) {
      String within = of(expr);
      if (!within.isEmpty()) {
        text.append(before).append(within);
        before = ", ";
      }
    }
    return text.append(text.length() > name.length() ? ")" : "").toString();
  }
}
