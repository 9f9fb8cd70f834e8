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
import dev.varve.query.promql.VectorMatching.Cardinality;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Builds the tree of a query from its tokens, by precedence climbing.
 *
 * <p>The grammar is that of Prometheus. So are the positions and texts of errors: an unexpected
 * token is reported with the innermost open context, which is one of {@code aggregation}, {@code
 * grouping opts}, {@code label matching}, {@code offset}, {@code @} and the two kinds of brackets.
 */
final class Parser {
  private final TokenReader tokens;
  private final Nesting nesting;
  private final LabelParser lists;
  private final NumberParser numbers;
  private final ModifierParser modifiers;

  /** Number of aggregations around the current expression. */
  private int aggregations;

  Parser(byte[] query, Patterns patterns) {
    tokens = new TokenReader(query);
    nesting = new Nesting(tokens);
    lists = new LabelParser(tokens, patterns);
    numbers = new NumberParser(tokens, nesting);
    modifiers = new ModifierParser(tokens, numbers);
  }

  /** Parses the query; the tree is not yet type-checked. */
  Expr parse() {
    if (tokens.kind() == TokenKind.END) {
      throw tokens.error(new SourceRange(0, 0), "no expression found in input");
    }
    Expr expr = expression(0);
    if (tokens.kind() != TokenKind.END) {
      throw unexpected();
    }
    return expr;
  }

  private PromQlException unexpected() {
    return tokens.unexpected(aggregations > 0 ? " in aggregation" : "");
  }

  /** Parses an expression whose operators all have at least the given precedence. */
  private Expr expression(int precedence) {
    nesting.enter();
    Expr left = tokens.kind().isSign() ? signed() : operand();
    for (BinaryOperator operator = tokens.kind().binary();
        operator != null && operator.precedence() >= precedence;
        operator = tokens.kind().binary()) {
      int leftHeight = nesting.height();
      left = binary(left, operator);
      nesting.around(Math.max(leftHeight, nesting.height()));
    }
    nesting.leave();
    return left;
  }

  private Expr signed() {
    Token sign = tokens.take();
    Expr expr = expression(BinaryOperator.SIGN_PRECEDENCE + 1);
    if (expr instanceof NumberLiteral number) {
      return numbers.signed(sign, number);
    }
    nesting.around();
    return new Unary(sign.kind() == TokenKind.SUBTRACT, expr, tokens.from(sign.source()));
  }

  private Binary binary(Expr left, BinaryOperator operator) {
    SourceRange source = tokens.take().source();
    boolean bool = tokens.kind() == TokenKind.BOOL;
    if (bool) {
      tokens.take();
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
    boolean on = tokens.kind() == TokenKind.ON;
    if (!on && tokens.kind() != TokenKind.IGNORING) {
      return new VectorMatching(Cardinality.ONE_TO_ONE, List.of(), false, List.of());
    }
    tokens.take();
    List<String> labels = lists.grouping();
    Cardinality cardinality =
        switch (tokens.kind()) {
          case GROUP_LEFT -> Cardinality.MANY_TO_ONE;
          case GROUP_RIGHT -> Cardinality.ONE_TO_MANY;
          default -> Cardinality.ONE_TO_ONE;
        };
    List<String> include = List.of();
    if (cardinality != Cardinality.ONE_TO_ONE) {
      tokens.take();
      if (!tokens.kind().beginsExpression() || tokens.kind() == TokenKind.LEFT_PAREN) {
        include = lists.grouping();
      }
    }
    return new VectorMatching(cardinality, labels, on, include);
  }

  /** Parses an operand of signs and operators, with its modifiers. */
  private Expr operand() {
    nesting.leaf();
    Expr expr =
        switch (tokens.kind()) {
          case NUMBER, DURATION -> numbers.number();
          case STRING -> {
            Token token = tokens.take();
            yield new StringLiteral(tokens.unquoted(token), token.source());
          }
          case LEFT_PAREN -> parenthesised();
          case LEFT_BRACE -> selector(tokens.peek(), "");
          default -> {
            if (!tokens.kind().isMetricName()) {
              throw unexpected();
            }
            yield named(tokens.take());
          }
        };
    while (true) {
      switch (tokens.kind()) {
        case OFFSET -> expr = modifiers.offset(expr);
        case AT -> expr = modifiers.at(expr);
        case LEFT_BRACKET -> expr = bracket(expr);
        default -> {
          return expr;
        }
      }
    }
  }

  private Paren parenthesised() {
    Token open = tokens.take();
    Expr expr = expression(0);
    if (tokens.kind() != TokenKind.RIGHT_PAREN) {
      throw unexpected();
    }
    tokens.take();
    nesting.around();
    return new Paren(expr, tokens.from(open.source()));
  }

  /** Parses an expression that starts with a word: an aggregation, a call, or a selector. */
  private Expr named(Token name) {
    AggregateOperator operator = name.kind().aggregate();
    boolean arguments = tokens.kind() == TokenKind.LEFT_PAREN;
    if (operator != null && (arguments || isGrouping())) {
      return aggregate(name, operator);
    }
    return arguments && name.kind() == TokenKind.IDENTIFIER
        ? call(name)
        : selector(name, name.text());
  }

  private boolean isGrouping() {
    return tokens.kind() == TokenKind.BY || tokens.kind() == TokenKind.WITHOUT;
  }

  private Aggregate aggregate(Token name, AggregateOperator operator) {
    aggregations++;
    List<String> labels = List.of();
    boolean without = false;
    boolean before = isGrouping();
    if (before) {
      without = tokens.take().kind() == TokenKind.WITHOUT;
      labels = lists.grouping();
    }
    List<Expr> arguments = arguments();
    if (!before && isGrouping()) {
      without = tokens.take().kind() == TokenKind.WITHOUT;
      labels = lists.grouping();
    }
    aggregations--;
    checkArguments(name.source(), operator, arguments.size());
    Expr parameter = operator.hasParameter() ? arguments.getFirst() : null;
    return new Aggregate(
        operator, parameter, arguments.getLast(), labels, without, tokens.from(name.source()));
  }

  private void checkArguments(SourceRange source, AggregateOperator operator, int given) {
    if (given == 0) {
      throw tokens.error(source, "no arguments for aggregate expression provided");
    }
    if (operator.isExperimental()) {
      throw tokens.error(source, operator.text() + "() is experimental and not supported");
    }
    int needed = operator.hasParameter() ? 2 : 1;
    if (given != needed) {
      throw tokens.error(
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
      throw tokens.error(
          name.source(),
          Function.isExperimental(name.text())
              ? "function %s is experimental and not supported".formatted(quoted)
              : "unknown function with name " + quoted);
    }
    return new Call(function, arguments, tokens.from(name.source()));
  }

  private List<Expr> arguments() {
    if (tokens.kind() != TokenKind.LEFT_PAREN) {
      throw unexpected();
    }
    tokens.take();
    List<Expr> list = new ArrayList<>();
    int highest = 0;
    while (!list.isEmpty() || tokens.kind() != TokenKind.RIGHT_PAREN) {
      list.add(expression(0));
      highest = Math.max(highest, nesting.height());
      if (tokens.kind() == TokenKind.RIGHT_PAREN) {
        break;
      }
      if (tokens.kind() != TokenKind.COMMA) {
        throw unexpected();
      }
      Token comma = tokens.take();
      if (!tokens.kind().beginsExpression()) {
        throw tokens.error(comma.source(), "trailing commas not allowed in function call args");
      }
    }
    tokens.take();
    nesting.around(highest);
    return list;
  }

  private VectorSelector selector(Token first, String metric) {
    List<LabelMatcher> matchers = new ArrayList<>();
    if (tokens.kind() == TokenKind.LEFT_BRACE) {
      tokens.take();
      lists.matchers(matchers);
    }
    if (!metric.isEmpty()) {
      matchers.add(LabelMatcher.metric(metric));
    }
    return new VectorSelector(metric, matchers, Modifiers.NONE, tokens.from(first.source()));
  }

  /** Parses a range or a subquery. */
  private Expr bracket(Expr expr) {
    Token open = tokens.take();
    Duration range = numbers.length(" in subquery selector, expected number or duration");
    if (tokens.kind() == TokenKind.RIGHT_BRACKET) {
      tokens.take();
      return matrix(expr, open, range);
    }
    if (tokens.kind() != TokenKind.COLON) {
      throw tokens.unexpected(" in subquery or range, expected \":\" or \"]\"");
    }
    tokens.take();
    Duration step = null;
    if (tokens.kind() != TokenKind.RIGHT_BRACKET) {
      String expected = " in subquery selector, expected number or duration or \"]\"";
      step = numbers.length(expected);
      if (tokens.kind() != TokenKind.RIGHT_BRACKET) {
        throw tokens.unexpected(" in subquery selector, expected \"]\"");
      }
    }
    tokens.take();
    nesting.around();
    return new Subquery(expr, range, step, Modifiers.NONE, tokens.from(expr.source()));
  }

  private MatrixSelector matrix(Expr expr, Token open, Duration range) {
    if (!(expr instanceof VectorSelector selector)) {
      throw tokens.error(open.source(), "ranges only allowed for vector selectors");
    }
    if (!selector.modifiers().offset().isZero()) {
      throw tokens.error(open.source(), "no offset modifiers allowed before range");
    }
    if (selector.modifiers().at() instanceof At.Time) {
      throw tokens.error(open.source(), "no @ modifiers allowed before range");
    }
    nesting.around();
    return new MatrixSelector(selector, range, tokens.from(selector.source()));
  }
}
