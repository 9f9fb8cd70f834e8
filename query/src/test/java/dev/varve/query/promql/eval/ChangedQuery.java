package dev.varve.query.promql.eval;

import dev.varve.query.promql.Expr;
import dev.varve.query.promql.Printer;
import dev.varve.query.promql.PromQl;
import java.util.function.UnaryOperator;

/** Replaces parts of queries. */
final class ChangedQuery {
  private ChangedQuery() {}

  /**
   * Returns the text of a query with changed parts.
   *
   * @param change returns the replacement of a part, whose own parts have already been changed;
   *     returns the part itself to keep it
   */
  static String of(Expr query, UnaryOperator<Expr> change) {
    return Printer.print(changed(query, change));
  }

  /** Parses a text as part of a query. */
  static Expr part(String text) {
    return PromQl.parse("(" + text + ")");
  }

  private static Expr changed(Expr expr, UnaryOperator<Expr> change) {
    Expr with =
        switch (expr) {
          case Expr.NumberLiteral number -> number;
          case Expr.StringLiteral string -> string;
          case Expr.VectorSelector selector -> selector;
          case Expr.MatrixSelector matrix -> matrix;
          case Expr.Subquery subquery ->
              new Expr.Subquery(
                  changed(subquery.expr(), change),
                  subquery.range(),
                  subquery.step(),
                  subquery.modifiers(),
                  subquery.source());
          case Expr.Paren paren -> new Expr.Paren(changed(paren.expr(), change), paren.source());
          case Expr.Unary unary ->
              new Expr.Unary(unary.negative(), changed(unary.expr(), change), unary.source());
          case Expr.Binary binary ->
              new Expr.Binary(
                  binary.operator(),
                  changed(binary.left(), change),
                  changed(binary.right(), change),
                  binary.bool(),
                  binary.matching(),
                  binary.operatorSource(),
                  binary.type());
          case Expr.Aggregate aggregate -> {
            Expr parameter = aggregate.parameter();
            yield new Expr.Aggregate(
                aggregate.operator(),
                parameter == null ? null : changed(parameter, change),
                changed(aggregate.expr(), change),
                aggregate.labels(),
                aggregate.without(),
                aggregate.source());
          }
          case Expr.Call call ->
              new Expr.Call(
                  call.function(),
                  call.arguments().stream().map(argument -> changed(argument, change)).toList(),
                  call.source());
        };
    return change.apply(with);
  }
}
