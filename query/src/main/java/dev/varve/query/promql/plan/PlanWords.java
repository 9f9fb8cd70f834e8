package dev.varve.query.promql.plan;

import dev.varve.query.Outline;
import dev.varve.query.PlanTree;
import dev.varve.query.ReadOutline;
import dev.varve.query.promql.Durations;
import dev.varve.query.promql.Expr;
import dev.varve.query.promql.LabelMatcher;
import dev.varve.query.promql.Modifiers;
import dev.varve.query.promql.Printer;
import dev.varve.query.promql.SourceRange;
import dev.varve.query.promql.VectorMatching;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Describes plans in words. */
public final class PlanWords {
  private final OptimisedPlan plan;
  private final Function<StepPlan, PlanTree.@Nullable Figures> actual;
  private final Function<Scan, ReadOutline> reads;
  private final Set<Integer> shown = new HashSet<>();

  /**
   * Creates the description of a plan.
   *
   * @param actual returns the measured figures of an operator; null if it was not run
   * @param reads outlines a scan
   */
  public PlanWords(
      OptimisedPlan plan,
      Function<StepPlan, PlanTree.@Nullable Figures> actual,
      Function<Scan, ReadOutline> reads) {
    this.plan = plan;
    this.actual = actual;
    this.reads = reads;
  }

  public Outline outline() {
    return tree(plan.root());
  }

  private Outline tree(StepPlan node) {
    List<Outline> inputs = new ArrayList<>();
    boolean again = node instanceof StepPlan.Kept kept && !shown.add(kept.number());
    if (!again) {
      node.inputs().forEach(input -> inputs.add(tree(input)));
    }
    return new Outline(
        operator(node), again ? "as above" : detail(node), read(node), actual.apply(node), inputs);
  }

  private @Nullable ReadOutline read(StepPlan node) {
    return node instanceof StepPlan.Scanning scanning ? reads.apply(scanning.scan()) : null;
  }

  private static String operator(StepPlan node) {
    return switch (node) {
      case StepPlan.Constant constant -> "number";
      case StepPlan.EvaluationTime time -> "time of the step";
      case StepPlan.Calculated calculated -> "calculate";
      case StepPlan.Negative negative -> "negative";
      case StepPlan.OnlyElement only -> "scalar";
      case StepPlan.Stored stored -> "samples";
      case StepPlan.Stepped stepped -> "subquery";
      case StepPlan.Nothing nothing -> "nothing";
      case StepPlan.Newest newest -> "newest sample";
      case StepPlan.Window window -> window.function().text();
      case StepPlan.Each each -> each.function().text();
      case StepPlan.OfTime of -> of.function().text();
      case StepPlan.WithNumber with -> with.operator().text();
      case StepPlan.Negated negated -> "negative";
      case StepPlan.Join join -> join.operator().text();
      case StepPlan.Aggregate aggregate -> aggregate.operator().text();
      case StepPlan.Absent absent -> "absent";
      case StepPlan.Sorted sorted -> "sort";
      case StepPlan.LabelReplace replace -> "label_replace";
      case StepPlan.LabelJoin join -> "label_join";
      case StepPlan.OfHistograms of ->
          of.numbers().size() == 1 ? "histogram_quantile" : "histogram_fraction";
      case StepPlan.Ignored ignored -> "ignore";
      case StepPlan.OfNumber number -> "vector";
      case StepPlan.Repeated repeated -> "repeat";
      case StepPlan.Kept kept -> "kept " + kept.number();
    };
  }

  private String detail(StepPlan node) {
    return switch (node) {
      case StepPlan.Constant constant -> text(constant.value());
      case StepPlan.Calculated calculated -> calculated.operator().text();
      case StepPlan.Stored stored -> "of " + length(stored.length()) + " up to " + at(stored.at());
      case StepPlan.Stepped stepped -> subquery(stepped);
      case StepPlan.Newest newest ->
          "up to %s, at most %s old%s"
              .formatted(
                  at(newest.at()),
                  length(newest.lookback()),
                  newest.timestamps() ? "; its time" : "");
      case StepPlan.WithNumber with ->
          (with.numberLeft() ? "number left" : "number right") + (with.bool() ? ", 0 or 1" : "");
      case StepPlan.Join join -> matching(join.matching()) + (join.bool() ? ", 0 or 1" : "");
      case StepPlan.Aggregate aggregate -> grouping(aggregate);
      case StepPlan.Sorted sorted -> sorted.descending() ? "descending" : "ascending";
      case StepPlan.LabelReplace replace ->
          String.join(
              ", ", replace.target(), replace.replacement(), replace.source(), replace.pattern());
      case StepPlan.LabelJoin join ->
          Stream.concat(Stream.of(join.target(), join.separator()), join.sources().stream())
              .collect(Collectors.joining(", "));
      case StepPlan.Repeated repeated ->
          "evaluated once for all %,d steps".formatted(repeated.steps().count());
      case StepPlan.Kept kept -> kept(kept);
      case StepPlan.EvaluationTime _,
          StepPlan.Negative _,
          StepPlan.OnlyElement _,
          StepPlan.Nothing _,
          StepPlan.Window _,
          StepPlan.Each _,
          StepPlan.OfTime _,
          StepPlan.Negated _,
          StepPlan.Absent _,
          StepPlan.OfHistograms _,
          StepPlan.Ignored _,
          StepPlan.OfNumber _ ->
          "";
    };
  }

  private static String text(double value) {
    return value == Math.rint(value) && Math.abs(value) < 1e15
        ? Long.toString((long) value)
        : Double.toString(value);
  }

  private static String length(long millis) {
    return Durations.text(Duration.ofMillis(millis));
  }

  private static String at(Instants at) {
    if (at.fixed()) {
      return Instant.ofEpochMilli(at.first()).toString();
    }
    long offset = at.steps().start() - at.first();
    return offset == 0
        ? "each step"
        : offset > 0 ? length(offset) + " before each step" : length(-offset) + " after each step";
  }

  private static String subquery(StepPlan.Stepped plan) {
    StepTimes steps = plan.input().steps();
    return "of %s up to %s: %,d steps of %s"
        .formatted(length(plan.length()), at(plan.at()), steps.count(), length(steps.step()));
  }

  private static String matching(VectorMatching matching) {
    String labels =
        matching.on()
            ? "on (" + String.join(", ", matching.labels()) + ")"
            : matching.labels().isEmpty()
                ? "on all labels"
                : "ignoring (" + String.join(", ", matching.labels()) + ")";
    return labels + ", " + matching.cardinality().text();
  }

  private static String grouping(StepPlan.Aggregate plan) {
    String made = plan.label().isEmpty() ? "" : " into label " + plan.label();
    String labels = "(" + String.join(", ", plan.labels()) + ")";
    return (plan.without() ? "without " + labels : plan.labels().isEmpty() ? "all" : "by " + labels)
        + made;
  }

  private String kept(StepPlan.Kept kept) {
    int uses = plan.uses().getOrDefault(kept.number(), 1);
    boolean along =
        plan.shared().stream()
            .flatMap(shared -> shared.users().stream())
            .anyMatch(user -> user.number() == kept.number());
    String once = uses > 1 ? "evaluated once, used in %d places".formatted(uses) : "";
    String read = along ? "evaluated while its scan is read for others" : "";
    return once + (once.isEmpty() || read.isEmpty() ? "" : "; ") + read;
  }

  /** Formats the selector of a scan. */
  public static String selector(Scan scan) {
    String name = "";
    List<LabelMatcher> matchers = new ArrayList<>();
    for (LabelMatcher matcher : scan.matchers()) {
      boolean isName =
          matcher.name().equals(LabelMatcher.METRIC_NAME)
              && matcher.operator() == LabelMatcher.Operator.EQUAL
              && name.isEmpty()
              && matcher.value().matches("[a-zA-Z_:][a-zA-Z0-9_:]*");
      if (isName) {
        name = matcher.value();
      }
      matchers.add(matcher);
    }
    return Printer.print(
        new Expr.VectorSelector(name, matchers, Modifiers.NONE, new SourceRange(0, 0)));
  }

  /** Describes the labels of a scan. */
  public static String labels(Scan scan) {
    Projection labels = scan.labels();
    if (labels.isAll()) {
      return "all";
    }
    String names = String.join(", ", labels.names());
    return labels.without() ? "all but " + names : names.isEmpty() ? "none" : names;
  }
}
