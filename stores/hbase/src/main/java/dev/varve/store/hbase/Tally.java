package dev.varve.store.hbase;

import dev.varve.store.CellBatch;
import dev.varve.store.Limits;
import dev.varve.store.ResumeToken;

/** Counts what a read delivers, for its limits and for its resume token. */
final class Tally {
  private static final int NONE = -1;

  private final Limits limits;
  private int slice;
  private long rows;
  private long cells;
  private boolean rowBegun;
  private int family = NONE;
  private int cellsInFamily;

  /** Versions of the column at hand, and of the column of the last cell: others may be passed. */
  private int versions;

  private int versionsOfLast;

  Tally(Limits limits) {
    this.limits = limits;
  }

  /** Goes on where the token stands, in the midst of its row. */
  void resume(ResumeToken token) {
    slice = token.slice();
    rows = token.rowsSeen();
    cells = token.cellsSeen();
    rowBegun = true;
    family = token.family();
    cellsInFamily = token.cellsInRow();
    versions = token.versionsSeen();
    versionsOfLast = versions;
  }

  void startRow() {
    rowBegun = false;
    family = NONE;
  }

  void startColumn() {
    versions = 0;
  }

  /** How many versions of the column at hand were delivered. */
  int versions() {
    return versions;
  }

  long rowsLeft() {
    return limits.rows() - rows;
  }

  /** Whether the limits allow no cell more, in the row at hand or a later one. */
  boolean isFull() {
    return cells >= limits.cells() || (!rowBegun && rows >= limits.rows());
  }

  /** Whether the limits allow no cell more of this family in the row at hand. */
  boolean isFull(int ofFamily) {
    return family == ofFamily && cellsInFamily >= limits.cellsPerRow();
  }

  void add(int ofSlice, int ofFamily) {
    rows += rowBegun ? 0 : 1;
    cells++;
    cellsInFamily = family == ofFamily ? cellsInFamily + 1 : 1;
    slice = ofSlice;
    rowBegun = true;
    family = ofFamily;
    versions++;
    versionsOfLast = versions;
  }

  /** The token behind the last cell of a page that is not empty. */
  ResumeToken token(CellBatch page) {
    int last = page.size() - 1;
    return new ResumeToken(
        slice,
        page.row(last),
        page.family(last),
        page.qualifier(last),
        page.time(last),
        rows,
        cells,
        cellsInFamily,
        versionsOfLast);
  }
}
