package dev.varve.query.promql;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A query or part of a query. The result of {@link PromQl#parse} is well typed; trees built in
 * other ways are not checked.
 */
public sealed interface Expr {
  /** Returns its position in the query. */
  SourceRange source();

  ValueType type();

  /**
   * A number.
   *
   * @param duration whether it was written as a duration, such as {@code 5m}; the value is then in
   *     seconds
   */
  record NumberLiteral(double value, boolean duration, SourceRange source) implements Expr {
    @Override
    public ValueType type() {
      return ValueType.SCALAR;
    }
  }

  record StringLiteral(String value, SourceRange source) implements Expr {
    @Override
    public ValueType type() {
      return ValueType.STRING;
    }
  }

  /**
   * Selects the newest sample of every matching series, within the look-back.
   *
   * @param name the metric before the braces; empty if there is none
   * @param matchers the matchers as written; the metric before the braces is the last of them
   */
  record VectorSelector(
      String name, List<LabelMatcher> matchers, Modifiers modifiers, SourceRange source)
      implements Expr {
    public VectorSelector {
      matchers = List.copyOf(matchers);
    }

    @Override
    public ValueType type() {
      return ValueType.VECTOR;
    }
  }

  /**
   * Selects the samples of every matching series in a range of time.
   *
   * @param selector the selector, with the modifiers after the range
   * @param range greater than 0
   */
  record MatrixSelector(VectorSelector selector, Duration range, SourceRange source)
      implements Expr {
    @Override
    public ValueType type() {
      return ValueType.MATRIX;
    }
  }

  /**
   * Evaluates an expression repeatedly over a range of time.
   *
   * @param range greater than 0
   * @param step greater than 0; null for the default
   */
  record Subquery(
      Expr expr, Duration range, @Nullable Duration step, Modifiers modifiers, SourceRange source)
      implements Expr {
    @Override
    public ValueType type() {
      return ValueType.MATRIX;
    }
  }

  record Paren(Expr expr, SourceRange source) implements Expr {
    @Override
    public ValueType type() {
      return expr.type();
    }
  }

  /**
   * An expression with a sign.
   *
   * @param negative whether the sign is a minus
   */
  record Unary(boolean negative, Expr expr, SourceRange source) implements Expr {
    @Override
    public ValueType type() {
      return expr.type();
    }
  }

  /**
   * Two expressions with a binary operator.
   *
   * @param bool whether a comparison returns 0 or 1 instead of dropping elements
   * @param matching null unless both sides are instant vectors
   * @param operatorSource position of the operator
   * @param type scalar if both sides are scalars, else instant vector
   */
  record Binary(
      BinaryOperator operator,
      Expr left,
      Expr right,
      boolean bool,
      @Nullable VectorMatching matching,
      SourceRange operatorSource,
      ValueType type)
      implements Expr {
    /** Creates an operation whose type follows from its operands. */
    static Binary of(
        BinaryOperator operator,
        Expr left,
        Expr right,
        boolean bool,
        @Nullable VectorMatching matching,
        SourceRange operatorSource) {
      boolean scalar = left.type() == ValueType.SCALAR && right.type() == ValueType.SCALAR;
      return new Binary(
          operator,
          left,
          right,
          bool,
          matching,
          operatorSource,
          scalar ? ValueType.SCALAR : ValueType.VECTOR);
    }

    @Override
    public SourceRange source() {
      return left.source().to(right.source());
    }
  }

  /**
   * Aggregates groups of the series of an instant vector.
   *
   * @param parameter null for operators without one
   * @param without whether {@code labels} are excluded from the grouping instead of defining it
   */
  record Aggregate(
      AggregateOperator operator,
      @Nullable Expr parameter,
      Expr expr,
      List<String> labels,
      boolean without,
      SourceRange source)
      implements Expr {
    public Aggregate {
      labels = List.copyOf(labels);
    }

    @Override
    public ValueType type() {
      return ValueType.VECTOR;
    }
  }

  record Call(Function function, List<Expr> arguments, SourceRange source) implements Expr {
    public Call {
      arguments = List.copyOf(arguments);
    }

    @Override
    public ValueType type() {
      return function.returnType();
    }
  }
}
