package dev.varve.query.promql.eval;

import java.util.ArrayList;
import java.util.List;

/** Rows that are kept until all their uses have received them. */
final class KeptRows implements RowSink {
  private final RowMemory held;
  private final List<Labels> labels = new ArrayList<>();
  private final List<Column> columns = new ArrayList<>();
  private int left;

  /**
   * Creates an empty store of rows.
   *
   * @param uses number of calls of {@link #replay} that will follow
   */
  KeptRows(int uses, RowMemory held) {
    this.left = uses;
    this.held = held;
  }

  @Override
  public void row(Labels of, Column column) {
    held.row(column.steps());
    labels.add(of);
    columns.add(column);
  }

  /** Returns a sink that keeps a copy of every row and passes the row itself on. */
  RowSink before(RowSink next) {
    return (of, column) -> {
      row(of, column.copy());
      next.row(of, column);
    };
  }

  /** Emits all rows: the kept rows themselves for the last use, copies for the others. */
  void replay(RowSink into) {
    boolean last = --left == 0;
    for (int i = 0; i < columns.size(); i++) {
      Column column = columns.get(i);
      into.row(labels.get(i), last ? column : column.copy());
    }
    if (last) {
      columns.forEach(column -> held.release(column.steps()));
      labels.clear();
      columns.clear();
    }
  }
}
