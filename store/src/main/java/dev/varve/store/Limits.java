package dev.varve.store;

/**
 * Bounds the result of a read. A limit that is reached ends the read, or the row, without an error.
 *
 * @param rows maximum number of rows
 * @param cellsPerRow maximum number of cells of one family in one row, in the order of delivery
 * @param cells maximum number of cells
 * @param pageCells approximate number of cells the cursor delivers at once; a hint
 */
public record Limits(long rows, int cellsPerRow, long cells, int pageCells) {
  public static final int DEFAULT_PAGE_CELLS = 4096;

  /** A page ends with the cell that brings it to this size; see {@link CellBatch#byteCount()}. */
  public static final int PAGE_BYTES = 4 << 20;

  public static final Limits NONE =
      new Limits(Long.MAX_VALUE, Integer.MAX_VALUE, Long.MAX_VALUE, DEFAULT_PAGE_CELLS);

  public Limits {
    if (rows < 1 || cellsPerRow < 1 || cells < 1 || pageCells < 1) {
      throw new IllegalArgumentException(
          "limits must be at least 1: rows "
              + rows
              + ", cells per row "
              + cellsPerRow
              + ", cells "
              + cells
              + ", page "
              + pageCells);
    }
  }

  /** Returns whether a page takes no more cells. Every cursor checks this before it adds a cell. */
  public boolean isFull(CellBatch page) {
    return page.size() >= pageCells || page.byteCount() >= PAGE_BYTES;
  }

  public Limits withRows(long limit) {
    return new Limits(limit, cellsPerRow, cells, pageCells);
  }

  public Limits withCellsPerRow(int limit) {
    return new Limits(rows, limit, cells, pageCells);
  }

  public Limits withCells(long limit) {
    return new Limits(rows, cellsPerRow, limit, pageCells);
  }

  public Limits withPageCells(int limit) {
    return new Limits(rows, cellsPerRow, cells, limit);
  }
}
