package dev.varve.store;

import dev.varve.model.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * The last cell that a read delivered, named in full, and what its limits had left, so that the
 * same plan goes on behind it: on another cursor, in another process, after a restart.
 *
 * @param slice the place of the slice in the plan
 * @param rowsSeen rows begun so far, over all pages; {@code cellsSeen} likewise
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
   * The token behind the next cell that a read delivers.
   *
   * @param last the token behind the cell before it, or null for the first
   * @param slice where the plan found the cell
   */
  public static ResumeToken behind(@Nullable ResumeToken last, int slice, Cell cell) {
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
