package dev.varve.query.promql.plan;

import java.util.List;
import java.util.function.UnaryOperator;

/** Replaces the inputs of plans. */
final class Rewriting {
  private Rewriting() {}

  /** Returns the same operator over changed inputs, which must keep their types. */
  static StepPlan inputs(StepPlan plan, UnaryOperator<StepPlan> change) {
    return switch (plan) {
      case StepPlan.Scalar number -> number(number, change);
      case StepPlan.Range range -> range(range, change);
      case StepPlan.Vector vector -> vector(vector, change);
    };
  }

  private static StepPlan.Scalar number(StepPlan.Scalar number, UnaryOperator<StepPlan> change) {
    return switch (number) {
      case StepPlan.Constant same -> same;
      case StepPlan.EvaluationTime same -> same;
      case StepPlan.Calculated p ->
          new StepPlan.Calculated(
              p.operator(), changed(p.left(), change), changed(p.right(), change));
      case StepPlan.Negative p -> new StepPlan.Negative(changed(p.input(), change));
      case StepPlan.OnlyElement p -> new StepPlan.OnlyElement(changed(p.input(), change));
    };
  }

  private static StepPlan.Range range(StepPlan.Range range, UnaryOperator<StepPlan> change) {
    return switch (range) {
      case StepPlan.Stored same -> same;
      case StepPlan.Stepped p -> new StepPlan.Stepped(change.apply(p.input()), p.at(), p.length());
    };
  }

  private static StepPlan.Vector vector(StepPlan.Vector vector, UnaryOperator<StepPlan> change) {
    return switch (vector) {
      case StepPlan.Nothing same -> same;
      case StepPlan.Newest same -> same;
      case StepPlan.OfTime same -> same;
      case StepPlan.Window p ->
          new StepPlan.Window(
              p.function(),
              changed(p.input(), change),
              p.parameter() == null ? null : changed(p.parameter(), change),
              p.position());
      case StepPlan.Each p ->
          new StepPlan.Each(
              p.function(), changed(p.input(), change), changed(p.parameters(), change));
      case StepPlan.WithNumber p ->
          new StepPlan.WithNumber(
              p.operator(),
              p.bool(),
              p.numberLeft(),
              changed(p.input(), change),
              changed(p.number(), change));
      case StepPlan.Negated p -> new StepPlan.Negated(changed(p.input(), change));
      case StepPlan.Join p ->
          new StepPlan.Join(
              p.operator(),
              p.bool(),
              p.matching(),
              changed(p.left(), change),
              changed(p.right(), change));
      case StepPlan.Aggregate p ->
          new StepPlan.Aggregate(
              p.operator(),
              p.parameter() == null ? null : changed(p.parameter(), change),
              p.label(),
              changed(p.input(), change),
              p.labels(),
              p.without(),
              p.position());
      case StepPlan.Absent p -> new StepPlan.Absent(changed(p.input(), change), p.matchers());
      case StepPlan.Sorted p -> new StepPlan.Sorted(changed(p.input(), change), p.descending());
      case StepPlan.LabelReplace p ->
          new StepPlan.LabelReplace(
              changed(p.input(), change), p.target(), p.replacement(), p.source(), p.pattern());
      case StepPlan.LabelJoin p ->
          new StepPlan.LabelJoin(
              changed(p.input(), change), p.target(), p.separator(), p.sources());
      case StepPlan.OfHistograms p ->
          new StepPlan.OfHistograms(
              changed(p.numbers(), change),
              changed(p.input(), change),
              p.numberPosition(),
              p.position());
      case StepPlan.Ignored p -> new StepPlan.Ignored(changed(p.input(), change));
      case StepPlan.OfNumber p -> new StepPlan.OfNumber(changed(p.number(), change));
      case StepPlan.Repeated p -> new StepPlan.Repeated(changed(p.input(), change), p.steps());
      case StepPlan.Kept p -> new StepPlan.Kept(p.number(), changed(p.input(), change));
    };
  }

  private static StepPlan.Vector changed(StepPlan.Vector input, UnaryOperator<StepPlan> change) {
    return (StepPlan.Vector) change.apply(input);
  }

  private static StepPlan.Scalar changed(StepPlan.Scalar input, UnaryOperator<StepPlan> change) {
    return (StepPlan.Scalar) change.apply(input);
  }

  private static StepPlan.Range changed(StepPlan.Range input, UnaryOperator<StepPlan> change) {
    return (StepPlan.Range) change.apply(input);
  }

  private static List<StepPlan.Scalar> changed(
      List<StepPlan.Scalar> inputs, UnaryOperator<StepPlan> change) {
    return inputs.stream().map(input -> changed(input, change)).toList();
  }
}
