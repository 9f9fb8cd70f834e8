package dev.varve.server.heroic.language;

import dev.varve.server.heroic.language.Expression.Instant;
import dev.varve.server.heroic.language.Expression.Items;
import dev.varve.server.heroic.language.Expression.Real;
import dev.varve.server.heroic.language.Expression.Span;
import dev.varve.server.heroic.language.Expression.Text;
import dev.varve.server.heroic.language.Expression.Whole;
import java.util.ArrayList;
import java.util.List;

/** Arithmetic of Heroic's language: on numbers, durations and times; {@code +} also joins texts. */
final class Arithmetic {
  private Arithmetic() {}

  static Expression of(Token operator, Expression left, Expression right) {
    try {
      return switch (left) {
        case Whole whole when right instanceof Real ->
            new Real(whole.at(), real(operator, (double) whole.value(), right.real()));
        case Whole whole -> new Whole(whole.at(), whole(operator, whole.value(), right.whole()));
        case Real real -> new Real(real.at(), real(operator, real.value(), right.real()));
        case Span span when isSum(operator) || operator.is(Token.Kind.DIVIDE) ->
            new Span(span.at(), whole(operator, span.millis(), right.whole()));
        case Instant instant when isSum(operator) ->
            new Instant(instant.at(), whole(operator, instant.millis(), right.whole()));
        case Text text when operator.is(Token.Kind.PLUS) ->
            new Text(text.at(), text.value() + right.text());
        case Items items when operator.is(Token.Kind.PLUS) -> {
          List<Expression> joined = new ArrayList<>(items.items());
          joined.addAll(right.items());
          yield new Items(items.at(), joined);
        }
        case Expression other ->
            throw operator.error(
                "'%s' does not apply to %s".formatted(operator.text(), other.kind()));
      };
    } catch (ArithmeticException e) {
      throw operator.error(
          "'%s' gives no number of 64 bits: %s".formatted(operator.text(), e.getMessage()));
    }
  }

  static Expression negated(Token minus, Expression of) {
    return switch (of) {
      case Whole whole -> new Whole(minus, Math.negateExact(whole.value()));
      case Real real -> new Real(minus, -real.value());
      case Span span -> new Span(minus, Math.negateExact(span.millis()));
      case Expression other -> throw minus.error("'-' does not apply to " + other.kind());
    };
  }

  private static boolean isSum(Token operator) {
    return operator.is(Token.Kind.PLUS) || operator.is(Token.Kind.MINUS);
  }

  private static long whole(Token operator, long left, long right) {
    return switch (operator.text()) {
      case "+" -> Math.addExact(left, right);
      case "-" -> Math.subtractExact(left, right);
      case "*" -> Math.multiplyExact(left, right);
      default -> Math.divideExact(left, right);
    };
  }

  private static double real(Token operator, double left, double right) {
    return switch (operator.text()) {
      case "+" -> left + right;
      case "-" -> left - right;
      case "*" -> left * right;
      default -> left / right;
    };
  }
}
