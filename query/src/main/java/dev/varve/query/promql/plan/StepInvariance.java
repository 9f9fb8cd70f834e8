package dev.varve.query.promql.plan;

import dev.varve.query.promql.AggregateOperator;
import dev.varve.query.promql.Expr;
import dev.varve.query.promql.Function;
import java.util.EnumSet;
import java.util.Set;

/**
 * Determines whether an expression has the same result at every step, so that one step suffices.
 */
final class StepInvariance {
  /** Functions that depend on the time or the number of steps, whatever their input. */
  private static final Set<Function> OF_THE_STEP =
      EnumSet.of(
          Function.TIME,
          Function.TIMESTAMP,
          Function.PREDICT_LINEAR,
          Function.SORT,
          Function.SORT_DESC);

  private StepInvariance() {}

  /** Returns whether the result of an expression certainly does not depend on the step. */
  static boolean holds(Expr expr) {
    return switch (expr) {
      case Expr.NumberLiteral number -> true;
      case Expr.StringLiteral text -> true;
      case Expr.VectorSelector selector -> selector.modifiers().at() != null;
      case Expr.MatrixSelector matrix -> holds(matrix.selector());
      case Expr.Subquery subquery -> subquery.modifiers().at() != null;
      case Expr.Paren paren -> holds(paren.expr());
      case Expr.Unary unary -> holds(unary.expr());
      case Expr.Binary binary -> holds(binary.left()) && holds(binary.right());
      case Expr.Aggregate aggregate ->
          aggregate.operator() != AggregateOperator.TOPK
              && aggregate.operator() != AggregateOperator.BOTTOMK
              && (aggregate.parameter() == null || holds(aggregate.parameter()))
              && holds(aggregate.expr());
      case Expr.Call call ->
          !OF_THE_STEP.contains(call.function())
              && !isOfTime(call)
              && call.arguments().stream().allMatch(StepInvariance::holds);
    };
  }

  /**
   * Returns whether a call is a calendar function without an argument, which applies to the step's
   * time.
   */
  static boolean isOfTime(Expr.Call call) {
    return call.arguments().isEmpty() && call.function().variadic() == 1;
  }

  /** Returns whether an expression reads samples. */
  static boolean hasSelector(Expr expr) {
    return switch (expr) {
      case Expr.NumberLiteral number -> false;
      case Expr.StringLiteral text -> false;
      case Expr.VectorSelector selector -> true;
      case Expr.MatrixSelector matrix -> true;
      case Expr.Subquery subquery -> hasSelector(subquery.expr());
      case Expr.Paren paren -> hasSelector(paren.expr());
      case Expr.Unary unary -> hasSelector(unary.expr());
      case Expr.Binary binary -> hasSelector(binary.left()) || hasSelector(binary.right());
      case Expr.Aggregate aggregate -> hasSelector(aggregate.expr());
      case Expr.Call call -> call.arguments().stream().anyMatch(StepInvariance::hasSelector);
    };
  }
}
