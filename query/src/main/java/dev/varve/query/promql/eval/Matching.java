package dev.varve.query.promql.eval;

import dev.varve.query.promql.BinaryOperator;
import dev.varve.query.promql.VectorMatching;
import dev.varve.query.promql.VectorMatching.Cardinality;
import dev.varve.query.promql.plan.Arithmetic;
import dev.varve.query.promql.plan.StepPlan;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A binary operator between two instant vectors. The "one" side, or the right side if both are, is
 * held in memory; the rows of the other side are processed as they arrive.
 */
final class Matching {
  private final StepPlan.Join join;
  private final VectorMatching matching;
  private final int steps;
  private final RowMemory held;
  private final Map<Labels, OneSide> ones = new HashMap<>();

  /** For one-to-one matching: the steps at which each signature has a result. */
  private final Map<Labels, Column> used = new HashMap<>();

  /** For other matchings: the steps at which these labels have a result. */
  private final Map<Labels, Column> results = new LinkedHashMap<>();

  /**
   * Steps at which rows of one signature collide, which is an error wherever the other side has an
   * element; null if there are none.
   */
  private @Nullable Column twins;

  private String firstTwins = "";

  /** The rows of one signature on the "one" side. */
  private static final class OneSide {
    private final Column seen;
    private final List<Labels> labels = new ArrayList<>();
    private final List<Column> columns = new ArrayList<>();

    OneSide(int steps) {
      this.seen = new Column(steps);
    }
  }

  Matching(StepPlan.Join join, RowMemory held) {
    this.join = join;
    this.matching = join.matching();
    this.steps = join.steps().count();
    this.held = held;
  }

  /** Returns whether the left side is the one for {@link #one}. */
  boolean isLeftOne() {
    return matching.cardinality() == Cardinality.ONE_TO_MANY;
  }

  Labels signature(Labels labels) {
    if (matching.on()) {
      return labels.only(matching.labels());
    }
    return labels.withoutMetric().without(matching.labels());
  }

  /** Receives a row of the "one" side. */
  void one(Labels labels, Column column) {
    held.row(steps);
    OneSide side =
        ones.computeIfAbsent(
            signature(labels),
            signature -> {
              held.row(steps);
              return new OneSide(steps);
            });
    if (side.seen.overlaps(column)) {
      noteTwins(side, labels, column);
    }
    side.seen.addAll(column);
    side.labels.add(labels);
    side.columns.add(column);
  }

  private void noteTwins(OneSide side, Labels labels, Column column) {
    if (twins == null) {
      int other = 0;
      while (!side.columns.get(other).overlaps(column)) {
        other++;
      }
      firstTwins =
          "found duplicate series for the match group %s on the %s hand-side of the operation: [%s, %s];many-to-many matching not allowed: matching labels must be unique on one side"
              .formatted(
                  signature(labels).inBraces(),
                  isLeftOne() ? "left" : "right",
                  labels.inBraces(),
                  side.labels.get(other).inBraces());
      twins = new Column(steps);
    }
    twins.addAll(side.seen.and(column));
  }

  /** Receives a row of the other side. */
  void many(Labels labels, Column column) {
    if (twins != null && twins.overlaps(column)) {
      throw new PromQlEvaluationException(firstTwins);
    }
    Labels signature = signature(labels);
    OneSide side = ones.get(signature);
    if (side == null) {
      return;
    }
    for (int i = 0; i < side.columns.size(); i++) {
      Column result = combine(column, side.columns.get(i));
      if (!result.isEmpty()) {
        add(signature, resultLabels(labels, side.labels.get(i)), result);
      }
    }
  }

  private Column combine(Column many, Column one) {
    BinaryOperator operator = join.operator();
    boolean swapped = isLeftOne();
    Column result = new Column(steps);
    for (int step = many.next(0); step < steps; ) {
      for (int end = held.stretch(step, steps); step < end; step = many.next(step + 1)) {
        if (one.has(step)) {
          double left = swapped ? one.get(step) : many.get(step);
          double right = swapped ? many.get(step) : one.get(step);
          if (!operator.isComparison()) {
            result.set(step, Arithmetic.of(operator, left, right));
          } else if (join.bool()) {
            result.set(step, Arithmetic.compare(operator, left, right) ? 1 : 0);
          } else if (Arithmetic.compare(operator, left, right)) {
            result.set(step, left);
          }
        }
      }
    }
    return result;
  }

  private Labels resultLabels(Labels many, Labels one) {
    boolean dropsName = !join.operator().isComparison() || join.bool();
    Labels result = dropsName ? many.withoutName() : many;
    if (matching.cardinality() == Cardinality.ONE_TO_ONE) {
      result = matching.on() ? result.only(matching.labels()) : result.without(matching.labels());
    }
    for (String label : matching.include()) {
      result = result.with(label, one.get(label));
    }
    return join.bool() ? result.withoutName() : result;
  }

  private void add(Labels signature, Labels labels, Column result) {
    boolean single = matching.cardinality() == Cardinality.ONE_TO_ONE;
    Column before = single ? used.get(signature) : results.get(labels);
    if (before != null && before.overlaps(result)) {
      throw new PromQlEvaluationException(
          single
              ? "multiple matches for labels: many-to-one matching must be explicit (group_left/group_right)"
              : "multiple matches for labels: grouping labels must ensure unique matches");
    }
    if (single) {
      used.computeIfAbsent(signature, s -> new Column(steps)).addAll(result);
    }
    Column known = results.putIfAbsent(labels, result);
    if (known == null) {
      held.row(steps);
    } else {
      known.addAll(result);
    }
  }

  void end(RowSink next) {
    results.forEach((labels, column) -> {
      held.wanted();
      next.row(labels, column);
    });
    results.forEach((labels, column) -> held.release(steps));
    ones.values()
        .forEach(side -> {
          side.columns.forEach(column -> held.release(steps));
          held.release(steps);
        });
  }
}
