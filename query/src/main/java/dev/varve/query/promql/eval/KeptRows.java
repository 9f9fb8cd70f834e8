package dev.varve.query.promql.eval;

import java.util.ArrayList;
import java.util.List;

/** Rows that are held until those have asked for them that need them. */
final class KeptRows implements RowSink {
  private final Held held;
  private final List<Labels> labels = new ArrayList<>();
  private final List<Column> columns = new ArrayList<>();
  private int left;

  /**
   * @param uses how often they will be asked for
   */
  KeptRows(int uses, Held held) {
    this.left = uses;
    this.held = held;
  }

  @Override
  public void row(Labels of, Column column) {
    held.row(column.steps());
    labels.add(of);
    columns.add(column);
  }

  /** A sink that holds a copy of every row and hands the row itself on. */
  RowSink before(RowSink next) {
    return (of, column) -> {
      row(of, column.copy());
      next.row(of, column);
    };
  }

  /** Hands all rows on; to the last who asks those that are held, to others copies. */
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
