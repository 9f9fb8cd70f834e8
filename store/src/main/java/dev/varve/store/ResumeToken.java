package dev.varve.store;

import dev.varve.model.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * The position after the last cell that a read delivered, and the limits used up so far. With it
 * the same plan resumes on another cursor, in another process or after a restart.
 *
 * @param slice index of the slice in the plan
 * @param rowsSeen rows started so far, over all pages
 * @param cellsSeen cells delivered so far, over all pages
 * @param cellsInRow cells delivered so far of this row and family
 * @param versionsSeen cells delivered so far of this column
 */
public record ResumeToken(
    int slice,
    Bytes row,
    int family,
    Bytes qualifier,
    long time,
    long rowsSeen,
    long cellsSeen,
    int cellsInRow,
    int versionsSeen) {

  /**
   * Returns the token after a read's next cell.
   *
   * @param last the token after the preceding cell, or null for the first
   * @param slice index of the slice that contains the cell
   */
  public static ResumeToken after(@Nullable ResumeToken last, int slice, Cell cell) {
    if (last == null) {
      return new ResumeToken(
          slice, cell.row(), cell.family(), cell.qualifier(), cell.time(), 1, 1, 1, 1);
    }
    boolean sameRow = last.slice == slice && last.row.equals(cell.row());
    boolean sameFamily = sameRow && last.family == cell.family();
    boolean sameColumn = sameFamily && last.qualifier.equals(cell.qualifier());
    return new ResumeToken(
        slice,
        cell.row(),
        cell.family(),
        cell.qualifier(),
        cell.time(),
        sameRow ? last.rowsSeen : last.rowsSeen + 1,
        last.cellsSeen + 1,
        sameFamily ? last.cellsInRow + 1 : 1,
        sameColumn ? last.versionsSeen + 1 : 1);
  }
}
