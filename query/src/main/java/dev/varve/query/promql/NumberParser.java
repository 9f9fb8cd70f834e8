package dev.varve.query.promql;

import dev.varve.query.promql.Expr.NumberLiteral;
import java.time.Duration;

/**
 * Parses numbers and durations, which are written alike: a duration is a number of seconds. The
 * lengths of offsets, ranges and steps must be in the range of durations.
 */
final class NumberParser {
  private final TokenReader tokens;
  private final Nesting nesting;

  NumberParser(TokenReader tokens, Nesting nesting) {
    this.tokens = tokens;
    this.nesting = nesting;
  }

  NumberLiteral number() {
    Token token = tokens.take();
    try {
      return token.kind() == TokenKind.NUMBER
          ? new NumberLiteral(Numbers.parse(token.text()), false, token.source())
          : new NumberLiteral(Durations.seconds(token.text()), true, token.source());
    } catch (NumberFormatException e) {
      throw tokens.error(token.source(), "error parsing number: " + e.getMessage());
    } catch (IllegalArgumentException e) {
      throw tokens.error(token.source(), String.valueOf(e.getMessage()));
    }
  }

  /** Returns a number that follows a sign. */
  NumberLiteral signed(Token sign, NumberLiteral number) {
    double value = sign.kind() == TokenKind.SUBTRACT ? -number.value() : number.value();
    return new NumberLiteral(value, number.duration(), tokens.from(sign.source()));
  }

  /**
   * Parses an offset. A number with at most one sign ends it: {@code x offset -2^2} is a power of
   * x.
   */
  NumberLiteral offset() {
    String expected = " in offset, expected number or duration";
    Token sign = tokens.kind().isSign() ? tokens.take() : null;
    if (tokens.kind().isNumber()) {
      NumberLiteral length = number();
      return sign == null
          ? ranged(length, length.source())
          : signed(sign, ranged(length, sign.source()));
    }
    if (sign == null) {
      return duration(0, expected);
    }
    NumberLiteral length = duration(BinaryOperator.SIGN_PRECEDENCE + 1, expected);
    return calculated(signed(sign, length), 0, expected);
  }

  /**
   * Parses the length of a range or the step of a subquery.
   *
   * @param expected the end of the error of an unexpected token
   */
  Duration length(String expected) {
    NumberLiteral length = duration(0, expected);
    if (!(length.value() > 0)) {
      throw tokens.error(length.source(), "duration must be greater than 0");
    }
    return Durations.of(length.value());
  }

  /**
   * Parses a duration. Calculations with durations, which Prometheus supports only with a feature
   * flag, are parsed to their end, then rejected.
   */
  private NumberLiteral duration(int precedence, String expected) {
    nesting.enter();
    NumberLiteral length = calculated(durationOperand(expected), precedence, expected);
    nesting.leave();
    return length;
  }

  private NumberLiteral calculated(NumberLiteral left, int precedence, String expected) {
    BinaryOperator operator =
        switch (tokens.kind()) {
          case ADD, SUBTRACT, MULTIPLY, DIVIDE, MODULO, POWER -> tokens.kind().binary();
          default -> null;
        };
    if (operator == null || operator.precedence() < precedence) {
      return left;
    }
    tokens.take();
    duration(operator.rightPrecedence(), expected);
    throw unsupported(left);
  }

  private PromQlException unsupported(NumberLiteral length) {
    return tokens.error(length.source(), "duration expressions are experimental and not supported");
  }

  private NumberLiteral durationOperand(String expected) {
    if (tokens.kind().isNumber()) {
      NumberLiteral length = number();
      return ranged(length, length.source());
    }
    if (tokens.kind().isSign()) {
      Token sign = tokens.take();
      NumberLiteral length = duration(BinaryOperator.SIGN_PRECEDENCE + 1, expected);
      return signed(sign, length);
    }
    if (tokens.kind() != TokenKind.LEFT_PAREN) {
      throw tokens.unexpected(expected);
    }
    tokens.take();
    NumberLiteral inner = duration(0, expected);
    if (tokens.kind() != TokenKind.RIGHT_PAREN) {
      throw tokens.unexpected(expected);
    }
    throw unsupported(inner);
  }

  private NumberLiteral ranged(NumberLiteral length, SourceRange source) {
    if (!Durations.inRange(length.value())) {
      throw tokens.error(source, "duration out of range");
    }
    return length;
  }
}
