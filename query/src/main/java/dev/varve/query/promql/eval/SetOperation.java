package dev.varve.query.promql.eval;

import dev.varve.query.promql.BinaryOperator;
import java.util.HashMap;
import java.util.Map;

/** {@code and}, {@code or} and {@code unless}, which depend on the presence of elements only. */
final class SetOperation {
  private final BinaryOperator operator;
  private final Matching matching;
  private final int steps;
  private final RowMemory held;

  /** The steps at which the side that is read first has an element, by signature. */
  private final Map<Labels, Column> there = new HashMap<>();

  private final Rows.Merged result;

  SetOperation(
      BinaryOperator operator, Matching matching, int steps, RowMemory held, RowSink next) {
    this.operator = operator;
    this.matching = matching;
    this.steps = steps;
    this.held = held;
    this.result = new Rows.Merged(held, next);
  }

  /** Returns whether the left side is read first. */
  boolean isLeftFirst() {
    return operator == BinaryOperator.OR;
  }

  void first(Labels labels, Column column) {
    Labels signature = matching.signature(labels);
    Column known = there.get(signature);
    if (known == null) {
      held.row(steps);
      known = new Column(steps);
      there.put(signature, known);
    }
    known.addAll(column);
    if (operator == BinaryOperator.OR) {
      result.row(labels, column);
    }
  }

  /**
   * Passes on the elements of the other side that the operator keeps.
   *
   * @param column may be changed
   */
  void second(Labels labels, Column column) {
    Column known = there.get(matching.signature(labels));
    if (operator == BinaryOperator.AND) {
      if (known == null) {
        return;
      }
      column.retain(known);
    } else if (known != null) {
      column.removeAll(known);
    }
    if (!column.isEmpty()) {
      result.row(labels, column);
    }
  }

  void end() {
    result.end();
    there.values().forEach(column -> held.release(steps));
  }
}
