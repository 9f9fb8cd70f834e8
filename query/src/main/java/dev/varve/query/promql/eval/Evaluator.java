package dev.varve.query.promql.eval;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import dev.varve.model.PatternSize;
import dev.varve.model.Series;
import dev.varve.query.promql.AggregateOperator;
import dev.varve.query.promql.BinaryOperator;
import dev.varve.query.promql.Expr;
import dev.varve.query.promql.LabelMatcher;
import dev.varve.query.promql.ValueType;
import dev.varve.query.promql.VectorMatching;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.DoubleUnaryOperator;
import java.util.function.UnaryOperator;

/** Works expressions out. For one query, and one thread. */
final class Evaluator {
  private final Selection selection;
  private final Notes notes;
  private final Held held;

  Evaluator(Selection selection, Notes notes, Held held) {
    this.selection = selection;
    this.notes = notes;
    this.held = held;
  }

  /** The value of a scalar expression at every step. */
  double[] scalar(Expr expr, Steps steps) {
    return switch (expr) {
      case Expr.NumberLiteral number -> filled(steps, number.value());
      case Expr.Paren paren -> scalar(paren.expr(), steps);
      case Expr.Unary unary -> {
        double[] values = scalar(unary.expr(), steps);
        yield unary.negative() ? map(values, value -> -value) : values;
      }
      case Expr.Binary binary -> scalarBinary(binary, steps);
      case Expr.Call call -> scalarCall(call, steps);
      default -> throw new IllegalArgumentException(expr + " is no scalar");
    };
  }

  private double[] filled(Steps steps, double value) {
    if (steps.count() > PromQuery.STEPS_MAX) {
      held.row(steps.count());
    }
    double[] values = new double[steps.count()];
    Arrays.fill(values, value);
    return values;
  }

  private static double[] map(double[] values, DoubleUnaryOperator function) {
    Arrays.setAll(values, i -> function.applyAsDouble(values[i]));
    return values;
  }

  private double[] scalarBinary(Expr.Binary binary, Steps steps) {
    double[] left = scalar(binary.left(), steps);
    double[] right = scalar(binary.right(), steps);
    BinaryOperator operator = binary.operator();
    Arrays.setAll(
        left,
        i ->
            operator.isComparison()
                ? Arithmetic.compare(operator, left[i], right[i]) ? 1 : 0
                : Arithmetic.of(operator, left[i], right[i]));
    return left;
  }

  private double[] scalarCall(Expr.Call call, Steps steps) {
    return switch (call.function().name()) {
      case "pi" -> filled(steps, Math.PI);
      case "time" -> times(steps);
      case "scalar" -> onlyElement(call.arguments().getFirst(), steps);
      default -> throw new IllegalArgumentException(call.function().name() + " is no scalar");
    };
  }

  private double[] times(Steps steps) {
    if (steps.count() > PromQuery.STEPS_MAX) {
      held.row(steps.count());
    }
    double[] times = new double[steps.count()];
    Arrays.setAll(times, i -> steps.time(i) / 1000.0);
    return times;
  }

  /** The value of the one element that a vector has, NaN where it has none or several. */
  private double[] onlyElement(Expr vector, Steps steps) {
    double[] values = filled(steps, Double.NaN);
    Column seen = new Column(steps.count());
    vector(
        vector,
        steps,
        (labels, column) -> {
          for (int i = column.next(0); i < values.length; i = column.next(i + 1)) {
            values[i] = seen.has(i) ? Double.NaN : column.get(i);
            seen.set(i, 1);
          }
        });
    return values;
  }

  /** The rows of an expression that is an instant vector. */
  void vector(Expr expr, Steps steps, RowSink into) {
    switch (expr) {
      case Expr.Paren paren -> vector(paren.expr(), steps, into);
      case Expr.VectorSelector selector -> selection.instant(selector, steps, false, into);
      case Expr.Unary unary -> unary(unary, steps, into);
      case Expr.Aggregate aggregate -> aggregate(aggregate, steps, into);
      case Expr.Binary binary -> binary(binary, steps, into);
      case Expr.Call call -> call(call, steps, into);
      default -> throw new IllegalArgumentException(expr + " is no instant vector");
    }
  }

  private void unary(Expr.Unary unary, Steps steps, RowSink into) {
    if (!unary.negative()) {
      vector(unary.expr(), steps, into);
      return;
    }
    RowSink distinct = MetricNames.isOne(unary.expr()) ? into : new Rows.Distinct(into);
    vector(
        unary.expr(),
        steps,
        (labels, column) -> {
          map(column.values(), value -> -value);
          distinct.row(labels.withoutName(), column);
        });
  }

  private void aggregate(Expr.Aggregate expr, Steps steps, RowSink into) {
    Expr parameter = expr.parameter();
    boolean text = expr.operator() == AggregateOperator.COUNT_VALUES;
    String label = text ? text(Objects.requireNonNull(parameter)) : "";
    if (text && label.isEmpty()) {
      throw new PromQlEvaluationException("invalid label name \"\"");
    }
    // The label that says the value may be one that is left out.
    boolean countsAlone = text && expr.without() && expr.labels().contains(label);
    AggregateOperator operator = countsAlone ? AggregateOperator.COUNT : expr.operator();
    double[] number = text || parameter == null ? new double[0] : scalar(parameter, steps);
    if (operator == AggregateOperator.QUANTILE) {
      warnOfQuantiles(number, Objects.requireNonNull(parameter));
    }
    List<String> names = new ArrayList<>(expr.labels());
    if (text && expr.without()) {
      names.add(label);
    } else if (text) {
      names.remove(label);
    }
    Map<Labels, Aggregation> groups = new LinkedHashMap<>();
    int count = steps.count();
    vector(
        expr.expr(),
        steps,
        (labels, column) -> {
          Labels group =
              expr.without() ? labels.withoutMetric().without(names) : labels.only(names);
          Aggregation known = groups.get(group);
          if (known == null) {
            held.row(count);
            known = Aggregation.of(operator, count, number, label, held);
            groups.put(group, known);
          }
          known.row(labels, column);
        });
    groups.forEach((group, aggregation) -> aggregation.end(group, into));
    groups.values().forEach(group -> held.release(count));
  }

  private void warnOfQuantiles(double[] quantiles, Expr where) {
    for (double quantile : quantiles) {
      if (!(quantile >= 0 && quantile <= 1)) {
        notes.warn(
            "quantile value should be between 0 and 1, got " + ValueText.of(quantile),
            where.source());
      }
    }
  }

  static String text(Expr expr) {
    return switch (expr) {
      case Expr.StringLiteral literal -> literal.value();
      case Expr.Paren paren -> text(paren.expr());
      default -> throw new IllegalArgumentException(expr + " is no text");
    };
  }

  private void binary(Expr.Binary binary, Steps steps, RowSink into) {
    boolean scalarLeft = binary.left().type() == ValueType.SCALAR;
    if (scalarLeft || binary.right().type() == ValueType.SCALAR) {
      withScalar(binary, scalarLeft, steps, into);
      return;
    }
    VectorMatching matching = Objects.requireNonNull(binary.matching());
    Matching pairs = new Matching(binary, matching, steps.count(), held);
    if (binary.operator().isSet()) {
      SetOperation sets = new SetOperation(binary.operator(), pairs, steps.count(), held);
      boolean leftFirst = sets.isLeftFirst();
      vector(leftFirst ? binary.left() : binary.right(), steps, sets::first);
      vector(leftFirst ? binary.right() : binary.left(), steps, sets::second);
      sets.end(into);
      return;
    }
    boolean leftOne = pairs.isLeftOne();
    vector(leftOne ? binary.left() : binary.right(), steps, pairs::one);
    vector(leftOne ? binary.right() : binary.left(), steps, pairs::many);
    pairs.end(into);
  }

  private void withScalar(Expr.Binary binary, boolean scalarLeft, Steps steps, RowSink into) {
    double[] scalar = scalar(scalarLeft ? binary.left() : binary.right(), steps);
    Expr vector = scalarLeft ? binary.right() : binary.left();
    BinaryOperator operator = binary.operator();
    boolean keepsName = operator.isComparison() && !binary.bool();
    UnaryOperator<Labels> labels = keepsName ? same -> same : Labels::withoutName;
    eachValue(
        vector,
        steps,
        labels,
        (step, value) -> {
          double left = scalarLeft ? scalar[step] : value;
          double right = scalarLeft ? value : scalar[step];
          if (!operator.isComparison()) {
            return Arithmetic.of(operator, left, right);
          }
          boolean holds = Arithmetic.compare(operator, left, right);
          return binary.bool() ? (holds ? 1 : 0) : holds ? value : RangeFunction.NOTHING;
        },
        into);
  }

  /** What becomes of a value at a step; {@link RangeFunction#NOTHING} to leave it out. */
  @FunctionalInterface
  private interface ValueFunction {
    double apply(int step, double value);
  }

  /** Changes every value of a vector, and its labels. */
  private void eachValue(
      Expr vector,
      Steps steps,
      UnaryOperator<Labels> labels,
      ValueFunction function,
      RowSink into) {
    Rows.Merged merged = MetricNames.isOne(vector) ? null : new Rows.Merged(held);
    RowSink sink = merged == null ? into : merged;
    vector(
        vector,
        steps,
        (row, column) -> {
          for (int i = column.next(0); i < column.steps(); i = column.next(i + 1)) {
            double value = function.apply(i, column.get(i));
            if (RangeFunction.isNothing(value)) {
              column.remove(i);
            } else {
              column.set(i, value);
            }
          }
          if (!column.isEmpty()) {
            sink.row(labels.apply(row), column);
          }
        });
    if (merged != null) {
      merged.end(into);
    }
  }

  private void call(Expr.Call call, Steps steps, RowSink into) {
    String name = call.function().name();
    List<Expr> arguments = call.arguments();
    DoubleUnaryOperator ofValue = ValueFunctions.ALL.get(name);
    if (ofValue != null && arguments.isEmpty()) {
      into.row(Labels.NONE, Column.of(map(times(steps), ofValue)));
    } else if (ofValue != null) {
      eachValue(
          arguments.getFirst(),
          steps,
          Labels::withoutName,
          (i, v) -> ofValue.applyAsDouble(v),
          into);
    } else if (RangeFunction.ALL.containsKey(name)) {
      overRange(call, steps, into);
    } else {
      otherCall(call, name, arguments, steps, into);
    }
  }

  private void otherCall(
      Expr.Call call, String name, List<Expr> arguments, Steps steps, RowSink into) {
    switch (name) {
      case "absent", "absent_over_time" -> absent(arguments.getFirst(), steps, into);
      case "clamp" ->
          clamp(
              arguments,
              scalarOr(arguments, 1, steps, 0),
              scalarOr(arguments, 2, steps, 0),
              steps,
              into);
      case "clamp_min" ->
          clamp(
              arguments,
              scalarOr(arguments, 1, steps, 0),
              filled(steps, Double.POSITIVE_INFINITY),
              steps,
              into);
      case "clamp_max" ->
          clamp(
              arguments,
              filled(steps, Double.NEGATIVE_INFINITY),
              scalarOr(arguments, 1, steps, 0),
              steps,
              into);
      case "round" -> {
        double[] nearest = scalarOr(arguments, 1, steps, 1);
        eachValue(
            arguments.getFirst(),
            steps,
            Labels::withoutName,
            (step, value) -> ValueFunctions.round(value, nearest[step]),
            into);
      }
      case "vector" -> into.row(Labels.NONE, Column.of(scalar(arguments.getFirst(), steps)));
      case "timestamp" -> timestamp(arguments.getFirst(), steps, into);
      case "sort" -> sorted(arguments.getFirst(), steps, false, into);
      case "sort_desc" -> sorted(arguments.getFirst(), steps, true, into);
      case "label_replace" -> replaceLabel(call, steps, into);
      case "label_join" -> joinLabels(arguments, steps, into);
      case "histogram_quantile" -> histogramQuantile(call, steps, into);
      case "histogram_fraction" -> histogramFraction(call, steps, into);
      // These are of native histograms, of which there are none.
      case "histogram_avg",
          "histogram_count",
          "histogram_stddev",
          "histogram_stdvar",
          "histogram_sum" ->
          vector(arguments.getFirst(), steps, (labels, column) -> {});
      default -> throw new IllegalArgumentException(name + " is not known");
    }
  }

  private double[] scalarOr(List<Expr> arguments, int index, Steps steps, double otherwise) {
    return arguments.size() > index
        ? scalar(arguments.get(index), steps)
        : filled(steps, otherwise);
  }

  private void clamp(List<Expr> arguments, double[] min, double[] max, Steps steps, RowSink into) {
    eachValue(
        arguments.getFirst(),
        steps,
        Labels::withoutName,
        (step, value) ->
            max[step] < min[step]
                ? RangeFunction.NOTHING
                : Arithmetic.max(min[step], Arithmetic.min(max[step], value)),
        into);
  }

  private void timestamp(Expr argument, Steps steps, RowSink into) {
    Expr bare = bare(argument);
    if (bare instanceof Expr.VectorSelector selector) {
      Rows.Merged merged = new Rows.Merged(held);
      selection.instant(
          selector, steps, true, (labels, column) -> merged.row(labels.withoutName(), column));
      merged.end(into);
    } else {
      eachValue(
          argument, steps, Labels::withoutName, (step, value) -> steps.time(step) / 1000.0, into);
    }
  }

  static Expr bare(Expr expr) {
    return expr instanceof Expr.Paren paren ? bare(paren.expr()) : expr;
  }

  /** In the order of values; over a range there is none. NaN comes last. */
  private void sorted(Expr argument, Steps steps, boolean descending, RowSink into) {
    if (steps.count() > 1) {
      vector(argument, steps, into);
      return;
    }
    List<Map.Entry<Labels, Column>> rows = new ArrayList<>();
    vector(
        argument,
        steps,
        (labels, column) -> {
          held.row(1);
          rows.add(Map.entry(labels, column));
        });
    rows.sort((a, b) -> {
      double left = a.getValue().get(0);
      double right = b.getValue().get(0);
      if (Double.isNaN(left) || Double.isNaN(right)) {
        return Boolean.compare(Double.isNaN(left), Double.isNaN(right));
      }
      return left == right ? 0 : left < right == descending ? 1 : -1;
    });
    rows.forEach(row -> into.row(row.getKey(), row.getValue()));
    rows.forEach(row -> held.release(1));
  }

  private void absent(Expr argument, Steps steps, RowSink into) {
    Column there = new Column(steps.count());
    Expr bare = bare(argument);
    RowSink seen = (labels, column) -> there.addAll(column);
    if (argument.type() == ValueType.MATRIX) {
      overRange(bare, window -> 1, filled(steps, 0), steps, seen);
    } else {
      vector(argument, steps, seen);
    }
    Column result = new Column(steps.count());
    for (int i = 0; i < steps.count(); i++) {
      if (!there.has(i)) {
        result.set(i, 1);
      }
    }
    if (!result.isEmpty()) {
      into.row(absentLabels(bare), result);
    }
  }

  /** What a series would have that fits: the labels of which a selector says what they are. */
  private static Labels absentLabels(Expr expr) {
    List<LabelMatcher> matchers =
        switch (expr) {
          case Expr.VectorSelector selector -> selector.matchers();
          case Expr.MatrixSelector matrix -> matrix.selector().matchers();
          default -> List.of();
        };
    Map<String, String> labels = new HashMap<>();
    Map<String, Boolean> seen = new HashMap<>();
    for (LabelMatcher matcher : matchers) {
      if (matcher.name().equals(Series.NAME_LABEL)) {
        continue;
      }
      boolean first =
          matcher.operator() == LabelMatcher.Operator.EQUAL
              && seen.putIfAbsent(matcher.name(), true) == null;
      if (first) {
        labels.put(matcher.name(), matcher.value());
      } else {
        labels.remove(matcher.name());
      }
    }
    return Labels.of(labels);
  }

  private void overRange(Expr.Call call, Steps steps, RowSink into) {
    String name = call.function().name();
    boolean firstIsNumber = call.arguments().getFirst().type() == ValueType.SCALAR;
    Expr range = bare(call.arguments().get(firstIsNumber ? 1 : 0));
    double[] parameter = new double[steps.count()];
    if (call.arguments().size() > 1) {
      parameter = scalar(call.arguments().get(firstIsNumber ? 0 : 1), steps);
    }
    if (name.equals("quantile_over_time")) {
      warnOfQuantiles(parameter, call.arguments().getFirst());
    }
    boolean keepsName = name.equals("last_over_time");
    RowSink distinct = keepsName || MetricNames.isOne(range) ? into : new Rows.Distinct(into);
    CounterNames names = new CounterNames(name, call, notes);
    overRange(
        range,
        Objects.requireNonNull(RangeFunction.of(name)),
        parameter,
        steps,
        (labels, column) -> {
          names.look(labels);
          distinct.row(keepsName ? labels : labels.withoutName(), column);
        });
  }

  /** Applies a function to every window of a range selector or a subquery. */
  private void overRange(
      Expr range, RangeFunction function, double[] parameter, Steps steps, RowSink into) {
    switch (range) {
      case Expr.MatrixSelector matrix -> selection.range(matrix, function, parameter, steps, into);
      case Expr.Subquery subquery ->
          steps(
              subquery,
              steps,
              (inner, labels, column) -> {
                Column result = inner.apply(column, function, parameter);
                if (!result.isEmpty()) {
                  into.row(labels, result);
                }
              });
      default -> throw new IllegalArgumentException(range + " is no range vector");
    }
  }

  /** Takes what a subquery gives for one series at all its steps. */
  @FunctionalInterface
  interface SubquerySink {
    void row(Selection.Subquery subquery, Labels labels, Column column);
  }

  /** Works a subquery out at its own steps. */
  void steps(Expr.Subquery expr, Steps steps, SubquerySink into) {
    Selection.Subquery subquery = selection.subquery(expr, steps);
    if (subquery.count() == 0) {
      return;
    }
    held.steps(subquery.count());
    Steps inner = subquery.steps();
    if (expr.expr().type() == ValueType.SCALAR) {
      into.row(subquery, Labels.NONE, Column.of(scalar(expr.expr(), inner)));
    } else {
      vector(expr.expr(), inner, (labels, column) -> into.row(subquery, labels, column));
    }
    held.releaseSteps(subquery.count());
  }

  private void replaceLabel(Expr.Call call, Steps steps, RowSink into) {
    List<Expr> arguments = call.arguments();
    String target = text(arguments.get(1));
    String pattern = text(arguments.get(4));
    LabelFunctions.Replacement replacement;
    try {
      PatternSize.check(pattern);
      Pattern compiled = Pattern.compile("^(?s:" + pattern + ")$");
      replacement =
          new LabelFunctions.Replacement(
              target,
              new GroupTemplate(text(arguments.get(2)), compiled),
              text(arguments.get(3)),
              compiled);
    } catch (PatternSyntaxException e) {
      throw new PromQlEvaluationException(
          "invalid regular expression in label_replace(): " + pattern);
    } catch (IllegalArgumentException e) {
      throw new PromQlEvaluationException(
          "regular expression in label_replace(): " + e.getMessage());
    }
    requireLabelName(target, "label_replace");
    RowSink distinct = new Rows.Distinct(into);
    vector(
        arguments.getFirst(),
        steps,
        (labels, column) -> distinct.row(replacement.apply(labels), column));
  }

  private void joinLabels(List<Expr> arguments, Steps steps, RowSink into) {
    String target = text(arguments.get(1));
    String separator = text(arguments.get(2));
    List<String> sources =
        arguments.subList(3, arguments.size()).stream().map(Evaluator::text).toList();
    requireLabelName(target, "label_join");
    RowSink distinct = new Rows.Distinct(into);
    vector(
        arguments.getFirst(),
        steps,
        (labels, column) ->
            distinct.row(LabelFunctions.join(labels, target, separator, sources), column));
  }

  private static void requireLabelName(String name, String function) {
    if (name.isEmpty()) {
      throw new PromQlEvaluationException(
          "invalid destination label name in %s(): %s".formatted(function, name));
    }
  }

  private void histogramQuantile(Expr.Call call, Steps steps, RowSink into) {
    double[] quantiles = scalar(call.arguments().getFirst(), steps);
    warnOfQuantiles(quantiles, call.arguments().getFirst());
    Histograms histograms = new Histograms(call.arguments().get(1), notes, held);
    vector(call.arguments().get(1), steps, histograms);
    histograms.end((step, buckets) -> buckets.quantile(quantiles[step]), steps.count(), into);
  }

  private void histogramFraction(Expr.Call call, Steps steps, RowSink into) {
    double[] lower = scalar(call.arguments().get(0), steps);
    double[] upper = scalar(call.arguments().get(1), steps);
    Histograms histograms = new Histograms(call.arguments().get(2), notes, held);
    vector(call.arguments().get(2), steps, histograms);
    histograms.end(
        (step, buckets) -> buckets.fraction(lower[step], upper[step]), steps.count(), into);
  }
}
