package dev.varve.query.promql.eval;

import dev.varve.query.promql.Expr;
import dev.varve.query.promql.LabelMatcher;
import dev.varve.query.promql.VectorMatching;

/** Tells from an expression alone whether its series differ in their labels without the name. */
final class MetricNames {
  private MetricNames() {}

  /** Whether all series of an expression surely have the same name, or none. */
  static boolean isOne(Expr expr) {
    return switch (expr) {
      case Expr.VectorSelector selector ->
          selector.matchers().stream().anyMatch(MetricNames::isOne);
      case Expr.MatrixSelector matrix -> isOne(matrix.selector());
      case Expr.Subquery subquery -> isOne(subquery.expr());
      case Expr.Paren paren -> isOne(paren.expr());
      case Expr.Unary unary -> unary.negative() || isOne(unary.expr());
      case Expr.Binary binary -> isOne(binary);
      case Expr.Aggregate aggregate -> isOne(aggregate);
      case Expr.Call call -> isOne(call);
      case Expr.NumberLiteral number -> true;
      case Expr.StringLiteral text -> true;
    };
  }

  private static boolean isOne(LabelMatcher matcher) {
    return matcher.name().equals(LabelMatcher.METRIC_NAME)
        && matcher.operator() == LabelMatcher.Operator.EQUAL;
  }

  private static boolean isOne(Expr.Binary binary) {
    VectorMatching matching = binary.matching();
    if (matching != null && matching.include().contains(LabelMatcher.METRIC_NAME)) {
      return false;
    }
    return switch (binary.operator()) {
      case OR -> false;
      case AND, UNLESS -> isOne(binary.left());
      default ->
          !binary.operator().isComparison()
              || binary.bool()
              || (isOne(binary.left()) && isOne(binary.right()));
    };
  }

  private static boolean isOne(Expr.Aggregate aggregate) {
    return switch (aggregate.operator()) {
      case TOPK, BOTTOMK -> isOne(aggregate.expr());
      case COUNT_VALUES -> false;
      default -> !aggregate.labels().contains(LabelMatcher.METRIC_NAME) || aggregate.without();
    };
  }

  private static boolean isOne(Expr.Call call) {
    return switch (call.function().name()) {
      case "label_replace", "label_join" -> false;
      case "sort", "sort_desc", "last_over_time" -> isOne(call.arguments().getFirst());
      default -> true;
    };
  }
}
