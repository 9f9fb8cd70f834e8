package dev.varve.query.promql.eval;

/** Takes the rows of an instant vector. */
interface RowSink {
  /**
   * Takes one row, which it may keep and change.
   *
   * @param column with a value at one step at least
   */
  void row(Labels labels, Column column);

  /** All rows have come; an operator that waited for that hands on what is left. */
  default void end() {}
}
