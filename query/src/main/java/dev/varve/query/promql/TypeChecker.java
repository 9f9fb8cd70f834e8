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
import java.util.List;

/**
 * Checks what the grammar does not cover: types, numbers of arguments, and valid combinations. It
 * traverses a tree in the same order as Prometheus, to report the same error first.
 */
final class TypeChecker {
  private final byte[] query;
  private final Patterns patterns;

  /**
   * Creates a checker.
   *
   * @param patterns the patterns of the query, already checked
   */
  TypeChecker(byte[] query, Patterns patterns) {
    this.query = query;
    this.patterns = patterns;
  }

  /**
   * Checks an expression recursively.
   *
   * @throws PromQlException with the first error
   */
  void check(Expr expr) {
    switch (expr) {
      case NumberLiteral number -> {}
      case StringLiteral string -> {}
      case VectorSelector selector -> selector(selector);
      case MatrixSelector matrix -> selector(matrix.selector());
      case Paren paren -> check(paren.expr());
      case Unary unary -> unary(unary);
      case Subquery subquery -> subquery(subquery);
      case Binary binary -> binary(binary);
      case Aggregate aggregate -> aggregate(aggregate);
      case Call call -> call(call);
    }
  }

  private PromQlException error(SourceRange source, String problem) {
    return new PromQlException(query, source.start(), problem);
  }

  private void expect(Expr expr, ValueType type, String where) {
    check(expr);
    if (expr.type() != type) {
      throw error(
          expr.source(),
          "expected type %s in %s, got %s"
              .formatted(type.description(), where, expr.type().description()));
    }
  }

  private void selector(VectorSelector selector) {
    List<LabelMatcher> matchers = selector.matchers();
    if (selector.name().isEmpty()) {
      if (matchers.stream().allMatch(this::fitsEmpty)) {
        throw error(
            selector.source(), "vector selector must contain at least one non-empty matcher");
      }
      return;
    }
    for (LabelMatcher matcher : matchers.subList(0, matchers.size() - 1)) {
      if (matcher.name().equals(LabelMatcher.METRIC_NAME)) {
        throw error(
            selector.source(),
            "metric name must not be set twice: %s or %s"
                .formatted(Quoting.quoted(selector.name()), Quoting.quoted(matcher.value())));
      }
    }
  }

  private boolean fitsEmpty(LabelMatcher matcher) {
    return switch (matcher.operator()) {
      case EQUAL -> matcher.value().isEmpty();
      case NOT_EQUAL -> !matcher.value().isEmpty();
      case MATCH -> patterns.fitsEmpty(matcher.value());
      case NO_MATCH -> !patterns.fitsEmpty(matcher.value());
    };
  }

  private void unary(Unary unary) {
    check(unary.expr());
    if (!isScalarOrVector(unary.expr())) {
      throw error(
          unary.source(),
          "unary expression only allowed on expressions of type scalar or instant vector, got "
              + Quoting.quoted(unary.expr().type().description()));
    }
  }

  private static boolean isScalarOrVector(Expr expr) {
    return expr.type() == ValueType.SCALAR || expr.type() == ValueType.VECTOR;
  }

  private void subquery(Subquery subquery) {
    check(subquery.expr());
    if (subquery.expr().type() != ValueType.VECTOR) {
      throw error(
          subquery.source(),
          "subquery is only allowed on instant vector, got %s instead"
              .formatted(subquery.expr().type().text()));
    }
  }

  private void binary(Binary binary) {
    check(binary.left());
    check(binary.right());
    boolean comparison = binary.operator().isComparison();
    if (binary.bool() && !comparison) {
      throw error(
          binary.operatorSource(), "bool modifier can only be used on comparison operators");
    }
    if (comparison && !binary.bool() && binary.type() == ValueType.SCALAR) {
      throw error(binary.operatorSource(), "comparisons between scalars must use BOOL modifier");
    }
    VectorMatching matching = binary.matching();
    if (matching != null) {
      labelsOnceOnly(binary, matching);
    }
    for (Expr operand : List.of(binary.left(), binary.right())) {
      if (!isScalarOrVector(operand)) {
        throw error(
            operand.source(),
            "binary expression must contain only scalar and instant vector types");
      }
    }
    boolean vectors =
        binary.left().type() == ValueType.VECTOR && binary.right().type() == ValueType.VECTOR;
    if (!vectors && matching != null) {
      throw error(binary.source(), "vector matching only allowed between instant vectors");
    }
    if (binary.operator().isSet()) {
      set(binary, vectors);
    }
  }

  private void labelsOnceOnly(Binary binary, VectorMatching matching) {
    for (String label : matching.labels()) {
      if (matching.on() && matching.include().contains(label)) {
        throw error(
            binary.operatorSource(),
            "label %s must not occur in ON and GROUP clause at once"
                .formatted(Quoting.quoted(label)));
      }
    }
  }

  private void set(Binary binary, boolean vectors) {
    String operator = Quoting.quoted(binary.operator().text());
    VectorMatching matching = binary.matching();
    if (matching != null && matching.isGrouped()) {
      throw error(binary.source(), "no grouping allowed for %s operation".formatted(operator));
    }
    if (!vectors) {
      throw error(
          binary.source(),
          "set operator %s not allowed in binary scalar expression".formatted(operator));
    }
  }

  private void aggregate(Aggregate aggregate) {
    expect(aggregate.expr(), ValueType.VECTOR, "aggregation expression");
    Expr parameter = aggregate.parameter();
    if (parameter != null) {
      expect(parameter, aggregate.operator().parameterType(), "aggregation parameter");
    }
  }

  private void call(Call call) {
    String name = Quoting.quoted(call.function().text());
    arity(call, name);
    List<ValueType> types = call.function().argumentTypes();
    for (int i = 0; i < call.arguments().size(); i++) {
      ValueType type = types.get(Math.min(i, types.size() - 1));
      expect(call.arguments().get(i), type, "call to function " + name);
    }
  }

  private void arity(Call call, String name) {
    int given = call.arguments().size();
    int least = call.function().argumentsMin();
    int most = call.function().argumentsMax();
    if (least == most && given != least) {
      throw error(
          call.source(),
          "expected %d argument(s) in call to %s, got %d".formatted(least, name, given));
    }
    if (given < least) {
      throw error(
          call.source(),
          "expected at least %d argument(s) in call to %s, got %d".formatted(least, name, given));
    }
    if (given > most) {
      throw error(
          call.source(),
          "expected at most %d argument(s) in call to %s, got %d".formatted(most, name, given));
    }
  }
}
