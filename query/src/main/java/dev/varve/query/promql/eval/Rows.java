package dev.varve.query.promql.eval;

import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** Sinks that ensure that no two rows of a vector have the same labels at one step. */
final class Rows {
  private static final String SAME_LABELS = "vector cannot contain metrics with the same labelset";

  private Rows() {}

  /** Rejects a second row with the same labels. */
  static final class Distinct implements RowSink {
    private final Set<Labels> seen = new HashSet<>();
    private final RowSink next;
    private final RowMemory held;

    Distinct(RowSink next, RowMemory held) {
      this.next = next;
      this.held = held;
    }

    @Override
    public void row(Labels labels, Column column) {
      if (!seen.add(labels)) {
        throw new PromQlEvaluationException(SAME_LABELS);
      }
      held.labels(labels);
      next.row(labels, column);
    }
  }

  /** Merges rows with the same labels, which must not have values at the same step. */
  static final class Merged implements RowSink {
    private final Map<Labels, Column> rows = new LinkedHashMap<>();
    private final RowMemory held;
    private final RowSink next;

    Merged(RowMemory held, RowSink next) {
      this.held = held;
      this.next = next;
    }

    @Override
    public void row(Labels labels, Column column) {
      Column known = rows.putIfAbsent(labels, column);
      if (known == null) {
        held.row(column.steps());
      } else if (known.overlaps(column)) {
        throw new PromQlEvaluationException(SAME_LABELS);
      } else {
        known.addAll(column);
      }
    }

    @Override
    public void end() {
      rows.forEach((labels, column) -> {
        held.wanted();
        next.row(labels, column);
      });
      rows.values().forEach(column -> held.release(column.steps()));
    }
  }
}
