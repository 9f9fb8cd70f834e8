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
import dev.varve.query.promql.LabelMatcher.Operator;
import dev.varve.query.promql.VectorMatching.Cardinality;
import java.nio.charset.CharacterCodingException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Builds a tree from tokens, by precedence climbing.
 *
 * <p>The grammar is that of Prometheus. So are the positions and texts of errors: an unexpected
 * token is reported with the innermost open context, which is one of {@code aggregation}, {@code
 * grouping opts}, {@code label matching}, {@code offset}, {@code @} and the two kinds of brackets.
 * For the same reason, tokens are read as late as possible.
 */
final class Parser {
  private final byte[] query;
  private final Lexer lexer;
  private final Patterns patterns;
  private @Nullable Token ahead;

  /** End of the last token taken. */
  private int end;

  /** Nesting depth of the current expression, and the number of enclosing aggregations. */
  private int depth;

  private int aggregations;

  /** Height of the expression that was read last. */
  private int height;

  Parser(byte[] query, Patterns patterns) {
    this.query = query;
    this.lexer = new Lexer(query);
    this.patterns = patterns;
  }

  /** Parses the query; the tree is not yet type-checked. */
  Expr parse() {
    if (peek().kind() == TokenKind.END) {
      throw new PromQlException(query, 0, "no expression found in input");
    }
    Expr expr = expression(0);
    if (peek().kind() != TokenKind.END) {
      throw unexpected();
    }
    return expr;
  }

  private Token peek() {
    if (ahead == null) {
      ahead = lexer.next();
    }
    return ahead;
  }

  private TokenKind kind() {
    return peek().kind();
  }

  private Token take() {
    Token next = peek();
    ahead = null;
    end = next.source().end();
    return next;
  }

  /** Returns the range from the first token of an expression to the last one taken. */
  private SourceRange from(Token first) {
    return new SourceRange(first.source().start(), end);
  }

  private PromQlException error(SourceRange source, String problem) {
    return new PromQlException(query, source.start(), problem);
  }

  private PromQlException unexpected() {
    return unexpected(aggregations > 0 ? " in aggregation" : "");
  }

  private PromQlException unexpected(String where) {
    return error(peek().source(), "unexpected " + peek().description() + where);
  }

  /** Parses an expression whose operators all have at least the given precedence. */
  private Expr expression(int precedence) {
    depth++;
    checkDepth(depth);
    Expr left = isSign(kind()) ? signed() : operand();
    for (BinaryOperator operator = kind().binary();
        operator != null && operator.precedence() >= precedence;
        operator = kind().binary()) {
      int leftHeight = height;
      left = binary(left, operator);
      nest(Math.max(leftHeight, height));
    }
    depth--;
    return left;
  }

  /** Sets the height of the expression just read from that of its operands. */
  private void nest(int inner) {
    height = inner + 1;
    checkDepth(height);
  }

  private void checkDepth(int reached) {
    if (reached > PromQl.DEPTH_MAX) {
      throw error(
          peek().source(),
          "expressions are nested more than %d levels deep".formatted(PromQl.DEPTH_MAX));
    }
  }

  private static boolean isSign(TokenKind kind) {
    return kind == TokenKind.ADD || kind == TokenKind.SUBTRACT;
  }

  private Expr signed() {
    Token sign = take();
    Expr expr = expression(BinaryOperator.SIGN_PRECEDENCE + 1);
    if (expr instanceof NumberLiteral number) {
      return signed(sign, number);
    }
    nest(height);
    return new Unary(sign.kind() == TokenKind.SUBTRACT, expr, from(sign));
  }

  private NumberLiteral signed(Token sign, NumberLiteral number) {
    double value = sign.kind() == TokenKind.SUBTRACT ? -number.value() : number.value();
    return new NumberLiteral(value, number.duration(), from(sign));
  }

  private Binary binary(Expr left, BinaryOperator operator) {
    SourceRange source = take().source();
    boolean bool = kind() == TokenKind.BOOL;
    if (bool) {
      take();
    }
    VectorMatching matching = matching();
    Expr right = expression(operator.rightPrecedence());
    boolean vectors = left.type() == ValueType.VECTOR && right.type() == ValueType.VECTOR;
    if (vectors && operator.isSet() && matching.cardinality() == Cardinality.ONE_TO_ONE) {
      matching =
          new VectorMatching(
              Cardinality.MANY_TO_MANY, matching.labels(), matching.on(), matching.include());
    }
    // Labels between other types are kept for the type checker to reject.
    boolean kept = vectors || !matching.labels().isEmpty();
    return Binary.of(operator, left, right, bool, kept ? matching : null, source);
  }

  private VectorMatching matching() {
    boolean on = kind() == TokenKind.ON;
    if (!on && kind() != TokenKind.IGNORING) {
      return new VectorMatching(Cardinality.ONE_TO_ONE, List.of(), false, List.of());
    }
    take();
    List<String> labels = groupingLabels();
    Cardinality cardinality =
        switch (kind()) {
          case GROUP_LEFT -> Cardinality.MANY_TO_ONE;
          case GROUP_RIGHT -> Cardinality.ONE_TO_MANY;
          default -> Cardinality.ONE_TO_ONE;
        };
    List<String> include = List.of();
    if (cardinality != Cardinality.ONE_TO_ONE) {
      take();
      if (!kind().beginsExpression() || kind() == TokenKind.LEFT_PAREN) {
        include = groupingLabels();
      }
    }
    return new VectorMatching(cardinality, labels, on, include);
  }

  private List<String> groupingLabels() {
    if (kind() != TokenKind.LEFT_PAREN) {
      throw unexpected(" in grouping opts, expected \"(\"");
    }
    take();
    List<String> labels = new ArrayList<>();
    while (kind() != TokenKind.RIGHT_PAREN) {
      labels.add(groupingLabel());
      if (kind() == TokenKind.COMMA) {
        take();
      } else if (kind() != TokenKind.RIGHT_PAREN) {
        throw unexpected(" in grouping opts, expected \",\" or \")\"");
      }
    }
    take();
    return labels;
  }

  private String groupingLabel() {
    if (kind().isLabelName()) {
      return take().text();
    }
    if (kind() != TokenKind.STRING) {
      throw unexpected(" in grouping opts, expected label");
    }
    Token token = take();
    String label = unquoted(token);
    if (label.isEmpty()) {
      throw error(token.source(), "invalid label name for grouping: \"\"");
    }
    return label;
  }

  private String unquoted(Token token) {
    try {
      return Quoting.unquoted(token.text());
    } catch (CharacterCodingException e) {
      throw error(
          token.source(),
          "the escapes of string %s encode bytes that are not UTF-8"
              .formatted(Quoting.quoted(token.text())));
    }
  }

  /** Parses an operand of signs and operators, with its modifiers. */
  private Expr operand() {
    height = 1;
    Expr expr =
        switch (kind()) {
          case NUMBER, DURATION -> number();
          case STRING -> {
            Token token = take();
            yield new StringLiteral(unquoted(token), token.source());
          }
          case LEFT_PAREN -> parenthesised();
          case LEFT_BRACE -> selector(peek(), "");
          default -> {
            if (!kind().isMetricName()) {
              throw unexpected();
            }
            yield named(take());
          }
        };
    while (true) {
      switch (kind()) {
        case OFFSET -> expr = offset(expr);
        case AT -> expr = at(expr);
        case LEFT_BRACKET -> expr = bracket(expr);
        default -> {
          return expr;
        }
      }
    }
  }

  private NumberLiteral number() {
    Token token = take();
    try {
      return token.kind() == TokenKind.NUMBER
          ? new NumberLiteral(Numbers.parse(token.text()), false, token.source())
          : new NumberLiteral(Durations.seconds(token.text()), true, token.source());
    } catch (NumberFormatException e) {
      throw error(token.source(), "error parsing number: " + e.getMessage());
    } catch (IllegalArgumentException e) {
      throw error(token.source(), String.valueOf(e.getMessage()));
    }
  }

  private Paren parenthesised() {
    Token open = take();
    Expr expr = expression(0);
    if (kind() != TokenKind.RIGHT_PAREN) {
      throw unexpected();
    }
    take();
    nest(height);
    return new Paren(expr, from(open));
  }

  /** Parses an expression that starts with a word: an aggregation, a call, or a selector. */
  private Expr named(Token name) {
    AggregateOperator operator = name.kind().aggregate();
    boolean arguments = kind() == TokenKind.LEFT_PAREN;
    if (operator != null && (arguments || isGrouping())) {
      return aggregate(name, operator);
    }
    return arguments && name.kind() == TokenKind.IDENTIFIER
        ? call(name)
        : selector(name, name.text());
  }

  private boolean isGrouping() {
    return kind() == TokenKind.BY || kind() == TokenKind.WITHOUT;
  }

  private Aggregate aggregate(Token name, AggregateOperator operator) {
    aggregations++;
    List<String> labels = List.of();
    boolean without = false;
    boolean before = isGrouping();
    if (before) {
      without = take().kind() == TokenKind.WITHOUT;
      labels = groupingLabels();
    }
    List<Expr> arguments = arguments();
    if (!before && isGrouping()) {
      without = take().kind() == TokenKind.WITHOUT;
      labels = groupingLabels();
    }
    aggregations--;
    checkArguments(name.source(), operator, arguments.size());
    Expr parameter = operator.hasParameter() ? arguments.getFirst() : null;
    return new Aggregate(operator, parameter, arguments.getLast(), labels, without, from(name));
  }

  private void checkArguments(SourceRange source, AggregateOperator operator, int given) {
    if (given == 0) {
      throw error(source, "no arguments for aggregate expression provided");
    }
    if (operator.isExperimental()) {
      throw error(source, operator.text() + "() is experimental and not supported");
    }
    int needed = operator.hasParameter() ? 2 : 1;
    if (given != needed) {
      throw error(
          source,
          "wrong number of arguments for aggregate expression provided, expected %d, got %d"
              .formatted(needed, given));
    }
  }

  private Call call(Token name) {
    List<Expr> arguments = arguments();
    Function function = Function.of(name.text());
    if (function == null) {
      String quoted = Quoting.quoted(name.text());
      throw error(
          name.source(),
          Function.isExperimental(name.text())
              ? "function %s is experimental and not supported".formatted(quoted)
              : "unknown function with name " + quoted);
    }
    return new Call(function, arguments, from(name));
  }

  private List<Expr> arguments() {
    if (kind() != TokenKind.LEFT_PAREN) {
      throw unexpected();
    }
    take();
    List<Expr> list = new ArrayList<>();
    int highest = 0;
    while (!list.isEmpty() || kind() != TokenKind.RIGHT_PAREN) {
      list.add(expression(0));
      highest = Math.max(highest, height);
      if (kind() == TokenKind.RIGHT_PAREN) {
        break;
      }
      if (kind() != TokenKind.COMMA) {
        throw unexpected();
      }
      Token comma = take();
      if (!kind().beginsExpression()) {
        throw error(comma.source(), "trailing commas not allowed in function call args");
      }
    }
    take();
    nest(highest);
    return list;
  }

  private VectorSelector selector(Token first, String metric) {
    List<LabelMatcher> matchers = new ArrayList<>();
    if (kind() == TokenKind.LEFT_BRACE) {
      take();
      matchers(matchers);
    }
    if (!metric.isEmpty()) {
      matchers.add(LabelMatcher.metric(metric));
    }
    return new VectorSelector(metric, matchers, Modifiers.NONE, from(first));
  }

  /** Parses matchers after the opening brace, and the closing brace. */
  private void matchers(List<LabelMatcher> matchers) {
    while (kind() != TokenKind.RIGHT_BRACE) {
      matchers.add(matcher());
      if (kind() == TokenKind.COMMA) {
        take();
      } else if (kind() != TokenKind.RIGHT_BRACE) {
        throw unexpected(" in label matching, expected \",\" or \"}\"");
      }
    }
    take();
  }

  private LabelMatcher matcher() {
    if (kind() != TokenKind.IDENTIFIER && kind() != TokenKind.STRING) {
      throw unexpected(" in label matching, expected identifier or \"}\"");
    }
    Token token = take();
    boolean quoted = token.kind() == TokenKind.STRING;
    String label = quoted ? unquoted(token) : token.text();
    Operator operator = operator(kind());
    if (operator == null) {
      if (quoted) {
        return LabelMatcher.metric(label);
      }
      throw unexpected(" in label matching, expected label matching operator");
    }
    take();
    if (kind() != TokenKind.STRING) {
      throw unexpected(" in label matching, expected string");
    }
    String value = unquoted(take());
    if (operator == Operator.MATCH || operator == Operator.NO_MATCH) {
      patterns.add(value, token.source());
    }
    return new LabelMatcher(label, operator, value);
  }

  private static @Nullable Operator operator(TokenKind kind) {
    return switch (kind) {
      case EQUAL -> Operator.EQUAL;
      case NOT_EQUAL -> Operator.NOT_EQUAL;
      case MATCH -> Operator.MATCH;
      case NO_MATCH -> Operator.NO_MATCH;
      default -> null;
    };
  }

  private Expr offset(Expr expr) {
    take();
    Duration offset = Durations.of(offsetLength().value());
    Modifiers before = modifiers(expr, "offset");
    if (!before.offset().isZero()) {
      throw error(expr.source(), "offset may not be set multiple times");
    }
    return with(expr, new Modifiers(offset, before.at()));
  }

  /**
   * Parses an offset. A number with at most one sign ends it: {@code x offset -2^2} is a power of
   * x.
   */
  private NumberLiteral offsetLength() {
    String expected = " in offset, expected number or duration";
    Token sign = isSign(kind()) ? take() : null;
    if (isNumber(kind())) {
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

  private Expr at(Expr expr) {
    take();
    boolean edge = kind() == TokenKind.START || kind() == TokenKind.LAST;
    At at = edge ? edge() : time(expr);
    Modifiers before = modifiers(expr, "@");
    if (before.at() != null) {
      throw error(expr.source(), "@ <timestamp> may not be set multiple times");
    }
    return with(expr, new Modifiers(before.offset(), at));
  }

  private At edge() {
    At edge = take().kind() == TokenKind.START ? At.Edge.START : At.Edge.END;
    requireOfAt(kind() == TokenKind.LEFT_PAREN);
    take();
    requireOfAt(kind() == TokenKind.RIGHT_PAREN);
    take();
    return edge;
  }

  private At time(Expr expr) {
    Token sign = isSign(kind()) ? take() : null;
    requireOfAt(isNumber(kind()));
    double seconds = sign == null ? number().value() : signed(sign, number()).value();
    if (!(Math.abs(seconds) < 0x1p63)) {
      throw error(
          expr.source(), "timestamp out of bounds for @ modifier: " + GoNumber.fixed(seconds, 6));
    }
    double millis = Math.abs(seconds) * 1000;
    return new At.Time(Math.round(Math.copySign(Math.floor(millis + 0.5), seconds)));
  }

  private void requireOfAt(boolean right) {
    if (!right) {
      throw unexpected(" in @, expected timestamp");
    }
  }

  private Modifiers modifiers(Expr expr, String modifier) {
    return switch (expr) {
      case VectorSelector selector -> selector.modifiers();
      case MatrixSelector matrix -> matrix.selector().modifiers();
      case Subquery subquery -> subquery.modifiers();
      default ->
          throw error(
              expr.source(),
              modifier
                  + " modifier must be preceded by an instant vector selector or range vector"
                  + " selector or a subquery");
    };
  }

  /** Returns an expression with other modifiers, extended to the last token taken. */
  private Expr with(Expr expr, Modifiers modifiers) {
    SourceRange source = new SourceRange(expr.source().start(), end);
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
      default -> expr;
    };
  }

  /** Parses a range or a subquery. */
  private Expr bracket(Expr expr) {
    Token open = take();
    Duration range = positive(duration(0, " in subquery selector, expected number or duration"));
    if (kind() == TokenKind.RIGHT_BRACKET) {
      take();
      return matrix(expr, open, range);
    }
    if (kind() != TokenKind.COLON) {
      throw unexpected(" in subquery or range, expected \":\" or \"]\"");
    }
    take();
    Duration step = null;
    if (kind() != TokenKind.RIGHT_BRACKET) {
      String expected = " in subquery selector, expected number or duration or \"]\"";
      step = positive(duration(0, expected));
      if (kind() != TokenKind.RIGHT_BRACKET) {
        throw unexpected(" in subquery selector, expected \"]\"");
      }
    }
    take();
    nest(height);
    SourceRange source = new SourceRange(expr.source().start(), end);
    return new Subquery(expr, range, step, Modifiers.NONE, source);
  }

  private MatrixSelector matrix(Expr expr, Token open, Duration range) {
    if (!(expr instanceof VectorSelector selector)) {
      throw error(open.source(), "ranges only allowed for vector selectors");
    }
    if (!selector.modifiers().offset().isZero()) {
      throw error(open.source(), "no offset modifiers allowed before range");
    }
    if (selector.modifiers().at() instanceof At.Time) {
      throw error(open.source(), "no @ modifiers allowed before range");
    }
    nest(height);
    return new MatrixSelector(selector, range, new SourceRange(selector.source().start(), end));
  }

  private Duration positive(NumberLiteral length) {
    if (!(length.value() > 0)) {
      throw error(length.source(), "duration must be greater than 0");
    }
    return Durations.of(length.value());
  }

  /**
   * Parses a duration. Calculations with durations, which Prometheus supports only with a feature
   * flag, are parsed to their end, then rejected.
   */
  private NumberLiteral duration(int precedence, String expected) {
    depth++;
    checkDepth(depth);
    NumberLiteral length = calculated(durationOperand(expected), precedence, expected);
    depth--;
    return length;
  }

  private NumberLiteral calculated(NumberLiteral left, int precedence, String expected) {
    BinaryOperator operator =
        switch (kind()) {
          case ADD, SUBTRACT, MULTIPLY, DIVIDE, MODULO, POWER -> kind().binary();
          default -> null;
        };
    if (operator == null || operator.precedence() < precedence) {
      return left;
    }
    take();
    duration(operator.rightPrecedence(), expected);
    throw calculates(left);
  }

  private PromQlException calculates(NumberLiteral length) {
    return error(length.source(), "duration expressions are experimental and not supported");
  }

  private NumberLiteral durationOperand(String expected) {
    if (isNumber(kind())) {
      NumberLiteral length = number();
      return ranged(length, length.source());
    }
    if (isSign(kind())) {
      Token sign = take();
      NumberLiteral length = duration(BinaryOperator.SIGN_PRECEDENCE + 1, expected);
      return signed(sign, length);
    }
    if (kind() != TokenKind.LEFT_PAREN) {
      throw unexpected(expected);
    }
    take();
    NumberLiteral inner = duration(0, expected);
    if (kind() != TokenKind.RIGHT_PAREN) {
      throw unexpected(expected);
    }
    throw calculates(inner);
  }

  private NumberLiteral ranged(NumberLiteral length, SourceRange source) {
    if (!Durations.inRange(length.value())) {
      throw error(source, "duration out of range");
    }
    return length;
  }

  private static boolean isNumber(TokenKind kind) {
    return kind == TokenKind.NUMBER || kind == TokenKind.DURATION;
  }
}
