package dev.varve.query.promql.eval;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import dev.varve.formats.number.GoNumber;
import dev.varve.model.PatternSize;
import dev.varve.model.Series;
import dev.varve.query.promql.AggregateOperator;
import dev.varve.query.promql.LabelMatcher;
import dev.varve.query.promql.plan.Arithmetic;
import dev.varve.query.promql.plan.MetricNames;
import dev.varve.query.promql.plan.QueryPosition;
import dev.varve.query.promql.plan.StepPlan;
import dev.varve.query.promql.plan.StepTimes;
import dev.varve.query.promql.plan.WindowFunction;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleUnaryOperator;
import java.util.function.UnaryOperator;

/** Operators on the rows of one vector, as sinks. Each sink is for a single run. */
final class Stages {
  private final Evaluator evaluator;
  private final Notes notes;
  private final RowMemory held;

  Stages(Evaluator evaluator, Notes notes, RowMemory held) {
    this.evaluator = evaluator;
    this.notes = notes;
    this.held = held;
  }

  /** Creates the sink of an operator; its numeric parameters are computed immediately. */
  RowSink stage(StepPlan.RowOperator plan, RowSink into) {
    return switch (plan) {
      case StepPlan.Each each -> each(each, into);
      case StepPlan.WithNumber with -> withNumber(with, into);
      case StepPlan.Negated negated -> negated(negated, into);
      case StepPlan.Aggregate aggregate -> aggregate(aggregate, into);
      case StepPlan.Absent absent -> absent(absent, into);
      case StepPlan.Sorted sorted -> new Sorted(sorted.descending(), into, held);
      case StepPlan.LabelReplace relabelled -> replaced(relabelled, into);
      case StepPlan.LabelJoin join -> joined(join, into);
      case StepPlan.OfHistograms histograms -> histograms(histograms, into);
      case StepPlan.Ignored ignored -> (labels, column) -> {};
      case StepPlan.Repeated repeated -> repeated(repeated.steps(), into);
    };
  }

  /** Returns a sink for the rows of a window, which still have the metric name. */
  RowSink named(StepPlan.Window window, RowSink into) {
    boolean keepsName = window.keepsName();
    RowSink distinct =
        keepsName || MetricNames.isOne(window.input()) ? into : new Rows.Distinct(into, held);
    CounterNames names = new CounterNames(window, notes);
    return (labels, column) -> {
      names.look(labels);
      distinct.row(keepsName ? labels : labels.withoutName(), column);
    };
  }

  private RowSink negated(StepPlan.Negated plan, RowSink into) {
    RowSink distinct = MetricNames.isOne(plan.input()) ? into : new Rows.Distinct(into, held);
    return (labels, column) -> {
      double[] values = column.values();
      for (int i = 0; i < values.length; i++) {
        values[i] = -values[i];
      }
      distinct.row(labels.withoutName(), column);
    };
  }

  private RowSink aggregate(StepPlan.Aggregate plan, RowSink into) {
    boolean text = plan.operator() == AggregateOperator.COUNT_VALUES;
    String label = plan.label();
    if (text && label.isEmpty()) {
      throw new PromQlEvaluationException("invalid label name \"\"");
    }
    // The label for the value may be among the labels to drop.
    boolean countsAlone = text && plan.without() && plan.labels().contains(label);
    AggregateOperator operator = countsAlone ? AggregateOperator.COUNT : plan.operator();
    StepPlan.Scalar parameter = plan.parameter();
    double[] number = parameter == null ? new double[0] : evaluator.number(parameter);
    if (operator == AggregateOperator.QUANTILE) {
      warnOfExtremes(number, plan.position());
    }
    List<String> names = new ArrayList<>(plan.labels());
    if (text && plan.without()) {
      names.add(label);
    } else if (text) {
      names.remove(label);
    }
    return new Groups(operator, number, label, names, plan, into);
  }

  /** The groups of an aggregation. */
  private final class Groups implements RowSink {
    private final AggregateOperator operator;
    private final double[] number;
    private final String label;
    private final List<String> names;
    private final StepPlan.Aggregate plan;
    private final RowSink into;
    private final Map<Labels, AggregatedGroup> groups = new LinkedHashMap<>();

    private Groups(
        AggregateOperator operator,
        double[] number,
        String label,
        List<String> names,
        StepPlan.Aggregate plan,
        RowSink into) {
      this.operator = operator;
      this.number = number;
      this.label = label;
      this.names = names;
      this.plan = plan;
      this.into = into;
    }

    @Override
    public void row(Labels labels, Column column) {
      Labels group = plan.without() ? labels.withoutMetric().without(names) : labels.only(names);
      AggregatedGroup known = groups.get(group);
      if (known == null) {
        held.row(column.steps());
        held.hold(bytesBeside(), "a query of many groups");
        known = AggregatedGroup.of(operator, column.steps(), number, label, held);
        groups.put(group, known);
      }
      known.row(labels, column);
    }

    @Override
    public void end() {
      if (!choosesNone()) {
        groups.forEach((group, aggregation) -> {
          held.wanted();
          aggregation.end(group, into);
        });
      }
      groups
          .values()
          .forEach(group -> {
            held.release(plan.steps().count());
            held.releaseBytes(bytesBeside());
          });
    }

    private long bytesBeside() {
      return plan.steps().count() * AggregatedGroup.bytesPerStep(operator);
    }

    /** Returns whether no element is wanted at any step; the numbers are then not checked. */
    private boolean choosesNone() {
      double most = -Double.MAX_VALUE;
      for (double wanted : number) {
        most = Arithmetic.max(most, wanted);
      }
      return (operator == AggregateOperator.TOPK || operator == AggregateOperator.BOTTOMK)
          && most < 1;
    }
  }

  private void warnOfQuantiles(double[] quantiles, QueryPosition where) {
    for (double quantile : quantiles) {
      warnOfQuantile(quantile, where);
    }
  }

  /** Warns of invalid quantiles of a window, at steps with a value. */
  void lookAtQuantiles(StepPlan.SeriesOperator plan, double[] quantiles, Column column) {
    if (plan instanceof StepPlan.Window window
        && window.function() == WindowFunction.QUANTILE_OVER_TIME) {
      for (int i = column.next(0); i < column.steps(); i = column.next(i + 1)) {
        warnOfQuantile(quantiles[i], window.position());
      }
    }
  }

  /**
   * Warns of the lowest and the highest invalid quantile only. If any is NaN, warns of NaN and of
   * infinite quantiles instead.
   */
  private void warnOfExtremes(double[] quantiles, QueryPosition where) {
    double least = Double.MAX_VALUE;
    double greatest = -Double.MAX_VALUE;
    boolean any = false;
    for (double quantile : quantiles) {
      least = Arithmetic.min(least, quantile);
      greatest = Arithmetic.max(greatest, quantile);
      any |= Double.isNaN(quantile);
    }
    if (any) {
      warnOfQuantile(Double.NaN, where);
    }
    if (greatest > 1) {
      warnOfQuantile(greatest, where);
    }
    if (least < 0) {
      warnOfQuantile(least, where);
    }
  }

  private void warnOfQuantile(double quantile, QueryPosition where) {
    if (!(quantile >= 0 && quantile <= 1)) {
      notes.warn(
          "quantile value should be between 0 and 1, got " + GoNumber.text(quantile),
          where.range());
    }
  }

  private RowSink withNumber(StepPlan.WithNumber plan, RowSink into) {
    double[] number = evaluator.number(plan.number());
    UnaryOperator<Labels> labels = plan.keepsName() ? same -> same : Labels::withoutName;
    return eachValue(
        plan.input(),
        labels,
        (step, value) -> {
          double left = plan.numberLeft() ? number[step] : value;
          double right = plan.numberLeft() ? value : number[step];
          if (!plan.operator().isComparison()) {
            return Arithmetic.of(plan.operator(), left, right);
          }
          boolean holds = Arithmetic.compare(plan.operator(), left, right);
          return plan.bool() ? (holds ? 1 : 0) : holds ? value : RangeFunction.NOTHING;
        },
        into);
  }

  /** Maps the value at a step; {@link RangeFunction#NOTHING} drops it. */
  @FunctionalInterface
  private interface ValueFunction {
    double apply(int step, double value);
  }

  /** Maps every value of a vector, and its labels. */
  private RowSink eachValue(
      StepPlan.Vector input, UnaryOperator<Labels> labels, ValueFunction function, RowSink into) {
    Rows.Merged merged = MetricNames.isOne(input) ? null : new Rows.Merged(held, into);
    RowSink sink = merged == null ? into : merged;
    return new RowSink() {
      @Override
      public void row(Labels of, Column column) {
        for (int i = column.next(0); i < column.steps(); ) {
          for (int end = held.stretch(i, column.steps()); i < end; i = column.next(i + 1)) {
            double value = function.apply(i, column.get(i));
            if (RangeFunction.isNothing(value)) {
              column.remove(i);
            } else {
              column.set(i, value);
            }
          }
        }
        if (!column.isEmpty()) {
          sink.row(labels.apply(of), column);
        }
      }

      @Override
      public void end() {
        if (merged != null) {
          merged.end();
        }
      }
    };
  }

  private RowSink each(StepPlan.Each plan, RowSink into) {
    return eachValue(plan.input(), Labels::withoutName, function(plan), into);
  }

  private ValueFunction function(StepPlan.Each plan) {
    StepTimes steps = plan.steps();
    return switch (plan.function()) {
      case TIMESTAMP_OF_THE_SAMPLE -> (step, value) -> value;
      case TIMESTAMP -> (step, value) -> steps.time(step) / 1000.0;
      case CLAMP -> clamp(numberOr(plan, 0, 0), numberOr(plan, 1, 0));
      case CLAMP_MIN -> clamp(numberOr(plan, 0, 0), numberOr(plan, 1, Double.POSITIVE_INFINITY));
      case CLAMP_MAX ->
          clamp(evaluator.filled(steps, Double.NEGATIVE_INFINITY), numberOr(plan, 0, 0));
      case ROUND -> {
        double[] nearest = numberOr(plan, 0, 1);
        yield (step, value) -> ValueFunctions.round(value, nearest[step]);
      }
      case ABS,
          ACOS,
          ACOSH,
          ASIN,
          ASINH,
          ATAN,
          ATANH,
          CEIL,
          COS,
          COSH,
          DAY_OF_MONTH,
          DAY_OF_WEEK,
          DAY_OF_YEAR,
          DAYS_IN_MONTH,
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
          SGN,
          SIN,
          SINH,
          SQRT,
          TAN,
          TANH,
          YEAR -> {
        DoubleUnaryOperator ofValue = ValueFunctions.of(plan.function());
        yield (step, value) -> ofValue.applyAsDouble(value);
      }
    };
  }

  private double[] numberOr(StepPlan.Each plan, int index, double otherwise) {
    return plan.parameters().size() > index
        ? evaluator.number(plan.parameters().get(index))
        : evaluator.filled(plan.steps(), otherwise);
  }

  private static ValueFunction clamp(double[] min, double[] max) {
    return (step, value) ->
        max[step] < min[step]
            ? RangeFunction.NOTHING
            : Arithmetic.max(min[step], Arithmetic.min(max[step], value));
  }

  /** Sorts rows by value; NaN is last. */
  private static final class Sorted implements RowSink {
    private final boolean descending;
    private final RowSink into;
    private final RowMemory held;
    private final List<Map.Entry<Labels, Column>> rows = new ArrayList<>();

    private Sorted(boolean descending, RowSink into, RowMemory held) {
      this.descending = descending;
      this.into = into;
      this.held = held;
    }

    @Override
    public void row(Labels labels, Column column) {
      held.row(1);
      rows.add(Map.entry(labels, column));
    }

    @Override
    public void end() {
      rows.sort(held.asking((a, b) -> order(a.getValue().get(0), b.getValue().get(0))));
      rows.forEach(row -> into.row(row.getKey(), row.getValue()));
      rows.forEach(row -> held.release(1));
    }

    private int order(double left, double right) {
      if (Double.isNaN(left) || Double.isNaN(right)) {
        return Boolean.compare(Double.isNaN(left), Double.isNaN(right));
      }
      return left == right ? 0 : left < right == descending ? 1 : -1;
    }
  }

  private static RowSink absent(StepPlan.Absent plan, RowSink into) {
    int steps = plan.steps().count();
    Column there = new Column(steps);
    return new RowSink() {
      @Override
      public void row(Labels labels, Column column) {
        there.addAll(column);
      }

      @Override
      public void end() {
        Column result = new Column(steps);
        for (int i = 0; i < steps; i++) {
          if (!there.has(i)) {
            result.set(i, 1);
          }
        }
        if (!result.isEmpty()) {
          into.row(absentLabels(plan.matchers()), result);
        }
      }
    };
  }

  /** Returns the labels of a missing series: those that the selector sets to a single value. */
  private static Labels absentLabels(List<LabelMatcher> matchers) {
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

  private RowSink replaced(StepPlan.LabelReplace plan, RowSink into) {
    Pattern pattern = pattern(plan.pattern());
    LabelFunctions.Replacement replacement =
        new LabelFunctions.Replacement(
            plan.target(), new GroupTemplate(plan.replacement(), pattern), plan.source(), pattern);
    requireLabelName(plan.target(), "label_replace");
    RowSink distinct = new Rows.Distinct(into, held);
    return (labels, column) -> distinct.row(replacement.apply(labels, held.guard()), column);
  }

  private RowSink joined(StepPlan.LabelJoin plan, RowSink into) {
    requireLabelName(plan.target(), "label_join");
    RowSink distinct = new Rows.Distinct(into, held);
    return (labels, column) ->
        distinct.row(
            LabelFunctions.join(labels, plan.target(), plan.separator(), plan.sources()), column);
  }

  private static Pattern pattern(String pattern) {
    try {
      PatternSize.check(pattern);
      return Pattern.compile("^(?s:" + pattern + ")$");
    } catch (PatternSyntaxException e) {
      throw new PromQlEvaluationException(
          "invalid regular expression in label_replace(): " + pattern);
    } catch (IllegalArgumentException e) {
      throw new PromQlEvaluationException(
          "regular expression in label_replace(): " + e.getMessage());
    }
  }

  private static void requireLabelName(String name, String function) {
    if (name.isEmpty()) {
      throw new PromQlEvaluationException(
          "invalid destination label name in %s(): %s".formatted(function, name));
    }
  }

  private RowSink histograms(StepPlan.OfHistograms plan, RowSink into) {
    double[] first = evaluator.number(plan.numbers().getFirst());
    Histograms.Question question;
    if (plan.numbers().size() == 1) {
      warnOfQuantiles(first, plan.numberPosition());
      question = (step, buckets) -> buckets.quantile(first[step]);
    } else {
      double[] upper = evaluator.number(plan.numbers().getLast());
      question = (step, buckets) -> buckets.fraction(first[step], upper[step]);
    }
    return new Histograms(
        plan.position().range(), question, plan.steps().count(), into, notes, held);
  }

  private static RowSink repeated(StepTimes steps, RowSink into) {
    return (labels, column) -> {
      if (column.has(0)) {
        into.row(labels, Column.filled(steps.count(), column.get(0)));
      }
    };
  }
}
