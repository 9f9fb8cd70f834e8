package dev.varve.query.promql.plan;

import dev.varve.query.promql.AggregateOperator;
import dev.varve.query.promql.BinaryOperator;
import dev.varve.query.promql.LabelMatcher;
import dev.varve.query.promql.VectorMatching;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An operator of a PromQL query and what it works on. Every node knows the steps for which it is
 * worked out, and every scan the times it reads, so that offsets, {@code @} and the steps of
 * subqueries are gone from the tree. Two nodes are equal where they give the same.
 */
public sealed interface StepPlan {
  Steps steps();

  /** What it works on, in the order of the query. */
  List<StepPlan> inputs();

  /** Gives a number at every step. */
  sealed interface Scalar extends StepPlan {}

  record Constant(Steps steps, double value) implements Scalar {
    @Override
    public List<StepPlan> inputs() {
      return List.of();
    }
  }

  /** The time of each step, in seconds. */
  record EvaluationTime(Steps steps) implements Scalar {
    @Override
    public List<StepPlan> inputs() {
      return List.of();
    }
  }

  record Calculated(BinaryOperator operator, Scalar left, Scalar right) implements Scalar {
    @Override
    public Steps steps() {
      return left.steps();
    }

    @Override
    public List<StepPlan> inputs() {
      return List.of(left, right);
    }
  }

  record Negative(Scalar input) implements Scalar {
    @Override
    public Steps steps() {
      return input.steps();
    }

    @Override
    public List<StepPlan> inputs() {
      return List.of(input);
    }
  }

  /** The value of the one element of a vector; NaN where it has none or several. */
  record OnlyElement(Vector input) implements Scalar {
    @Override
    public Steps steps() {
      return input.steps();
    }

    @Override
    public List<StepPlan> inputs() {
      return List.of(input);
    }
  }

  /** Gives several samples of each series for a step: those of a stretch of time before it. */
  sealed interface Range extends StepPlan {
    /** What the stretches end at. */
    Instants at();

    /** How long they are, in ms. */
    long length();

    @Override
    default Steps steps() {
      return at().steps();
    }
  }

  /** Samples as they are stored. */
  record Stored(Scan scan, Instants at, long length) implements Range {
    @Override
    public List<StepPlan> inputs() {
      return List.of();
    }
  }

  /** What something else gives at steps of its own: a subquery. */
  record Stepped(StepPlan input, Instants at, long length) implements Range {
    @Override
    public List<StepPlan> inputs() {
      return List.of(input);
    }
  }

  /** Gives rows: series with a value, or none, at every step. */
  sealed interface Vector extends StepPlan {}

  /** Nothing, since nothing can be there. */
  record Nothing(Steps steps) implements Vector {
    @Override
    public List<StepPlan> inputs() {
      return List.of();
    }
  }

  /**
   * The newest sample of each series, if it is not too old.
   *
   * @param lookback how old it may be, in ms
   * @param timestamps whether its time is given, in seconds, and not its value
   */
  record Newest(Scan scan, Instants at, long lookback, boolean timestamps) implements Vector {
    @Override
    public Steps steps() {
      return at.steps();
    }

    @Override
    public List<StepPlan> inputs() {
      return List.of();
    }
  }

  /**
   * A function of the samples of a range.
   *
   * @param function its name
   * @param parameter its number; null where it has none
   * @param place of its argument
   */
  record Window(String function, Range input, @Nullable Scalar parameter, Place place)
      implements Vector {
    @Override
    public Steps steps() {
      return input.steps();
    }

    @Override
    public List<StepPlan> inputs() {
      return parameter == null ? List.of(input) : List.of(input, parameter);
    }

    public boolean keepsName() {
      return function.equals("last_over_time");
    }

    /** Whether it tells of names that are perhaps none of a counter. */
    public boolean looksAtName() {
      return function.equals("rate") || function.equals("increase");
    }
  }

  /** A function of every value for itself, such as {@code abs} or {@code clamp}. */
  record Each(String function, Vector input, List<Scalar> parameters) implements Vector {
    @Override
    public Steps steps() {
      return input.steps();
    }

    @Override
    public List<StepPlan> inputs() {
      return joined(input, parameters);
    }
  }

  /** A function of the time of every step, such as {@code hour()}. */
  record OfTime(String function, Steps steps) implements Vector {
    @Override
    public List<StepPlan> inputs() {
      return List.of();
    }
  }

  /**
   * An operator between every value and a number.
   *
   * @param bool whether a comparison gives 0 and 1
   * @param numberLeft whether the number stands left
   */
  record WithNumber(
      BinaryOperator operator, boolean bool, boolean numberLeft, Vector input, Scalar number)
      implements Vector {
    @Override
    public Steps steps() {
      return input.steps();
    }

    @Override
    public List<StepPlan> inputs() {
      return numberLeft ? List.of(number, input) : List.of(input, number);
    }

    public boolean keepsName() {
      return operator.isComparison() && !bool;
    }
  }

  /** Every value with the other sign. */
  record Negated(Vector input) implements Vector {
    @Override
    public Steps steps() {
      return input.steps();
    }

    @Override
    public List<StepPlan> inputs() {
      return List.of(input);
    }
  }

  /** An operator between two vectors. */
  record Join(
      BinaryOperator operator, boolean bool, VectorMatching matching, Vector left, Vector right)
      implements Vector {
    @Override
    public Steps steps() {
      return left.steps();
    }

    @Override
    public List<StepPlan> inputs() {
      return List.of(left, right);
    }
  }

  /**
   * Groups of series, each made one or a few.
   *
   * @param parameter its number; null where it has none
   * @param label the label that {@code count_values} makes; empty for others
   * @param without whether {@code labels} are what does not make a group
   * @param place of the parameter, or of the operator where it has none
   */
  record Aggregate(
      AggregateOperator operator,
      @Nullable Scalar parameter,
      String label,
      Vector input,
      List<String> labels,
      boolean without,
      Place place)
      implements Vector {
    public Aggregate {
      labels = List.copyOf(labels);
    }

    @Override
    public Steps steps() {
      return input.steps();
    }

    @Override
    public List<StepPlan> inputs() {
      return parameter == null ? List.of(input) : List.of(input, parameter);
    }
  }

  /** 1 where the input has nothing. */
  record Absent(Vector input, List<LabelMatcher> matchers) implements Vector {
    @Override
    public Steps steps() {
      return input.steps();
    }

    @Override
    public List<StepPlan> inputs() {
      return List.of(input);
    }
  }

  /** By their values; only where there is one step. */
  record Sorted(Vector input, boolean descending) implements Vector {
    @Override
    public Steps steps() {
      return input.steps();
    }

    @Override
    public List<StepPlan> inputs() {
      return List.of(input);
    }
  }

  /** {@code label_replace} or {@code label_join}, and what it is to do. */
  record Relabelled(String function, Vector input, List<String> texts) implements Vector {
    @Override
    public Steps steps() {
      return input.steps();
    }

    @Override
    public List<StepPlan> inputs() {
      return List.of(input);
    }
  }

  /**
   * A question to classic histograms: {@code histogram_quantile} with one number, {@code
   * histogram_fraction} with two.
   */
  record OfHistograms(List<Scalar> numbers, Vector input, Place numberPlace, Place place)
      implements Vector {
    @Override
    public Steps steps() {
      return input.steps();
    }

    @Override
    public List<StepPlan> inputs() {
      return joined(input, numbers);
    }
  }

  /** Nothing, but what goes into it is worked out, as it may be wrong. */
  record Ignored(Vector input) implements Vector {
    @Override
    public Steps steps() {
      return input.steps();
    }

    @Override
    public List<StepPlan> inputs() {
      return List.of(input);
    }
  }

  /** A number as the one element of a vector. */
  record OfNumber(Scalar number) implements Vector {
    @Override
    public Steps steps() {
      return number.steps();
    }

    @Override
    public List<StepPlan> inputs() {
      return List.of(number);
    }
  }

  /** What is the same at every step, worked out for one. */
  record Repeated(Vector input, Steps steps) implements Vector {
    @Override
    public List<StepPlan> inputs() {
      return List.of(input);
    }
  }

  /**
   * What is worked out once and used in several places, or worked out along with something else.
   *
   * @param number which of those that are kept
   */
  record Kept(int number, Vector input) implements Vector {
    @Override
    public Steps steps() {
      return input.steps();
    }

    @Override
    public List<StepPlan> inputs() {
      return List.of(input);
    }
  }

  private static List<StepPlan> joined(StepPlan first, List<? extends StepPlan> others) {
    List<StepPlan> all = new java.util.ArrayList<>();
    all.add(first);
    all.addAll(others);
    return all;
  }
}
