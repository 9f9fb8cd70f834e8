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

  /** The cell read last; after a resume, the cell delivered last. */
  private CellParts last = new CellParts();

  /** The cell to read next, which takes its turn with {@link #last}. */
  private CellParts next = new CellParts();

  /** The slice of the cell read last; negative before the first. */
  private int lastSlice = -1;

  /** Whether the last cell of the page has the row of the cell read last. */
  private boolean rowGoesOn;

  private int versionsSeen;

  /** Number of delivered versions of the current column. */
  private int versionsDelivered;

  /** The position at which the read resumed; null once it has left that column. */
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
      last.take(
          new KeyValue(
              resume.row().toArray(),
              table.family(resume.family()),
              resume.qualifier().toArray(),
              resume.time(),
              new byte[0]));
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
   * @param startsResult whether it need not have the row of the cell read last
   * @return false if the read must stop before the cell
   */
  boolean look(Cell cell, boolean startsResult, ScanRange stretch, CellBatch page) {
    int slice = stretch.slice();
    next.take(cell);
    boolean newRow = lastSlice != slice || (startsResult && !next.hasRowOf(last));
    if (newRow) {
      tally.startRow();
      if (tally.isFull()) {
        rowsFull = true;
        return false;
      }
    }
    if (!spend(page)) {
      return false;
    }
    rows += newRow ? 1 : 0;
    rowGoesOn &= !newRow;
    if (newRow || !next.hasColumnOf(last)) {
      versionsDelivered = 0;
      versionsSeen = 0;
      resumed = null;
    }
    CellParts before = last;
    last = next;
    next = before;
    lastSlice = slice;
    int family = table.familyOf(last);
    FamilySelect select = stretch.select(family);
    if (select != null && isWanted(family, select)) {
      deliver(slice, family, page);
    }
    return true;
  }

  private boolean isWanted(int family, FamilySelect select) {
    versionsSeen++;
    ResumeToken from = resumed;
    return isInRanges(select.qualifiers())
        && versionsSeen <= table.maxVersions(family)
        && versionsDelivered < select.versions()
        && select.times().contains(last.time())
        && (from == null || last.time() < from.time())
        && !tally.isFull(family);
  }

  /**
   * Reverse scans also return columns that were not requested, and any scan may return the empty
   * qualifier.
   */
  private boolean isInRanges(List<QualifierRange> ranges) {
    if (ranges.isEmpty() || (plan.direction() == Direction.FORWARD && last.qualifierLength() > 0)) {
      return true;
    }
    byte[] qualifiers = last.qualifierBytes();
    int at = last.qualifierAt();
    int length = last.qualifierLength();
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
   * Counts the next cell if the budget allows it. Otherwise returns false, or throws if the page is
   * empty.
   */
  private boolean spend(CellBatch page) {
    Budget budget = plan.budget();
    long bytes = next.byteCount();
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

  private void deliver(int slice, int family, CellBatch page) {
    int value = plan.values() ? last.valueLength() : 0;
    if (rowGoesOn && !page.isEmpty()) {
      page.addToRow(
          family,
          last.qualifierBytes(),
          last.qualifierAt(),
          last.qualifierLength(),
          last.time(),
          last.valueBytes(),
          last.valueAt(),
          value);
    } else {
      page.add(
          last.rowBytes(),
          last.rowAt(),
          last.rowLength(),
          family,
          last.qualifierBytes(),
          last.qualifierAt(),
          last.qualifierLength(),
          last.time(),
          last.valueBytes(),
          last.valueAt(),
          value);
      rowGoesOn = true;
    }
    versionsDelivered++;
    tally.add(slice, family, versionsDelivered);
    cellsReturned++;
    bytesReturned += last.byteCount() - last.valueLength() + value;
  }
}
