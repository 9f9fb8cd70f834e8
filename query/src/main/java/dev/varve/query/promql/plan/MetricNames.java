package dev.varve.query.promql.plan;

import dev.varve.query.promql.LabelMatcher;

/** Determines from a plan alone whether its series differ in labels other than the name. */
public final class MetricNames {
  private MetricNames() {}

  /** Returns whether all series of a plan certainly have the same name, or none. */
  public static boolean isOne(StepPlan plan) {
    return switch (plan) {
      case StepPlan.Newest newest -> isOne(newest.scan());
      case StepPlan.Stored stored -> isOne(stored.scan());
      case StepPlan.Stepped stepped -> isOne(stepped.input());
      case StepPlan.Window window -> !window.keepsName() || isOne(window.input());
      case StepPlan.WithNumber with -> !with.keepsName() || isOne(with.input());
      case StepPlan.Join join -> isOne(join);
      case StepPlan.Aggregate aggregate -> isOne(aggregate);
      case StepPlan.Sorted sorted -> isOne(sorted.input());
      case StepPlan.Repeated repeated -> isOne(repeated.input());
      case StepPlan.Kept kept -> isOne(kept.input());
      case StepPlan.LabelReplace replace -> false;
      case StepPlan.LabelJoin join -> false;
      case StepPlan.Nothing nothing -> true;
      case StepPlan.Each each -> true;
      case StepPlan.OfTime time -> true;
      case StepPlan.Negated negated -> true;
      case StepPlan.Absent absent -> true;
      case StepPlan.OfHistograms histograms -> true;
      case StepPlan.Ignored ignored -> true;
      case StepPlan.OfNumber number -> true;
      case StepPlan.Scalar number -> true;
    };
  }

  private static boolean isOne(Scan scan) {
    return scan.matchers().stream()
        .anyMatch(matcher ->
            matcher.name().equals(LabelMatcher.METRIC_NAME)
                && matcher.operator() == LabelMatcher.Operator.EQUAL);
  }

  private static boolean isOne(StepPlan.Join join) {
    if (join.matching().include().contains(LabelMatcher.METRIC_NAME)) {
      return false;
    }
    return switch (join.operator()) {
      case OR -> false;
      case AND, UNLESS -> isOne(join.left());
      case EQUAL,
          NOT_EQUAL,
          LESS,
          LESS_OR_EQUAL,
          GREATER,
          GREATER_OR_EQUAL,
          ADD,
          SUBTRACT,
          MULTIPLY,
          DIVIDE,
          MODULO,
          ATAN2,
          POWER ->
          !join.operator().isComparison()
              || join.bool()
              || (isOne(join.left()) && isOne(join.right()));
    };
  }

  private static boolean isOne(StepPlan.Aggregate aggregate) {
    return switch (aggregate.operator()) {
      case TOPK, BOTTOMK -> isOne(aggregate.input());
      case COUNT_VALUES -> false;
      case AVG, COUNT, GROUP, LIMITK, LIMIT_RATIO, MAX, MIN, QUANTILE, STDDEV, STDVAR, SUM ->
          !aggregate.labels().contains(LabelMatcher.METRIC_NAME) || aggregate.without();
    };
  }
}
