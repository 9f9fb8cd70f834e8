package dev.varve.query.promql.plan;

import dev.varve.query.promql.AggregateOperator;
import dev.varve.query.promql.LabelMatcher;
import java.util.ArrayList;
import java.util.List;

/**
 * Pushes down to scans which labels are used: those by which the aggregation above groups. All
 * labels are kept where series that differ in other labels only would be an error.
 */
final class ProjectionPushDown {
  private static final Projection NOBODY_GROUPS = Projection.ALL;

  private ProjectionPushDown() {}

  static StepPlan apply(StepPlan plan) {
    return down(plan, NOBODY_GROUPS);
  }

  private static StepPlan down(StepPlan plan, Projection wanted) {
    return switch (plan) {
      case StepPlan.Newest newest -> newest.over(newest.scan().with(wanted));
      case StepPlan.Window window -> window(window, wanted);
      case StepPlan.Each each -> over(each, each.input(), wanted);
      case StepPlan.WithNumber with -> over(with, with.input(), wanted);
      case StepPlan.Negated negated -> over(negated, negated.input(), wanted);
      case StepPlan.Repeated repeated ->
          new StepPlan.Repeated((StepPlan.Vector) down(repeated.input(), wanted), repeated.steps());
      case StepPlan.Aggregate aggregate -> {
        Projection labels = labels(aggregate);
        yield Rewriting.inputs(
            aggregate,
            input -> down(input, input instanceof StepPlan.Vector ? labels : NOBODY_GROUPS));
      }
      case StepPlan.Scalar _,
          StepPlan.Range _,
          StepPlan.Nothing _,
          StepPlan.OfTime _,
          StepPlan.Join _,
          StepPlan.Absent _,
          StepPlan.Sorted _,
          StepPlan.LabelReplace _,
          StepPlan.LabelJoin _,
          StepPlan.OfHistograms _,
          StepPlan.Ignored _,
          StepPlan.OfNumber _,
          StepPlan.Kept _ ->
          Rewriting.inputs(plan, ProjectionPushDown::apply);
    };
  }

  /** Rows of one metric remain distinct without the name, so there is no check for duplicates. */
  private static StepPlan over(StepPlan plan, StepPlan.Vector of, Projection wanted) {
    Projection passed = MetricNames.isOne(of) ? wanted : NOBODY_GROUPS;
    return Rewriting.inputs(
        plan, input -> down(input, input instanceof StepPlan.Vector ? passed : NOBODY_GROUPS));
  }

  private static StepPlan window(StepPlan.Window window, Projection wanted) {
    boolean passes = window.keepsName() || MetricNames.isOne(window.input());
    if (!passes || !(window.input() instanceof StepPlan.Stored stored)) {
      return Rewriting.inputs(window, ProjectionPushDown::apply);
    }
    Projection labels = window.looksAtName() ? withName(wanted) : wanted;
    StepPlan.Range range = stored.over(stored.scan().with(labels));
    StepPlan.Scalar parameter =
        window.parameter() == null ? null : (StepPlan.Scalar) apply(window.parameter());
    return new StepPlan.Window(window.function(), range, parameter, window.position());
  }

  private static Projection withName(Projection labels) {
    List<String> names = new ArrayList<>(labels.names());
    if (labels.without()) {
      names.remove(LabelMatcher.METRIC_NAME);
    } else {
      names.add(LabelMatcher.METRIC_NAME);
    }
    return new Projection(names, labels.without());
  }

  private static Projection labels(StepPlan.Aggregate aggregate) {
    boolean keepsSeries =
        aggregate.operator() == AggregateOperator.TOPK
            || aggregate.operator() == AggregateOperator.BOTTOMK;
    if (keepsSeries) {
      return NOBODY_GROUPS;
    }
    List<String> names = new ArrayList<>(aggregate.labels());
    if (aggregate.without()) {
      names.add(LabelMatcher.METRIC_NAME);
    }
    return new Projection(names, aggregate.without());
  }
}
