package dev.varve.query.promql.plan;

import dev.varve.query.promql.AggregateOperator;
import dev.varve.query.promql.BinaryOperator;
import dev.varve.query.promql.LabelMatcher;
import dev.varve.query.promql.VectorMatching;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An operator of a PromQL query with its inputs. Every node knows the steps for which it is
 * evaluated, and every scan the times that it reads, so the tree has no offsets, {@code @} or
 * subquery steps. Two nodes are equal if they have the same result.
 */
public sealed interface StepPlan {
  StepTimes steps();

  /** Returns its inputs, in the order of the query. */
  List<StepPlan> inputs();

  /** Has a number at every step. */
  sealed interface Scalar extends StepPlan {}

  /** Returns the positions in the query that its messages name. */
  default List<QueryPosition> positions() {
    return List.of();
  }

  /** Reads samples from the dataset. */
  sealed interface Scanning extends StepPlan {
    Scan scan();

    /** Returns the same operator over another scan. */
    Scanning over(Scan other);

    @Override
    default List<StepPlan> inputs() {
      return List.of();
    }
  }

  record Constant(StepTimes steps, double value) implements Scalar {
    @Override
    public List<StepPlan> inputs() {
      return List.of();
    }
  }

  /** The time of each step, in seconds. */
  record EvaluationTime(StepTimes steps) implements Scalar {
    @Override
    public List<StepPlan> inputs() {
      return List.of();
    }
  }

  record Calculated(BinaryOperator operator, Scalar left, Scalar right) implements Scalar {
    @Override
    public StepTimes steps() {
      return left.steps();
    }

    @Override
    public List<StepPlan> inputs() {
      return List.of(left, right);
    }
  }

  record Negative(Scalar input) implements Scalar {
    @Override
    public StepTimes steps() {
      return input.steps();
    }

    @Override
    public List<StepPlan> inputs() {
      return List.of(input);
    }
  }

  /** The value of the only element of a vector; NaN if it has none or several. */
  record OnlyElement(Vector input) implements Scalar {
    @Override
    public StepTimes steps() {
      return input.steps();
    }

    @Override
    public List<StepPlan> inputs() {
      return List.of(input);
    }
  }

  /** Has several samples of each series for a step: those of a stretch of time before it. */
  sealed interface Range extends StepPlan {
    /** Returns the ends of the stretches. */
    Instants at();

    /** Returns their length in ms. */
    long length();

    @Override
    default StepTimes steps() {
      return at().steps();
    }
  }

  /** Stored samples. */
  record Stored(Scan scan, Instants at, long length) implements Range, Scanning {
    @Override
    public Stored over(Scan other) {
      return new Stored(other, at, length);
    }
  }

  /** A subquery: another plan, evaluated at its own steps. */
  record Stepped(StepPlan input, Instants at, long length) implements Range {
    @Override
    public List<StepPlan> inputs() {
      return List.of(input);
    }
  }

  /** Has rows: series with a value or no value at every step. */
  sealed interface Vector extends StepPlan {}

  /** Computes one row from the samples of each series. */
  sealed interface SeriesOperator extends Vector {}

  /** Processes the rows of one vector one by one. */
  sealed interface RowOperator extends Vector {
    Vector input();

    @Override
    default StepTimes steps() {
      return input().steps();
    }

    @Override
    default List<StepPlan> inputs() {
      return List.of(input());
    }
  }

  /** An empty vector. */
  record Nothing(StepTimes steps) implements Vector {
    @Override
    public List<StepPlan> inputs() {
      return List.of();
    }
  }

  /**
   * The newest sample of each series within the look-back.
   *
   * @param lookback maximum age, in ms
   * @param timestamps whether to return the time in seconds instead of the value
   */
  record Newest(Scan scan, Instants at, long lookback, boolean timestamps)
      implements SeriesOperator, Scanning {
    @Override
    public StepTimes steps() {
      return at.steps();
    }

    @Override
    public Newest over(Scan other) {
      return new Newest(other, at, lookback, timestamps);
    }
  }

  /**
   * A function of the samples of a range.
   *
   * @param parameter its numeric parameter; null if it has none
   * @param position position of its argument
   */
  record Window(
      WindowFunction function, Range input, @Nullable Scalar parameter, QueryPosition position)
      implements SeriesOperator {
    @Override
    public StepTimes steps() {
      return input.steps();
    }

    @Override
    public List<StepPlan> inputs() {
      return parameter == null ? List.of(input) : List.of(input, parameter);
    }

    public boolean keepsName() {
      return function == WindowFunction.LAST_OVER_TIME;
    }

    /** Returns whether it checks that names are those of counters. */
    public boolean looksAtName() {
      return function == WindowFunction.RATE || function == WindowFunction.INCREASE;
    }

    @Override
    public List<QueryPosition> positions() {
      return List.of(position);
    }
  }

  /** A function of each value separately, such as {@code abs} or {@code clamp}. */
  record Each(SampleFunction function, Vector input, List<Scalar> parameters)
      implements RowOperator {
    @Override
    public List<StepPlan> inputs() {
      return joined(input, parameters);
    }
  }

  /** A function of the time of every step, such as {@code hour()}. */
  record OfTime(SampleFunction function, StepTimes steps) implements Vector {
    @Override
    public List<StepPlan> inputs() {
      return List.of();
    }
  }

  /**
   * An operator between every value and a number.
   *
   * @param bool whether a comparison returns 0 or 1
   * @param numberLeft whether the number is the left operand
   */
  record WithNumber(
      BinaryOperator operator, boolean bool, boolean numberLeft, Vector input, Scalar number)
      implements RowOperator {
    @Override
    public List<StepPlan> inputs() {
      return numberLeft ? List.of(number, input) : List.of(input, number);
    }

    public boolean keepsName() {
      return operator.isComparison() && !bool;
    }
  }

  /** Negates every value. */
  record Negated(Vector input) implements RowOperator {}

  /**
   * An operator between two vectors.
   *
   * @param bool whether a comparison returns 0 or 1
   */
  record Join(
      BinaryOperator operator, boolean bool, VectorMatching matching, Vector left, Vector right)
      implements Vector {
    @Override
    public StepTimes steps() {
      return left.steps();
    }

    @Override
    public List<StepPlan> inputs() {
      return List.of(left, right);
    }
  }

  /**
   * Aggregates groups of series.
   *
   * @param parameter its numeric parameter; null if it has none
   * @param label the label that {@code count_values} adds; empty for others
   * @param without whether {@code labels} are excluded from the grouping instead of defining it
   * @param position position of the parameter, or of the operator if it has none
   */
  record Aggregate(
      AggregateOperator operator,
      @Nullable Scalar parameter,
      String label,
      Vector input,
      List<String> labels,
      boolean without,
      QueryPosition position)
      implements RowOperator {
    public Aggregate {
      labels = List.copyOf(labels);
    }

    @Override
    public List<QueryPosition> positions() {
      return List.of(position);
    }

    @Override
    public List<StepPlan> inputs() {
      return parameter == null ? List.of(input) : List.of(input, parameter);
    }
  }

  /** 1 where the input has no value. */
  record Absent(Vector input, List<LabelMatcher> matchers) implements RowOperator {}

  /**
   * Sorts rows by value; for a single step only.
   *
   * @param descending whether the largest value comes first
   */
  record Sorted(Vector input, boolean descending) implements RowOperator {}

  /**
   * Sets a label to a replacement if another one matches a pattern.
   *
   * @param target label that is set
   * @param replacement text with references to groups of the pattern
   * @param source label that is matched
   * @param pattern regular expression
   */
  record LabelReplace(
      Vector input, String target, String replacement, String source, String pattern)
      implements RowOperator {}

  /**
   * Sets a label to the values of other labels.
   *
   * @param target label that is set
   */
  record LabelJoin(Vector input, String target, String separator, List<String> sources)
      implements RowOperator {}

  /**
   * A function of classic histograms: {@code histogram_quantile} with one number, {@code
   * histogram_fraction} with two.
   */
  record OfHistograms(
      List<Scalar> numbers, Vector input, QueryPosition numberPosition, QueryPosition position)
      implements RowOperator {
    @Override
    public List<StepPlan> inputs() {
      return joined(input, numbers);
    }

    @Override
    public List<QueryPosition> positions() {
      return List.of(numberPosition, position);
    }
  }

  /** An empty vector whose input is still evaluated, as it may have errors. */
  record Ignored(Vector input) implements RowOperator {}

  /** A number as the only element of a vector. */
  record OfNumber(Scalar number) implements Vector {
    @Override
    public StepTimes steps() {
      return number.steps();
    }

    @Override
    public List<StepPlan> inputs() {
      return List.of(number);
    }
  }

  /** An expression that is the same at every step, evaluated for one. */
  record Repeated(Vector input, StepTimes steps) implements RowOperator {}

  /**
   * An expression that is evaluated once and used in several places, or evaluated together with
   * others.
   *
   * @param number identifies the kept expression
   */
  record Kept(int number, Vector input) implements Vector {
    @Override
    public StepTimes steps() {
      return input.steps();
    }

    @Override
    public List<StepPlan> inputs() {
      return List.of(input);
    }
  }

  private static List<StepPlan> joined(StepPlan first, List<? extends StepPlan> others) {
    List<StepPlan> all = new ArrayList<>();
    all.add(first);
    all.addAll(others);
    return all;
  }
}
