package dev.varve.query.promql;

import dev.varve.formats.number.GoNumber;
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
import java.time.Duration;

/** Parses {@code offset} and {@code @}, which move the times that a selector or subquery reads. */
final class ModifierParser {
  private final TokenReader tokens;
  private final NumberParser numbers;

  ModifierParser(TokenReader tokens, NumberParser numbers) {
    this.tokens = tokens;
    this.numbers = numbers;
  }

  /** Parses an offset after an expression. */
  Expr offset(Expr expr) {
    tokens.take();
    Duration offset = Durations.of(numbers.offset().value());
    Modifiers before = modifiers(expr, "offset");
    if (!before.offset().isZero()) {
      throw tokens.error(expr.source(), "offset may not be set multiple times");
    }
    return with(expr, new Modifiers(offset, before.at()));
  }

  /** Parses the time at which an expression is evaluated. */
  Expr at(Expr expr) {
    tokens.take();
    boolean edge = tokens.kind() == TokenKind.START || tokens.kind() == TokenKind.LAST;
    At at = edge ? edge() : time(expr);
    Modifiers before = modifiers(expr, "@");
    if (before.at() != null) {
      throw tokens.error(expr.source(), "@ <timestamp> may not be set multiple times");
    }
    return with(expr, new Modifiers(before.offset(), at));
  }

  private At edge() {
    At edge = tokens.take().kind() == TokenKind.START ? At.Edge.START : At.Edge.END;
    require(tokens.kind() == TokenKind.LEFT_PAREN);
    tokens.take();
    require(tokens.kind() == TokenKind.RIGHT_PAREN);
    tokens.take();
    return edge;
  }

  private At time(Expr expr) {
    Token sign = tokens.kind().isSign() ? tokens.take() : null;
    require(tokens.kind().isNumber());
    double seconds =
        sign == null ? numbers.number().value() : numbers.signed(sign, numbers.number()).value();
    if (!(Math.abs(seconds) < 0x1p63)) {
      throw tokens.error(
          expr.source(), "timestamp out of bounds for @ modifier: " + GoNumber.fixed(seconds, 6));
    }
    double millis = Math.abs(seconds) * 1000;
    return new At.Time(Math.round(Math.copySign(Math.floor(millis + 0.5), seconds)));
  }

  private void require(boolean right) {
    if (!right) {
      throw tokens.unexpected(" in @, expected timestamp");
    }
  }

  private Modifiers modifiers(Expr expr, String modifier) {
    return switch (expr) {
      case VectorSelector selector -> selector.modifiers();
      case MatrixSelector matrix -> matrix.selector().modifiers();
      case Subquery subquery -> subquery.modifiers();
      case NumberLiteral _, StringLiteral _, Paren _, Unary _, Binary _, Aggregate _, Call _ ->
          throw tokens.error(
              expr.source(),
              modifier
                  + " modifier must be preceded by an instant vector selector or range vector"
                  + " selector or a subquery");
    };
  }

  /** Returns an expression with other modifiers, extended to the last token taken. */
  private Expr with(Expr expr, Modifiers modifiers) {
    SourceRange source = tokens.from(expr.source());
    return switch (expr) {
      case VectorSelector selector ->
          new VectorSelector(selector.name(), selector.matchers(), modifiers, source);
      case MatrixSelector matrix -> {
        VectorSelector selector = matrix.selector();
        yield new MatrixSelector(
            new VectorSelector(selector.name(), selector.matchers(), modifiers, selector.source()),
            matrix.range(),
            source);
      }
      case Subquery subquery ->
          new Subquery(subquery.expr(), subquery.range(), subquery.step(), modifiers, source);
      case NumberLiteral _, StringLiteral _, Paren _, Unary _, Binary _, Aggregate _, Call _ ->
          expr;
    };
  }
}
