package dev.varve.query;

import dev.varve.engine.Dataset;
import dev.varve.engine.QueryExplanation;
import dev.varve.model.Resolution;
import dev.varve.model.Selector;
import dev.varve.model.TagFilter;
import dev.varve.query.PlanExplanation.ScanExplanation;
import dev.varve.query.QueryPlan.PerSeries;
import dev.varve.query.QueryPlan.Select;
import dev.varve.query.running.QueryUse;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Explains plans over samples: their operators, and how their samples are read. */
public final class PlanOutline {
  private PlanOutline() {}

  /**
   * Explains the plans of one request.
   *
   * @param root what the request is, in a word or two
   * @param analyze whether to read the samples as well; operators are not run
   */
  public static PlanExplanation explain(
      String root, List<QueryPlan> plans, Dataset dataset, QueryUse use, boolean analyze) {
    long start = System.nanoTime();
    List<PlanTree> trees = new ArrayList<>();
    List<ScanExplanation> scans = new ArrayList<>();
    for (QueryPlan plan : plans) {
      int number = scans.size() + 1;
      trees.add(tree(plan, number));
      QueryExplanation read = Query.of(plan).explain(dataset, analyze, use);
      scans.add(scan(number, plan, read, dataset.resolution()));
    }
    List<String> notes =
        analyze ? List.of("the samples were read; the operators were not run") : List.of();
    return new PlanExplanation(
        new PlanTree(root, "", null, null, trees),
        scans,
        notes,
        analyze ? System.nanoTime() - start : 0);
  }

  private static ScanExplanation scan(
      int number, QueryPlan plan, QueryExplanation read, Resolution resolution) {
    Select select = QueryPlan.selectionOf(plan);
    QueryPlan.Merge merge = QueryPlan.mergeOf(plan);
    QueryExplanation.Actual actual = read.actual();
    return new ScanExplanation(
        number,
        text(select.selector()),
        resolution.convert(select.times().from(), Resolution.MILLISECONDS),
        resolution.convert(select.times().to() - 1, Resolution.MILLISECONDS),
        merge == null ? "all" : merge.labels().isEmpty() ? "none" : names(merge.labels()),
        null,
        read,
        actual == null
            ? null
            : new PlanExplanation.Actual(
                actual.cost(), actual.series(), actual.samples(), actual.nanos(), 0));
  }

  private static String names(List<String> names) {
    return String.join(", ", names);
  }

  private static String text(Selector selector) {
    return selector.filters().stream()
        .map(PlanOutline::text)
        .collect(Collectors.joining(", ", "{", "}"));
  }

  private static String text(TagFilter filter) {
    return switch (filter) {
      case TagFilter.Equal equal -> "%s=\"%s\"".formatted(equal.name(), equal.value());
      case TagFilter.NotEqual not -> "%s!=\"%s\"".formatted(not.name(), not.value());
      case TagFilter.In in -> in.name() + " in " + new TreeSet<>(in.values());
      case TagFilter.Prefix prefix ->
          "%s starts with \"%s\"".formatted(prefix.name(), prefix.prefix());
      case TagFilter.Regex regex -> "%s=~\"%s\"".formatted(regex.name(), regex.pattern());
      case TagFilter.NotRegex not -> "%s!~\"%s\"".formatted(not.name(), not.pattern());
      case TagFilter.Has has -> "has " + has.name();
    };
  }

  private static PlanTree tree(QueryPlan plan, int scan) {
    return switch (plan) {
      case Select select -> new PlanTree("select", detail(select), scan, null, List.of());
      case QueryPlan.Merge merge -> node("merge", detail(merge), merge.input(), scan);
      case QueryPlan.GroupBy group ->
          node(
              "aggregate series",
              group.aggregation() + " by " + names(group.labels()),
              group.input(),
              scan);
      case QueryPlan.Align align ->
          node("align", "by " + names(align.labels()), align.input(), scan);
      case QueryPlan.Split split -> node("split", String.valueOf(split.by()), split.input(), scan);
      case QueryPlan.Order order ->
          node(
              "order",
              order.by() + (order.descending() ? ", descending" : ""),
              order.input(),
              scan);
      case QueryPlan.Limit limit -> node("limit", detail(limit), limit.input(), scan);
      case QueryPlan.Numbers numbers ->
          operator(numbers.operator(), "; texts pass unchanged", scan);
      case PerSeries operator -> operator(operator, "", scan);
    };
  }

  private static PlanTree node(String name, String detail, QueryPlan input, int scan) {
    return new PlanTree(name, detail, null, null, List.of(tree(input, scan)));
  }

  private static String detail(Select select) {
    return text(select.selector())
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

  private static PlanTree operator(PerSeries operator, String more, int scan) {
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
    return node(name(operator), detail.strip() + more, operator.input(), scan);
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
