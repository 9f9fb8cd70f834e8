package dev.varve.store.adapter;

import dev.varve.store.CellBatch;
import dev.varve.store.Limits;
import dev.varve.store.ResumeToken;

/** Counts what a read delivers, for its limits and for its resume token. */
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

  /** Goes on where the token stands, in the midst of its row. */
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

  /** Whether the limits allow no cell more, in the row at hand or a later one. */
  public boolean isFull() {
    return cells >= limits.cells() || (!rowBegun && rows >= limits.rows());
  }

  /** Whether the limits allow no cell more of this family in the row at hand. */
  public boolean isFull(int ofFamily) {
    return cellsOf(ofFamily) >= limits.cellsPerRow();
  }

  /** Cells of this family in the row at hand. */
  public int cellsOf(int ofFamily) {
    return family == ofFamily ? cellsInFamily : 0;
  }

  /** How many rows the limits allow behind those that cells were delivered of. */
  public long rowsLeft() {
    return limits.rows() - rows;
  }

  /** How many rows with cells the limits still allow, the row at hand among them; at least one. */
  public long rowsWithCellsLeft() {
    return Math.max(1, Math.min(rowsLeft() + (rowBegun ? 1 : 0), limits.cells() - cells));
  }

  /**
   * Counts a cell.
   *
   * @param version which one of its column it is, from 1
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

  /** The token behind the last cell of a page that is not empty. */
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
