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
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Generates well-typed queries that use every function and operator, as the parser would return
 * them: with parentheses where precedence requires them, sorted matchers, and signs in numbers.
 */
public final class QueryGenerator {
  /** The others are supported by Prometheus only with a feature flag. */
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

  /** More steps would only take longer. */
  private static final int SUBQUERY_STEPS_MAX = 50;

  private static final List<Long> UNITS =
      List.of(1L, 100L, 1_000L, 7_000L, 15_000L, 60_000L, 3_600_000L, 86_400_000L);

  private static final SourceRange NOWHERE = new SourceRange(0, 0);

  /**
   * A label that queries use.
   *
   * @param values values for matchers
   * @param patterns patterns for matchers; the first does not match the empty text
   */
  public record Label(String name, List<String> values, List<String> patterns) {
    public Label {
      values = List.copyOf(values);
      patterns = List.copyOf(patterns);
    }
  }

  /**
   * The names and ranges that queries use.
   *
   * @param buckets metrics of classic histograms, as input of histogram functions
   * @param texts texts for functions, and names of labels that they create
   * @param shortestMillis the shortest range, step and offset
   * @param spanMillis the longest range, step and offset
   * @param startMillis the first time after {@code @}
   * @param endMillis the last time after {@code @}
   */
  public record Vocabulary(
      List<String> metrics,
      List<String> buckets,
      List<Label> labels,
      List<String> texts,
      long shortestMillis,
      long spanMillis,
      long startMillis,
      long endMillis) {
    public Vocabulary {
      metrics = List.copyOf(metrics);
      buckets = List.copyOf(buckets);
      labels = List.copyOf(labels);
      texts = List.copyOf(texts);
    }
  }

  /** Parameters that are valid for more operators than arbitrary numbers. */
  private static final List<Double> SMALL = List.of(0.0, 0.1, 0.5, 0.9, 1.0, 2.0, 3.0, 5.0);

  private final RandomGenerator random;
  private final Vocabulary vocabulary;

  public QueryGenerator(RandomGenerator random, Vocabulary vocabulary) {
    this.random = random;
    this.vocabulary = vocabulary;
  }

  /**
   * Generates a query.
   *
   * @param depth maximum nesting of its expressions
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
      case STRING -> new StringLiteral(any(vocabulary.texts()), NOWHERE);
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
    return switch (depth <= 0 ? 0 : random.nextInt(14)) {
      case 0, 1 -> selector();
      case 2, 3, 4 -> call(ValueType.VECTOR, depth);
      case 5, 6, 7 -> aggregate(depth);
      case 8 -> new Paren(vector(depth - 1), NOWHERE);
      case 9 -> unary(vector(depth - 1));
      case 10, 11 -> matched(depth);
      default ->
          switch (random.nextInt(4)) {
            case 0 -> binary(vector(depth - 1), scalar(depth - 1));
            case 1 -> binary(scalar(depth - 1), vector(depth - 1));
            default -> binary(vector(depth - 1), vector(depth - 1));
          };
    };
  }

  /** Generates an operator between two vectors whose elements match one to one or one to many. */
  private Binary matched(int depth) {
    List<String> labels = labels();
    Expr one = grouped(vector(depth - 1), labels);
    Expr other = vector(depth - 1);
    BinaryOperator operator = any(List.of(BinaryOperator.values()));
    boolean bool = operator.isComparison() && random.nextBoolean();
    if (operator.isSet() || random.nextInt(3) == 0) {
      Expr same = grouped(other, labels);
      Cardinality cardinality =
          operator.isSet() ? Cardinality.MANY_TO_MANY : Cardinality.ONE_TO_ONE;
      return binary(
          operator, one, same, bool, new VectorMatching(cardinality, List.of(), false, List.of()));
    }
    boolean left = random.nextBoolean();
    VectorMatching matching =
        new VectorMatching(
            left ? Cardinality.MANY_TO_ONE : Cardinality.ONE_TO_MANY,
            labels,
            true,
            labels().stream().filter(label -> !labels.contains(label)).toList());
    return binary(operator, left ? other : one, left ? one : other, bool, matching);
  }

  private Aggregate grouped(Expr expr, List<String> labels) {
    AggregateOperator operator =
        any(AGGREGATES.stream().filter(known -> !known.hasParameter()).toList());
    return new Aggregate(operator, null, expr, labels, false, NOWHERE);
  }

  private Expr matrix(int depth) {
    if (depth <= 0 || random.nextInt(3) > 0) {
      VectorSelector selector = selector();
      return new MatrixSelector(selector, length(), NOWHERE);
    }
    Duration range = length();
    Duration step = random.nextBoolean() ? length() : null;
    if (step != null && range.dividedBy(step) > SUBQUERY_STEPS_MAX) {
      step = range.dividedBy(SUBQUERY_STEPS_MAX).truncatedTo(ChronoUnit.MILLIS);
    }
    Expr inner = wrapped(vector(depth - 1), Integer.MAX_VALUE);
    return new Subquery(inner, range, step, modifiers(), NOWHERE);
  }

  private NumberLiteral number() {
    return switch (random.nextInt(6)) {
      case 0 -> new NumberLiteral(any(NUMBERS), false, NOWHERE);
      case 4, 5 -> new NumberLiteral(any(SMALL), false, NOWHERE);
      case 1 -> new NumberLiteral(random.nextInt(-100, 100), false, NOWHERE);
      case 2 -> new NumberLiteral(random.nextGaussian() * 1e3, false, NOWHERE);
      default -> {
        double seconds = length().toMillis() / 1e3;
        yield new NumberLiteral(random.nextBoolean() ? seconds : -seconds, true, NOWHERE);
      }
    };
  }

  private VectorSelector selector() {
    return random.nextInt(6) > 0 ? selector(any(vocabulary.metrics())) : selector("");
  }

  /** Generates a selector of a metric, or of any metric if the name is empty. */
  private VectorSelector selector(String metric) {
    List<LabelMatcher> matchers = new ArrayList<>();
    if (metric.isEmpty()) {
      Label label = any(vocabulary.labels());
      matchers.add(
          switch (random.nextInt(3)) {
            case 0 -> LabelMatcher.metric(any(vocabulary.metrics()));
            case 1 -> new LabelMatcher(label.name(), Operator.NOT_EQUAL, "");
            default -> new LabelMatcher(label.name(), Operator.MATCH, label.patterns().getFirst());
          });
    }
    for (int i = Math.max(0, random.nextInt(6) - 3); i > 0; i--) {
      Label label = any(vocabulary.labels());
      Operator operator = any(List.of(Operator.values()));
      boolean text = operator == Operator.EQUAL || operator == Operator.NOT_EQUAL;
      matchers.add(
          new LabelMatcher(label.name(), operator, any(text ? label.values() : label.patterns())));
    }
    matchers.sort(Comparator.comparing(QueryGenerator::printed));
    if (!metric.isEmpty()) {
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
    List<Long> units =
        UNITS.stream()
            .filter(unit -> unit >= vocabulary.shortestMillis() && unit <= vocabulary.spanMillis())
            .toList();
    long unit = any(units);
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
      arguments.add(argument(function, i, types.get(Math.min(i, types.size() - 1)), depth - 1));
    }
    return new Call(function, arguments, NOWHERE);
  }

  /** Generates an argument for which the function is likely to have a result. */
  private Expr argument(Function function, int index, ValueType type, int depth) {
    String name = function.text();
    if (type == ValueType.VECTOR && name.startsWith("histogram_") && random.nextInt(4) > 0) {
      VectorSelector buckets = selector(any(vocabulary.buckets()));
      return random.nextBoolean()
          ? buckets
          : new Call(
              any(
                  Function.all().stream()
                      .filter(known -> List.of("rate", "increase").contains(known.text()))
                      .toList()),
              List.of(new MatrixSelector(buckets, length(), NOWHERE)),
              NOWHERE);
    }
    if (name.equals("label_replace") && index >= 3) {
      Label label = any(vocabulary.labels());
      String text = index == 3 ? label.name() : any(label.patterns());
      return new StringLiteral(text, NOWHERE);
    }
    if (name.equals("label_join") && index >= 3) {
      return new StringLiteral(any(vocabulary.labels()).name(), NOWHERE);
    }
    return of(type, depth);
  }

  private Aggregate aggregate(int depth) {
    AggregateOperator operator = any(AGGREGATES);
    Expr parameter = operator.hasParameter() ? parameter(operator.parameterType(), depth) : null;
    return new Aggregate(
        operator, parameter, vector(depth - 1), labels(), random.nextBoolean(), NOWHERE);
  }

  private Expr parameter(ValueType type, int depth) {
    return type == ValueType.SCALAR && random.nextInt(4) > 0
        ? new NumberLiteral(any(SMALL), false, NOWHERE)
        : of(type, depth - 1);
  }

  private List<String> labels() {
    int share = random.nextInt(4);
    return vocabulary.labels().stream()
        .map(Label::name)
        .filter(label -> random.nextInt(4) < share)
        .toList();
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
    return binary(operator, left, right, bool, vectors ? matching(operator) : null);
  }

  private static Binary binary(
      BinaryOperator operator,
      Expr left,
      Expr right,
      boolean bool,
      @Nullable VectorMatching matching) {
    // Consecutive operators are left-associative, except for the power.
    int before =
        operator == BinaryOperator.POWER ? operator.precedence() + 1 : operator.precedence();
    return Binary.of(
        operator,
        wrapped(left, before),
        right instanceof Unary || isSigned(right)
            ? right
            : wrapped(right, operator.rightPrecedence()),
        bool,
        matching,
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

  /** Adds parentheses if the precedence of an expression is too low. */
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
