package dev.varve.store.hbase;

import dev.varve.model.Bytes;
import dev.varve.store.Budget;
import dev.varve.store.BudgetExceededException;
import dev.varve.store.CellBatch;
import dev.varve.store.Direction;
import dev.varve.store.FamilySelect;
import dev.varve.store.QualifierRange;
import dev.varve.store.ReadCost;
import dev.varve.store.ReadPlan;
import dev.varve.store.ResumeToken;
import dev.varve.store.adapter.ReadTally;
import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.KeyValue;
import org.jspecify.annotations.Nullable;

/**
 * Checks each cell that scans return, and keeps those that the plan selects. HBase may return more
 * versions, later times and, after a resume, cells that were already delivered.
 */
final class CellSieve {
  private final TableEntry table;
  private final ReadPlan plan;
  private final ReadTally tally;

  /** The cell read last, with its slice and family; after a resume, the cell delivered last. */
  private @Nullable Cell last;

  private int lastSlice;
  private int versionsSeen;

  /** Number of delivered versions of the current column. */
  private int versionsDelivered;

  /** Where the read resumed; null once it has left that column. */
  private @Nullable ResumeToken resumed;

  private boolean rowsFull;
  private long rows;
  private long cellsRead;
  private long bytesRead;
  private long cellsReturned;
  private long bytesReturned;

  CellSieve(TableEntry table, ReadPlan plan, @Nullable ResumeToken resume) {
    this.table = table;
    this.plan = plan;
    this.tally = new ReadTally(plan.limits());
    if (resume != null) {
      tally.resume(resume);
      versionsDelivered = resume.versionsSeen();
      resumed = resume;
      lastSlice = resume.slice();
      last =
          new KeyValue(
              resume.row().toArray(),
              table.family(resume.family()),
              resume.qualifier().toArray(),
              resume.time(),
              new byte[0]);
    }
  }

  /** Returns whether the limits allow nothing more. */
  boolean isFull() {
    return rowsFull || tally.isFull();
  }

  /** Returns how many rows the limits allow besides the current one. */
  long rowsLeft() {
    return tally.rowsLeft();
  }

  /**
   * Returns the token after the last cell of a non-empty page, which must be the last one filled.
   */
  ResumeToken token(CellBatch page) {
    return tally.token(page);
  }

  ReadCost cost(long requests) {
    return new ReadCost(rows, cellsRead, cellsReturned, bytesRead, bytesReturned, requests);
  }

  /**
   * Reads a cell and adds it to the page if the plan selects it.
   *
   * @return false if the read must stop before the cell
   */
  boolean look(Cell cell, ScanRange stretch, CellBatch page) {
    int slice = stretch.slice();
    Cell before = last;
    boolean newRow = before == null || lastSlice != slice || !CellUtil.matchingRows(before, cell);
    if (newRow) {
      tally.startRow();
      if (tally.isFull()) {
        rowsFull = true;
        return false;
      }
    }
    if (!spend(cell, page)) {
      return false;
    }
    rows += newRow ? 1 : 0;
    if (newRow || before == null || !CellUtil.matchingColumn(before, cell)) {
      versionsDelivered = 0;
      versionsSeen = 0;
      resumed = null;
    }
    last = cell;
    lastSlice = slice;
    int family = table.familyOf(cell);
    FamilySelect select = stretch.select(family);
    if (select != null && isWanted(cell, family, select)) {
      deliver(cell, slice, family, page);
    }
    return true;
  }

  private boolean isWanted(Cell cell, int family, FamilySelect select) {
    versionsSeen++;
    ResumeToken from = resumed;
    return isInRanges(cell, select.qualifiers())
        && versionsSeen <= table.maxVersions(family)
        && versionsDelivered < select.versions()
        && select.times().contains(cell.getTimestamp())
        && (from == null || cell.getTimestamp() < from.time())
        && !tally.isFull(family);
  }

  /**
   * Reverse scans also return columns that were not requested, and any scan may return the empty
   * qualifier.
   */
  private boolean isInRanges(Cell cell, List<QualifierRange> ranges) {
    if (ranges.isEmpty()
        || (plan.direction() == Direction.FORWARD && cell.getQualifierLength() > 0)) {
      return true;
    }
    byte[] qualifiers = cell.getQualifierArray();
    int at = cell.getQualifierOffset();
    int length = cell.getQualifierLength();
    for (QualifierRange range : ranges) {
      Bytes to = range.to();
      if (range.from().compareTo(qualifiers, at, length) <= 0
          && (to == null || to.compareTo(qualifiers, at, length) > 0)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Counts the cell if the budget allows it. Otherwise returns false, or throws if the page is
   * empty.
   */
  private boolean spend(Cell cell, CellBatch page) {
    Budget budget = plan.budget();
    long bytes = bytes(cell);
    if (cellsRead < budget.cellsRead() && bytesRead + bytes <= budget.bytesRead()) {
      cellsRead++;
      bytesRead += bytes;
      return true;
    }
    if (page.isEmpty()) {
      throw new BudgetExceededException(budget, cost(0));
    }
    return false;
  }

  private static long bytes(Cell cell) {
    return (long) cell.getRowLength() + cell.getQualifierLength() + cell.getValueLength();
  }

  private void deliver(Cell cell, int slice, int family, CellBatch page) {
    int value = plan.values() ? cell.getValueLength() : 0;
    page.add(
        cell.getRowArray(),
        cell.getRowOffset(),
        cell.getRowLength(),
        family,
        cell.getQualifierArray(),
        cell.getQualifierOffset(),
        cell.getQualifierLength(),
        cell.getTimestamp(),
        cell.getValueArray(),
        cell.getValueOffset(),
        value);
    versionsDelivered++;
    tally.add(slice, family, versionsDelivered);
    cellsReturned++;
    bytesReturned += bytes(cell) - cell.getValueLength() + value;
  }
}
