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
import dev.varve.query.promql.LabelMatcher.Operator;
import dev.varve.query.promql.VectorMatching.Cardinality;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Makes well-typed queries in which every function and operator occurs, as the parser would give
 * them: with parentheses where precedence needs them, matchers sorted, and signs in numbers.
 */
public final class QueryGenerator {
  /** Prometheus knows them only behind a feature flag. */
  private static final List<AggregateOperator> AGGREGATES =
      List.of(AggregateOperator.values()).stream()
          .filter(operator -> !operator.isExperimental())
          .toList();

  private static final List<Double> NUMBERS =
      List.of(
          0.0,
          -0.0,
          1.0,
          -1.0,
          0.5,
          2.0,
          1e-10,
          1e21,
          -1e300,
          Double.MIN_VALUE,
          Double.MAX_VALUE,
          Double.NaN,
          Double.POSITIVE_INFINITY,
          Double.NEGATIVE_INFINITY);

  private static final SourceRange NOWHERE = new SourceRange(0, 0);

  /**
   * What queries speak of.
   *
   * @param labels that matchers and groupings name
   * @param values of labels, and other texts
   * @param patterns for values; the first fits no empty text
   * @param spanMillis the longest range, step and offset
   * @param startMillis the first time after {@code @}
   * @param endMillis the last
   */
  public record Vocabulary(
      List<String> metrics,
      List<String> labels,
      List<String> values,
      List<String> patterns,
      long spanMillis,
      long startMillis,
      long endMillis) {
    public Vocabulary {
      metrics = List.copyOf(metrics);
      labels = List.copyOf(labels);
      values = List.copyOf(values);
      patterns = List.copyOf(patterns);
    }
  }

  private final RandomGenerator random;
  private final Vocabulary vocabulary;

  public QueryGenerator(RandomGenerator random, Vocabulary vocabulary) {
    this.random = random;
    this.vocabulary = vocabulary;
  }

  /**
   * A query.
   *
   * @param depth how deep expressions may stand in it
   */
  public Expr next(int depth) {
    return switch (random.nextInt(10)) {
      case 0 -> scalar(depth);
      case 1 -> matrix(depth);
      default -> vector(depth);
    };
  }

  private Expr of(ValueType type, int depth) {
    return switch (type) {
      case SCALAR -> scalar(depth);
      case VECTOR -> vector(depth);
      case MATRIX -> matrix(depth);
      case STRING -> new StringLiteral(any(vocabulary.values()), NOWHERE);
    };
  }

  private Expr scalar(int depth) {
    return switch (depth <= 0 ? 0 : random.nextInt(6)) {
      case 0, 1 -> number();
      case 2 -> call(ValueType.SCALAR, depth);
      case 3 -> new Paren(scalar(depth - 1), NOWHERE);
      case 4 -> unary(scalar(depth - 1));
      default -> binary(scalar(depth - 1), scalar(depth - 1));
    };
  }

  private Expr vector(int depth) {
    return switch (depth <= 0 ? 0 : random.nextInt(10)) {
      case 0, 1 -> selector();
      case 2, 3 -> call(ValueType.VECTOR, depth);
      case 4, 5 -> aggregate(depth);
      case 6 -> new Paren(vector(depth - 1), NOWHERE);
      case 7 -> unary(vector(depth - 1));
      default ->
          switch (random.nextInt(4)) {
            case 0 -> binary(vector(depth - 1), scalar(depth - 1));
            case 1 -> binary(scalar(depth - 1), vector(depth - 1));
            default -> binary(vector(depth - 1), vector(depth - 1));
          };
    };
  }

  private Expr matrix(int depth) {
    if (depth <= 0 || random.nextInt(3) > 0) {
      VectorSelector selector = selector();
      return new MatrixSelector(selector, length(), NOWHERE);
    }
    Duration step = random.nextBoolean() ? length() : null;
    Expr inner = wrapped(vector(depth - 1), Integer.MAX_VALUE);
    return new Subquery(inner, length(), step, modifiers(), NOWHERE);
  }

  private NumberLiteral number() {
    return switch (random.nextInt(4)) {
      case 0 -> new NumberLiteral(any(NUMBERS), false, NOWHERE);
      case 1 -> new NumberLiteral(random.nextInt(-100, 100), false, NOWHERE);
      case 2 -> new NumberLiteral(random.nextGaussian() * 1e3, false, NOWHERE);
      default -> {
        double seconds = length().toMillis() / 1e3;
        yield new NumberLiteral(random.nextBoolean() ? seconds : -seconds, true, NOWHERE);
      }
    };
  }

  private VectorSelector selector() {
    List<LabelMatcher> matchers = new ArrayList<>();
    boolean named = random.nextInt(4) > 0;
    if (!named) {
      matchers.add(
          switch (random.nextInt(3)) {
            case 0 -> LabelMatcher.metric(any(vocabulary.metrics()));
            case 1 -> new LabelMatcher(any(vocabulary.labels()), Operator.NOT_EQUAL, "");
            default ->
                new LabelMatcher(
                    any(vocabulary.labels()), Operator.MATCH, vocabulary.patterns().getFirst());
          });
    }
    for (int i = random.nextInt(3); i > 0; i--) {
      Operator operator = any(List.of(Operator.values()));
      boolean text = operator == Operator.EQUAL || operator == Operator.NOT_EQUAL;
      matchers.add(
          new LabelMatcher(
              any(vocabulary.labels()),
              operator,
              any(text ? vocabulary.values() : vocabulary.patterns())));
    }
    matchers.sort(Comparator.comparing(QueryGenerator::printed));
    String metric = named ? any(vocabulary.metrics()) : "";
    if (named) {
      matchers.add(LabelMatcher.metric(metric));
    }
    return new VectorSelector(metric, matchers, modifiers(), NOWHERE);
  }

  private static String printed(LabelMatcher matcher) {
    return Printer.print(new VectorSelector("", List.of(matcher), Modifiers.NONE, NOWHERE));
  }

  private Modifiers modifiers() {
    Duration offset =
        switch (random.nextInt(6)) {
          case 0 -> length();
          case 1 -> length().negated();
          default -> Duration.ZERO;
        };
    At at =
        switch (random.nextInt(12)) {
          case 0 -> At.Edge.START;
          case 1 -> At.Edge.END;
          case 2 ->
              new At.Time(random.nextLong(vocabulary.startMillis(), vocabulary.endMillis() + 1));
          default -> null;
        };
    return new Modifiers(offset, at);
  }

  private Duration length() {
    List<Long> units = List.of(1L, 100L, 1_000L, 15_000L, 60_000L, 3_600_000L, 86_400_000L);
    long unit = any(units.stream().filter(millis -> millis <= vocabulary.spanMillis()).toList());
    return Duration.ofMillis(unit * random.nextLong(1, vocabulary.spanMillis() / unit + 1));
  }

  private Call call(ValueType type, int depth) {
    Function function =
        any(Function.all().stream().filter(known -> known.returnType() == type).toList());
    List<ValueType> types = function.argumentTypes();
    int most = Math.min(function.argumentsMax(), types.size() + 2);
    int count = random.nextInt(function.argumentsMin(), most + 1);
    List<Expr> arguments = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      arguments.add(of(types.get(Math.min(i, types.size() - 1)), depth - 1));
    }
    return new Call(function, arguments, NOWHERE);
  }

  private Aggregate aggregate(int depth) {
    AggregateOperator operator = any(AGGREGATES);
    Expr parameter = operator.hasParameter() ? of(operator.parameterType(), depth - 1) : null;
    return new Aggregate(
        operator, parameter, vector(depth - 1), labels(), random.nextBoolean(), NOWHERE);
  }

  private List<String> labels() {
    int share = random.nextInt(4);
    return vocabulary.labels().stream().filter(label -> random.nextInt(4) < share).toList();
  }

  private Expr unary(Expr expr) {
    boolean sign = expr instanceof Unary;
    return new Unary(
        random.nextBoolean(),
        sign ? expr : wrapped(expr, BinaryOperator.SIGN_PRECEDENCE + 1),
        NOWHERE);
  }

  private Binary binary(Expr left, Expr right) {
    boolean vectors = left.type() == ValueType.VECTOR && right.type() == ValueType.VECTOR;
    boolean scalars = left.type() == ValueType.SCALAR && right.type() == ValueType.SCALAR;
    BinaryOperator operator =
        any(
            List.of(BinaryOperator.values()).stream()
                .filter(known -> vectors || !known.isSet())
                .toList());
    boolean bool = operator.isComparison() && (scalars || random.nextBoolean());
    // Of operators in a row the left binds first, but for the power.
    int before =
        operator == BinaryOperator.POWER ? operator.precedence() + 1 : operator.precedence();
    return Binary.of(
        operator,
        wrapped(left, before),
        right instanceof Unary || isSigned(right)
            ? right
            : wrapped(right, operator.rightPrecedence()),
        bool,
        vectors ? matching(operator) : null,
        NOWHERE);
  }

  private @Nullable VectorMatching matching(BinaryOperator operator) {
    boolean on = random.nextBoolean();
    List<String> labels = random.nextBoolean() ? labels() : List.of();
    if (operator.isSet()) {
      return new VectorMatching(Cardinality.MANY_TO_MANY, labels, on, List.of());
    }
    Cardinality cardinality =
        any(List.of(Cardinality.ONE_TO_ONE, Cardinality.MANY_TO_ONE, Cardinality.ONE_TO_MANY));
    List<String> include =
        cardinality == Cardinality.ONE_TO_ONE
            ? List.of()
            : labels().stream().filter(label -> !on || !labels.contains(label)).toList();
    return new VectorMatching(cardinality, labels, on, include);
  }

  /** In parentheses unless it binds at least so closely. */
  private static Expr wrapped(Expr expr, int precedence) {
    int own =
        switch (expr) {
          case Binary binary -> binary.operator().precedence();
          case Unary unary -> BinaryOperator.SIGN_PRECEDENCE;
          case NumberLiteral number ->
              isSigned(number) ? BinaryOperator.SIGN_PRECEDENCE : Integer.MAX_VALUE;
          default -> Integer.MAX_VALUE;
        };
    boolean number = expr instanceof NumberLiteral && precedence > BinaryOperator.SIGN_PRECEDENCE;
    return own < precedence || number ? new Paren(expr, NOWHERE) : expr;
  }

  private static boolean isSigned(Expr expr) {
    return expr instanceof NumberLiteral && "+-".indexOf(Printer.print(expr).charAt(0)) >= 0;
  }

  private <T> T any(List<T> list) {
    return list.get(random.nextInt(list.size()));
  }
}
