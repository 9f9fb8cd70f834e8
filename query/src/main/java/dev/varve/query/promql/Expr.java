package dev.varve.query.promql;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A query, or a part of one. What {@link PromQl#parse} gives is well typed; a tree put together
 * otherwise is whatever it is put together as.
 */
public sealed interface Expr {
  /** Where it stands. */
  SourceRange source();

  ValueType type();

  /**
   * A number.
   *
   * @param duration whether it was written as one, such as {@code 5m}; the value is seconds then
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
   * The newest sample of every series that fits, within the look-back.
   *
   * @param name the metric's as it stands before the braces; empty where nothing stands there
   * @param matchers as written; the metric before the braces is the last of them
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
   * The samples of a range of time of every series that fits.
   *
   * @param selector with the modifiers that stand behind the range
   * @param range above 0
   */
  record MatrixSelector(VectorSelector selector, Duration range, SourceRange source)
      implements Expr {
    @Override
    public ValueType type() {
      return ValueType.MATRIX;
    }
  }

  /**
   * An expression evaluated again and again over a range of time.
   *
   * @param range above 0
   * @param step above 0; null for the default
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
   * An expression with a sign before it.
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
   * Two expressions with an operator between.
   *
   * @param bool whether a comparison gives 0 and 1 instead of leaving elements out
   * @param matching null where one side is no instant vector
   * @param operatorSource where the operator stands
   * @param type scalar where both sides are, else instant vector
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
    /** The operator between two expressions, with the type that follows from theirs. */
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
   * Groups of the series of an instant vector, each made one or a few.
   *
   * @param parameter null for operators that have none
   * @param without whether {@code labels} are left out of what makes a group, not what makes it
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
