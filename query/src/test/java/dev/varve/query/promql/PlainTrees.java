package dev.varve.query.promql;

import dev.varve.query.promql.Expr.Aggregate;
import dev.varve.query.promql.Expr.Binary;
import dev.varve.query.promql.Expr.Call;
import dev.varve.query.promql.Expr.MatrixSelector;
import dev.varve.query.promql.Expr.NumberLiteral;
import dev.varve.query.promql.Expr.Paren;
import dev.varve.query.promql.Expr.StringLiteral;
import dev.varve.query.promql.Expr.Subquery;
import dev.varve.query.promql.Expr.Unary;
import dev.varve.query.promql.Expr.VectorSelector;
import java.util.Comparator;

/**
 * Trees without source positions and with sorted matchers, so that equivalent queries are equal.
 */
final class PlainTrees {
  private static final SourceRange NOWHERE = new SourceRange(0, 0);

  private PlainTrees() {}

  static Expr of(Expr expr) {
    return switch (expr) {
      case NumberLiteral number -> new NumberLiteral(number.value(), number.duration(), NOWHERE);
      case StringLiteral string -> new StringLiteral(string.value(), NOWHERE);
      case VectorSelector selector -> of(selector);
      case MatrixSelector matrix ->
          new MatrixSelector(of(matrix.selector()), matrix.range(), NOWHERE);
      case Subquery subquery ->
          new Subquery(
              of(subquery.expr()),
              subquery.range(),
              subquery.step(),
              subquery.modifiers(),
              NOWHERE);
      case Paren paren -> new Paren(of(paren.expr()), NOWHERE);
      case Unary unary -> new Unary(unary.negative(), of(unary.expr()), NOWHERE);
      case Binary binary ->
          new Binary(
              binary.operator(),
              of(binary.left()),
              of(binary.right()),
              binary.bool(),
              binary.matching(),
              NOWHERE,
              binary.type());
      case Aggregate aggregate -> {
        Expr parameter = aggregate.parameter();
        yield new Aggregate(
            aggregate.operator(),
            parameter == null ? null : of(parameter),
            of(aggregate.expr()),
            aggregate.labels(),
            aggregate.without(),
            NOWHERE);
      }
      case Call call ->
          new Call(
              call.function(), call.arguments().stream().map(PlainTrees::of).toList(), NOWHERE);
    };
  }

  private static VectorSelector of(VectorSelector selector) {
    return new VectorSelector(
        selector.name(),
        selector.matchers().stream().sorted(Comparator.comparing(LabelMatcher::toString)).toList(),
        selector.modifiers(),
        NOWHERE);
  }
}
