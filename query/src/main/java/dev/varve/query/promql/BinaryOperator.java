package dev.varve.query.promql;

/** A binary operator. */
public enum BinaryOperator {
  OR("or", 1),
  AND("and", 2),
  UNLESS("unless", 2),
  EQUAL("==", 3),
  NOT_EQUAL("!=", 3),
  LESS("<", 3),
  LESS_OR_EQUAL("<=", 3),
  GREATER(">", 3),
  GREATER_OR_EQUAL(">=", 3),
  ADD("+", 4),
  SUBTRACT("-", 4),
  MULTIPLY("*", 5),
  DIVIDE("/", 5),
  MODULO("%", 5),
  ATAN2("atan2", 5),
  POWER("^", 6);

  /** Signs have the precedence of a multiplication. */
  static final int SIGN_PRECEDENCE = MULTIPLY.precedence;

  private final String text;
  private final int precedence;

  BinaryOperator(String text, int precedence) {
    this.text = text;
    this.precedence = precedence;
  }

  /** Returns its symbol or its keyword in lower case. */
  public String text() {
    return text;
  }

  /** Returns its precedence; 1 is the lowest. */
  int precedence() {
    return precedence;
  }

  /** Returns the lowest precedence of operators that belong to its right operand. */
  int rightPrecedence() {
    return this == POWER ? precedence : precedence + 1;
  }

  public boolean isComparison() {
    return precedence == EQUAL.precedence;
  }

  public boolean isSet() {
    return precedence <= AND.precedence;
  }
}
