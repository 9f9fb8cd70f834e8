package dev.varve.store.adapter;

import dev.varve.store.CellBatch;
import dev.varve.store.Limits;
import dev.varve.store.ResumeToken;

/** Counts delivered cells, to enforce a read's limits and to build its resume token. */
public final class ReadTally {
  private static final int NONE = -1;

  private final Limits limits;
  private int slice;
  private long rows;
  private long cells;
  private boolean rowBegun;
  private int family = NONE;
  private int cellsInFamily;
  private int versions;

  public ReadTally(Limits limits) {
    this.limits = limits;
  }

  /** Resumes at a token's position, in the middle of its row. */
  public void resume(ResumeToken token) {
    slice = token.slice();
    rows = token.rowsSeen();
    cells = token.cellsSeen();
    rowBegun = true;
    family = token.family();
    cellsInFamily = token.cellsInRow();
    versions = token.versionsSeen();
  }

  public void startRow() {
    rowBegun = false;
    family = NONE;
  }

  /**
   * Returns whether the limits allow no further cell, neither in the current row nor in later ones.
   */
  public boolean isFull() {
    return cells >= limits.cells() || (!rowBegun && rows >= limits.rows());
  }

  /** Returns whether the limits allow no further cell of this family in the current row. */
  public boolean isFull(int ofFamily) {
    return cellsOf(ofFamily) >= limits.cellsPerRow();
  }

  /** Returns the number of cells of this family in the current row. */
  public int cellsOf(int ofFamily) {
    return family == ofFamily ? cellsInFamily : 0;
  }

  /** Returns how many rows the limits allow beyond those that already delivered cells. */
  public long rowsLeft() {
    return limits.rows() - rows;
  }

  /**
   * Returns how many rows with cells the limits still allow, including the current one; at least
   * one.
   */
  public long rowsWithCellsLeft() {
    return Math.max(1, Math.min(rowsLeft() + (rowBegun ? 1 : 0), limits.cells() - cells));
  }

  /**
   * Counts a cell.
   *
   * @param version its number within its column, from 1
   */
  public void add(int ofSlice, int ofFamily, int version) {
    rows += rowBegun ? 0 : 1;
    cells++;
    cellsInFamily = cellsOf(ofFamily) + 1;
    slice = ofSlice;
    rowBegun = true;
    family = ofFamily;
    versions = version;
  }

  /** Returns the token after the last cell of a non-empty page. */
  public ResumeToken token(CellBatch page) {
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
        versions);
  }
}
