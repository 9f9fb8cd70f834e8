package dev.varve.query;

import dev.varve.model.Resolution;
import dev.varve.query.QueryPlan.PerSeries;
import dev.varve.query.QueryPlan.Select;
import dev.varve.query.limit.QueryLimits;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Outlines plans over samples: their operators, and the reads at the bottom. */
final class PlanOutline {
  private final Resolution resolution;
  private final QueryLimits limits;
  private final @Nullable Analysis<QueryPlan, Select> analysis;

  /**
   * Creates the outline of plans of one request.
   *
   * @param resolution the unit of the plans' times
   * @param limits the limits of their reads
   * @param analysis the figures of a run; null if the plans were not run
   */
  PlanOutline(
      Resolution resolution, QueryLimits limits, @Nullable Analysis<QueryPlan, Select> analysis) {
    this.resolution = resolution;
    this.limits = limits;
    this.analysis = analysis;
  }

  Outline of(QueryPlan plan) {
    return tree(plan, labels(QueryPlan.mergeOf(plan)));
  }

  private static String labels(QueryPlan.@Nullable Merge merge) {
    return merge == null ? "all" : merge.labels().isEmpty() ? "none" : names(merge.labels());
  }

  private static String names(List<String> names) {
    return String.join(", ", names);
  }

  private Outline tree(QueryPlan plan, String labels) {
    return switch (plan) {
      case Select select -> select(select, labels);
      case QueryPlan.Merge merge -> node(merge, "merge", detail(merge), merge.input(), labels);
      case QueryPlan.GroupBy group ->
          node(
              group,
              "aggregate series",
              group.aggregation() + " by " + names(group.labels()),
              group.input(),
              labels);
      case QueryPlan.Align align ->
          node(align, "align", "by " + names(align.labels()), align.input(), labels);
      case QueryPlan.Split split ->
          node(split, "split", String.valueOf(split.by()), split.input(), labels);
      case QueryPlan.Order order ->
          node(
              order,
              "order",
              order.by() + (order.descending() ? ", descending" : ""),
              order.input(),
              labels);
      case QueryPlan.Limit limit -> node(limit, "limit", detail(limit), limit.input(), labels);
      case QueryPlan.Numbers numbers ->
          operator(numbers, numbers.operator(), "; texts pass unchanged", labels);
      case PerSeries operator -> operator(operator, operator, "", labels);
    };
  }

  private Outline select(Select select, String labels) {
    ReadOutline read =
        ReadOutline.of(
            QueryRun.request(select, select.selector(), select.times(), limits),
            resolution,
            labels,
            analysis == null ? null : analysis.read(select).actual());
    return new Outline("select", detail(select), read, figures(select), List.of());
  }

  private PlanTree.@Nullable Figures figures(QueryPlan plan) {
    return analysis == null ? null : analysis.figures(plan);
  }

  private Outline node(QueryPlan plan, String name, String detail, QueryPlan input, String labels) {
    return new Outline(name, detail, null, figures(plan), List.of(tree(input, labels)));
  }

  private static String detail(Select select) {
    return ReadOutline.text(select.selector())
        + (select.newest() > 0 ? ", the newest " + select.newest() + " of each series" : "");
  }

  private static String detail(QueryPlan.Merge merge) {
    return (merge.labels().isEmpty() ? "all series" : "by " + names(merge.labels()))
        + (merge.descending() ? ", newest first" : "")
        + (merge.perSeries() > 0 ? ", at most " + merge.perSeries() + " of each series" : "");
  }

  private static String detail(QueryPlan.Limit limit) {
    String series = limit.series() > 0 ? limit.series() + " series" : "";
    String samples = limit.samples() > 0 ? limit.samples() + " samples of each" : "";
    return series.isEmpty() || samples.isEmpty() ? series + samples : series + ", " + samples;
  }

  /**
   * Outlines an operator on single series.
   *
   * @param node the operator, or what wraps it
   */
  private Outline operator(QueryPlan node, PerSeries operator, String more, String labels) {
    String detail =
        switch (operator) {
          case QueryPlan.Downsample plan ->
              "%s of %s, at its %s".formatted(plan.aggregation(), plan.windows(), plan.stamp());
          case QueryPlan.Rolling plan ->
              "%s of %s, each %d long".formatted(plan.aggregation(), plan.windows(), plan.extent());
          case QueryPlan.Rate plan -> "per %d %s".formatted(plan.per().count(), plan.per().unit());
          case QueryPlan.Difference _ -> "";
          case QueryPlan.Scale plan ->
              "times %s, divided by %s".formatted(plan.factor(), plan.divisor());
          case QueryPlan.MovingAverage plan -> "of %d samples".formatted(plan.size());
          case QueryPlan.Refuse plan -> plan.reason();
          case QueryPlan.Trim plan -> (plan.first() ? "first " : "") + (plan.last() ? "last" : "");
          case QueryPlan.Drop plan ->
              plan.comparison() + " " + (plan.text() == null ? plan.number() : plan.text());
          case QueryPlan.Score plan -> "thresholds " + plan.thresholds();
          case QueryPlan.Gaps plan -> "of " + plan.windows();
          case QueryPlan.Copy plan -> "to receiver " + plan.receiver();
        };
    return node(node, name(operator), detail.strip() + more, operator.input(), labels);
  }

  private static String name(PerSeries operator) {
    return switch (operator) {
      case QueryPlan.Downsample _ -> "downsample";
      case QueryPlan.Rolling _ -> "rolling";
      case QueryPlan.Rate plan -> plan.difference() ? "rate" : "sampler";
      case QueryPlan.Difference _ -> "difference";
      case QueryPlan.Scale _ -> "scale";
      case QueryPlan.MovingAverage _ -> "moving average";
      case QueryPlan.Refuse _ -> "refuse";
      case QueryPlan.Trim _ -> "trim";
      case QueryPlan.Drop _ -> "drop";
      case QueryPlan.Score _ -> "score";
      case QueryPlan.Gaps _ -> "gaps";
      case QueryPlan.Copy _ -> "copy";
    };
  }
}
