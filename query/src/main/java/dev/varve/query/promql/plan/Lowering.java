package dev.varve.query.promql.plan;

import dev.varve.engine.error.QueryRefusedException;
import dev.varve.query.promql.AggregateOperator;
import dev.varve.query.promql.At;
import dev.varve.query.promql.Expr;
import dev.varve.query.promql.Function;
import dev.varve.query.promql.LabelMatcher;
import dev.varve.query.promql.Modifiers;
import dev.varve.query.promql.ValueType;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Converts an expression to a plan, in which times replace brackets, offsets and {@code @}.
 * Constant expressions are computed, and expressions that are the same at every step are planned
 * for one step.
 *
 * @param queryStart value of {@code start()}, in ms since 1970
 * @param queryEnd value of {@code end()}, in ms since 1970; may be after the last step
 * @param lookback maximum age of a sample of an instant vector, in ms
 * @param subqueryStep the step of subqueries without their own, in ms
 */
public record Lowering(long queryStart, long queryEnd, long lookback, long subqueryStep) {
  /**
   * Limit of the times of {@code @} modifiers, in ms before or after 1970. No sample is further
   * away, and sums of such times fit into 64 bits.
   */
  private static final long FAR = 1L << 60;

  private static final long STEPS_MAX = 1 << 28;

  /** Makes equivalent selectors equal. */
  private static final Comparator<LabelMatcher> ORDER =
      Comparator.comparing(LabelMatcher::name)
          .thenComparing(LabelMatcher::operator)
          .thenComparing(LabelMatcher::value);

  /**
   * Returns the plan of an expression that is not a text.
   *
   * @throws QueryRefusedException if a subquery has too many steps
   */
  public StepPlan plan(Expr expr, StepTimes steps) {
    return switch (expr.type()) {
      case SCALAR -> number(expr, steps);
      case VECTOR -> vector(expr, steps);
      case MATRIX -> range(expr, steps);
      case STRING -> throw new IllegalArgumentException("a text has no plan");
    };
  }

  private StepPlan.Scalar number(Expr expr, StepTimes steps) {
    return switch (expr) {
      case Expr.NumberLiteral number -> new StepPlan.Constant(steps, number.value());
      case Expr.Paren paren -> number(paren.expr(), steps);
      case Expr.Unary unary -> sign(unary, steps);
      case Expr.Binary binary -> calculated(binary, steps);
      case Expr.Call call ->
          switch (call.function()) {
            case PI -> new StepPlan.Constant(steps, Math.PI);
            case TIME -> new StepPlan.EvaluationTime(steps);
            case SCALAR -> new StepPlan.OnlyElement(vector(call.arguments().getFirst(), steps));
            default -> throw new IllegalArgumentException(call.function().text() + " is no number");
          };
      case Expr.StringLiteral _,
          Expr.VectorSelector _,
          Expr.MatrixSelector _,
          Expr.Subquery _,
          Expr.Aggregate _ ->
          throw new IllegalArgumentException(expr + " is no number");
    };
  }

  private StepPlan.Scalar sign(Expr.Unary unary, StepTimes steps) {
    StepPlan.Scalar number = number(unary.expr(), steps);
    if (!unary.negative()) {
      return number;
    }
    return number instanceof StepPlan.Constant constant
        ? new StepPlan.Constant(steps, -constant.value())
        : new StepPlan.Negative(number);
  }

  private StepPlan.Scalar calculated(Expr.Binary binary, StepTimes steps) {
    StepPlan.Scalar left = number(binary.left(), steps);
    StepPlan.Scalar right = number(binary.right(), steps);
    return left instanceof StepPlan.Constant a && right instanceof StepPlan.Constant b
        ? new StepPlan.Constant(
            steps, Arithmetic.ofNumbers(binary.operator(), a.value(), b.value()))
        : new StepPlan.Calculated(binary.operator(), left, right);
  }

  private StepPlan.Vector vector(Expr expr, StepTimes steps) {
    if (steps.count() > 1 && StepInvariance.holds(expr) && StepInvariance.hasSelector(expr)) {
      return new StepPlan.Repeated(changing(expr, StepTimes.at(steps.start())), steps);
    }
    return changing(expr, steps);
  }

  private StepPlan.Vector changing(Expr expr, StepTimes steps) {
    return switch (expr) {
      case Expr.Paren paren -> vector(paren.expr(), steps);
      case Expr.VectorSelector selector -> newest(selector, steps, false);
      case Expr.Unary unary ->
          unary.negative()
              ? new StepPlan.Negated(vector(unary.expr(), steps))
              : vector(unary.expr(), steps);
      case Expr.Aggregate aggregate -> aggregate(aggregate, steps);
      case Expr.Binary binary -> binary(binary, steps);
      case Expr.Call call -> call(call, steps);
      case Expr.NumberLiteral _, Expr.StringLiteral _, Expr.MatrixSelector _, Expr.Subquery _ ->
          throw new IllegalArgumentException(expr + " is no instant vector");
    };
  }

  private Instants instants(Modifiers modifiers, StepTimes steps) {
    long offset = modifiers.offset().toMillis();
    return switch (modifiers.at()) {
      case null -> new Instants(steps, false, steps.start() - offset);
      case At.Time time ->
          new Instants(steps, true, Math.clamp(time.epochMillis(), -FAR, FAR) - offset);
      case At.Edge edge ->
          new Instants(steps, true, (edge == At.Edge.START ? queryStart : queryEnd) - offset);
    };
  }

  private StepPlan.Newest newest(
      Expr.VectorSelector selector, StepTimes steps, boolean timestamps) {
    Instants at = instants(selector.modifiers(), steps);
    Scan.Used used = at.isOne() ? Scan.Used.LATEST : Scan.Used.ALL;
    return new StepPlan.Newest(scan(selector, at, lookback).with(used), at, lookback, timestamps);
  }

  /** Returns the scan for times with the given look-back. */
  private static Scan scan(Expr.VectorSelector selector, Instants at, long back) {
    List<LabelMatcher> matchers = selector.matchers().stream().distinct().sorted(ORDER).toList();
    long from = at.first() - back + 1;
    long to = isFulfillable(matchers) ? at.last() : from - 1;
    return new Scan(matchers, from, to, Projection.ALL, at.lookingBack(back), Scan.Used.ALL);
  }

  /** Returns whether no two matchers exclude each other. */
  private static boolean isFulfillable(List<LabelMatcher> matchers) {
    for (LabelMatcher one : matchers) {
      for (LabelMatcher other : matchers) {
        boolean sameLabel =
            one.operator() == LabelMatcher.Operator.EQUAL && one.name().equals(other.name());
        boolean excluded =
            switch (other.operator()) {
              case EQUAL -> !other.value().equals(one.value());
              case NOT_EQUAL -> other.value().equals(one.value());
              case MATCH, NO_MATCH -> false;
            };
        if (sameLabel && excluded) {
          return false;
        }
      }
    }
    return true;
  }

  private StepPlan.Range range(Expr expr, StepTimes steps) {
    return switch (expr) {
      case Expr.Paren paren -> range(paren.expr(), steps);
      case Expr.MatrixSelector matrix -> {
        Instants at = instants(matrix.selector().modifiers(), steps);
        long length = matrix.range().toMillis();
        yield new StepPlan.Stored(scan(matrix.selector(), at, length), at, length);
      }
      case Expr.Subquery subquery -> stepped(subquery, steps);
      case Expr.NumberLiteral _,
          Expr.StringLiteral _,
          Expr.VectorSelector _,
          Expr.Unary _,
          Expr.Binary _,
          Expr.Aggregate _,
          Expr.Call _ ->
          throw new IllegalArgumentException(expr + " is no range vector");
    };
  }

  private StepPlan.Stepped stepped(Expr.Subquery expr, StepTimes steps) {
    Instants at = instants(expr.modifiers(), steps);
    long step = expr.step() == null ? subqueryStep : expr.step().toMillis();
    long length = expr.range().toMillis();
    if (step == 0) {
      throw new QueryRefusedException("the step of a subquery must be at least a millisecond");
    }
    long before = at.first() - length;
    long start = step * (before / step);
    if (start <= before) {
      start += step;
    }
    long count = at.last() < start ? 0 : (at.last() - start) / step + 1;
    if (count > STEPS_MAX) {
      throw new QueryRefusedException(
          "a subquery has %,d steps, more than the limit of %,d".formatted(count, STEPS_MAX));
    }
    StepPlan input =
        count == 0
            ? new StepPlan.Nothing(StepTimes.at(start))
            : plan(expr.expr(), new StepTimes(start, step, Math.toIntExact(count)));
    return new StepPlan.Stepped(input, at, length);
  }

  private StepPlan.Vector aggregate(Expr.Aggregate expr, StepTimes steps) {
    boolean text = expr.operator() == AggregateOperator.COUNT_VALUES;
    Expr parameter = expr.parameter();
    return new StepPlan.Aggregate(
        expr.operator(),
        text || parameter == null ? null : number(parameter, steps),
        text ? text(Objects.requireNonNull(parameter)) : "",
        vector(expr.expr(), steps),
        expr.labels(),
        expr.without(),
        new QueryPosition(bare(parameter == null ? expr : parameter).source()));
  }

  /** Returns the text of a text expression. */
  public static String text(Expr expr) {
    if (bare(expr) instanceof Expr.StringLiteral literal) {
      return literal.value();
    }
    throw new IllegalArgumentException(expr + " is no text");
  }

  private StepPlan.Vector binary(Expr.Binary binary, StepTimes steps) {
    boolean numberLeft = binary.left().type() == ValueType.SCALAR;
    if (numberLeft || binary.right().type() == ValueType.SCALAR) {
      return new StepPlan.WithNumber(
          binary.operator(),
          binary.bool(),
          numberLeft,
          vector(numberLeft ? binary.right() : binary.left(), steps),
          number(numberLeft ? binary.left() : binary.right(), steps));
    }
    return new StepPlan.Join(
        binary.operator(),
        binary.bool(),
        Objects.requireNonNull(binary.matching()),
        vector(binary.left(), steps),
        vector(binary.right(), steps));
  }

  private StepPlan.Vector call(Expr.Call call, StepTimes steps) {
    Function function = call.function();
    List<Expr> arguments = call.arguments();
    if (StepInvariance.isOfTime(call)) {
      return new StepPlan.OfTime(SampleFunction.of(function), steps);
    }
    Expr first = arguments.getFirst();
    return switch (function) {
      case ABSENT -> new StepPlan.Absent(vector(first, steps), matchers(first));
      case ABSENT_OVER_TIME ->
          new StepPlan.Absent(
              window(WindowFunction.LAST_OVER_TIME, range(first, steps), null, first),
              matchers(first));
      case VECTOR -> new StepPlan.OfNumber(number(first, steps));
      case TIMESTAMP -> timestamp(first, steps);
      case SORT, SORT_DESC ->
          steps.count() > 1
              ? vector(first, steps)
              : new StepPlan.Sorted(vector(first, steps), function == Function.SORT_DESC);
      case LABEL_REPLACE ->
          new StepPlan.LabelReplace(
              vector(first, steps),
              text(arguments.get(1)),
              text(arguments.get(2)),
              text(arguments.get(3)),
              text(arguments.get(4)));
      case LABEL_JOIN ->
          new StepPlan.LabelJoin(
              vector(first, steps),
              text(arguments.get(1)),
              text(arguments.get(2)),
              arguments.stream().skip(3).map(Lowering::text).toList());
      case HISTOGRAM_QUANTILE, HISTOGRAM_FRACTION -> histograms(arguments, steps);
      // There are no native histograms yet, and these ignore all other samples.
      case HISTOGRAM_AVG, HISTOGRAM_COUNT, HISTOGRAM_STDDEV, HISTOGRAM_STDVAR, HISTOGRAM_SUM ->
          new StepPlan.Ignored(vector(first, steps));
      case AVG_OVER_TIME,
          CHANGES,
          COUNT_OVER_TIME,
          DELTA,
          DERIV,
          IDELTA,
          INCREASE,
          IRATE,
          LAST_OVER_TIME,
          MAX_OVER_TIME,
          MIN_OVER_TIME,
          PREDICT_LINEAR,
          PRESENT_OVER_TIME,
          QUANTILE_OVER_TIME,
          RATE,
          RESETS,
          STDDEV_OVER_TIME,
          STDVAR_OVER_TIME,
          SUM_OVER_TIME ->
          ofRange(WindowFunction.of(function), arguments, steps);
      case ABS,
          ACOS,
          ACOSH,
          ASIN,
          ASINH,
          ATAN,
          ATANH,
          CEIL,
          CLAMP,
          CLAMP_MAX,
          CLAMP_MIN,
          COS,
          COSH,
          DAYS_IN_MONTH,
          DAY_OF_MONTH,
          DAY_OF_WEEK,
          DAY_OF_YEAR,
          DEG,
          EXP,
          FLOOR,
          HOUR,
          LN,
          LOG10,
          LOG2,
          MINUTE,
          MONTH,
          RAD,
          ROUND,
          SGN,
          SIN,
          SINH,
          SQRT,
          TAN,
          TANH,
          YEAR ->
          new StepPlan.Each(
              SampleFunction.of(function), vector(first, steps), numbers(arguments, steps));
      case PI, TIME, SCALAR ->
          throw new IllegalArgumentException(function.text() + " is no vector");
    };
  }

  private StepPlan.Vector ofRange(WindowFunction function, List<Expr> arguments, StepTimes steps) {
    Expr range =
        arguments.stream()
            .filter(argument -> argument.type() == ValueType.MATRIX)
            .findFirst()
            .orElseThrow();
    List<StepPlan.Scalar> numbers = numbers(arguments, steps);
    return window(
        function,
        range(range, steps),
        numbers.isEmpty() ? null : numbers.getFirst(),
        bare(arguments.getFirst()));
  }

  /** Returns the arguments that are numbers. */
  private List<StepPlan.Scalar> numbers(List<Expr> arguments, StepTimes steps) {
    List<StepPlan.Scalar> numbers = new ArrayList<>();
    for (Expr argument : arguments) {
      if (argument.type() == ValueType.SCALAR) {
        numbers.add(number(argument, steps));
      }
    }
    return numbers;
  }

  /** Returns a window; some functions use only the last sample of it. */
  private static StepPlan.Window window(
      WindowFunction function,
      StepPlan.Range range,
      StepPlan.@Nullable Scalar parameter,
      Expr argument) {
    StepPlan.Range read =
        isOfLatest(function) && range.at().isOne() && range instanceof StepPlan.Stored stored
            ? stored.over(stored.scan().with(Scan.Used.LATEST_NOT_STALE))
            : range;
    return new StepPlan.Window(function, read, parameter, new QueryPosition(argument.source()));
  }

  private static boolean isOfLatest(WindowFunction function) {
    return function == WindowFunction.LAST_OVER_TIME
        || function == WindowFunction.PRESENT_OVER_TIME;
  }

  private StepPlan.Vector timestamp(Expr argument, StepTimes steps) {
    return bare(argument) instanceof Expr.VectorSelector selector
        ? new StepPlan.Each(
            SampleFunction.TIMESTAMP_OF_THE_SAMPLE, newest(selector, steps, true), List.of())
        : new StepPlan.Each(SampleFunction.TIMESTAMP, vector(argument, steps), List.of());
  }

  private StepPlan.Vector histograms(List<Expr> arguments, StepTimes steps) {
    Expr buckets = arguments.getLast();
    List<StepPlan.Scalar> numbers =
        arguments.subList(0, arguments.size() - 1).stream()
            .map(argument -> number(argument, steps))
            .toList();
    return new StepPlan.OfHistograms(
        numbers,
        vector(buckets, steps),
        new QueryPosition(bare(arguments.getFirst()).source()),
        new QueryPosition(bare(buckets).source()));
  }

  /** Returns the matchers of a selector; empty for other expressions. */
  private static List<LabelMatcher> matchers(Expr expr) {
    return switch (bare(expr)) {
      case Expr.VectorSelector selector -> selector.matchers();
      case Expr.MatrixSelector matrix -> matrix.selector().matchers();
      case Expr.NumberLiteral _,
          Expr.StringLiteral _,
          Expr.Subquery _,
          Expr.Paren _,
          Expr.Unary _,
          Expr.Binary _,
          Expr.Aggregate _,
          Expr.Call _ ->
          List.of();
    };
  }

  private static Expr bare(Expr expr) {
    return expr instanceof Expr.Paren paren ? bare(paren.expr()) : expr;
  }
}
