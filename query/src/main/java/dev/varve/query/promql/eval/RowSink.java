package dev.varve.query.promql.eval;

/** Receives the rows of an instant vector. */
interface RowSink {
  /**
   * Receives a row, which it may keep and change.
   *
   * @param column has a value at one step at least
   */
  void row(Labels labels, Column column);

  /** Called after the last row; an operator then emits what it held back. */
  default void end() {}
}
