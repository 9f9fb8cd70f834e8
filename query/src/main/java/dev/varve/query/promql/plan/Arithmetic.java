package dev.varve.query.promql.plan;

import dev.varve.query.promql.BinaryOperator;

/** Operators on two numbers. */
public final class Arithmetic {
  private Arithmetic() {}

  /** Applies an operator to two scalars; a comparison returns 0 or 1. */
  public static double ofNumbers(BinaryOperator operator, double left, double right) {
    return operator.isComparison()
        ? compare(operator, left, right) ? 1 : 0
        : of(operator, left, right);
  }

  public static double of(BinaryOperator operator, double left, double right) {
    return switch (operator) {
      case ADD -> left + right;
      case SUBTRACT -> left - right;
      case MULTIPLY -> left * right;
      case DIVIDE -> left / right;
      case MODULO -> left % right;
      case POWER -> power(left, right);
      case ATAN2 -> StrictMath.atan2(left, right);
      default -> throw new IllegalArgumentException(operator.text() + " is no arithmetic");
    };
  }

  /** Raises to a power. As in IEEE 754-2008, 1 to any power is 1, and so is -1 to infinity. */
  private static double power(double base, double exponent) {
    if (base == 1 || (base == -1 && Double.isInfinite(exponent))) {
      return 1;
    }
    return StrictMath.pow(base, exponent);
  }

  /** Returns the maximum; an infinity takes precedence over NaN, as in Go. */
  public static double max(double a, double b) {
    return a == Double.POSITIVE_INFINITY || b == Double.POSITIVE_INFINITY
        ? Double.POSITIVE_INFINITY
        : Math.max(a, b);
  }

  /** Returns the minimum; an infinity takes precedence over NaN, as in Go. */
  public static double min(double a, double b) {
    return a == Double.NEGATIVE_INFINITY || b == Double.NEGATIVE_INFINITY
        ? Double.NEGATIVE_INFINITY
        : Math.min(a, b);
  }

  public static boolean compare(BinaryOperator operator, double left, double right) {
    return switch (operator) {
      case EQUAL -> left == right;
      case NOT_EQUAL -> left != right;
      case LESS -> left < right;
      case LESS_OR_EQUAL -> left <= right;
      case GREATER -> left > right;
      case GREATER_OR_EQUAL -> left >= right;
      default -> throw new IllegalArgumentException(operator.text() + " is no comparison");
    };
  }
}
