package dev.varve.store.memory;

import dev.varve.model.Bytes;
import dev.varve.store.Budget;
import dev.varve.store.BudgetExceededException;
import dev.varve.store.Cell;
import dev.varve.store.CellBatch;
import dev.varve.store.CellCursor;
import dev.varve.store.Direction;
import dev.varve.store.FamilySelect;
import dev.varve.store.Limits;
import dev.varve.store.QualifierRange;
import dev.varve.store.ReadCancelledException;
import dev.varve.store.ReadCost;
import dev.varve.store.ReadPlan;
import dev.varve.store.ResumeToken;
import dev.varve.store.Slice;
import dev.varve.store.StoreException;
import dev.varve.store.adapter.ReadTally;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Walks the leaves that a slice touches and selects the cells that the plan names. It skips leaves
 * of families that are not requested, and parts of leaves outside the slice or the requested
 * qualifiers.
 */
final class MemoryCursor implements CellCursor {
  private final MemoryStore store;
  private final CellTree cells;
  private final CellTree.Walk walk;
  private final ReadPlan plan;
  private final ReadTally tally;

  /**
   * Index of the current slice, and the exclusive end of its requested cells; null for no bound.
   */
  private int slice;

  private @Nullable Cell sliceEnd;
  private boolean inSlice;

  /** The current row, its bytes, and the current leaf; null before the first and after the last. */
  private @Nullable Bytes row;

  private byte[] rowBytes = {};
  private @Nullable Leaf leaf;

  /** The selection for the leaf's family; null if the plan does not read it. */
  private @Nullable FamilySelect select;

  /**
   * Cells of the leaf still to examine: from {@code index} (inclusive) to {@code end} (exclusive).
   */
  private int index;

  private int end;

  /** The last delivered cell of the row, and its version number within its column. */
  private @Nullable Leaf lastLeaf;

  private int lastIndex;
  private int versions;

  private @Nullable ResumeToken token;
  private long rowsRead;
  private long cellsRead;
  private long cellsReturned;
  private long bytesRead;
  private long bytesReturned;
  private long pages;
  private volatile boolean cancelled;
  private volatile boolean closed;

  MemoryCursor(MemoryStore store, CellTree cells, ReadPlan plan, @Nullable ResumeToken resume) {
    this.store = store;
    this.cells = cells;
    this.walk = cells.walk();
    this.plan = plan;
    this.tally = new ReadTally(plan.limits());
    this.token = resume;
    if (resume != null) {
      resume(resume);
    }
  }

  private void resume(ResumeToken from) {
    tally.resume(from);
    slice = from.slice();
    sliceEnd = end(plan.slices().get(slice));
    inSlice = true;
    row = from.row();
    rowBytes = row.toArray();
    Cell last = CellTree.position(row, from.family(), from.qualifier(), from.time());
    lastLeaf = Leaf.of(last);
    versions = from.versionsSeen();
    enter(inOrder(walk.seek(last)));
    Leaf at = leaf;
    if (at != null && at.isOf(from.row(), from.family())) {
      int next = at.firstFrom(from.qualifier(), from.time());
      boolean seen = next < at.size() && at.isAt(next, from.qualifier(), from.time());
      index = Math.max(index, seen ? next + 1 : next);
    }
  }

  @Override
  public boolean next(CellBatch into) {
    into.clear();
    pages++;
    boolean affordable = true;
    while (affordable && !plan.limits().isFull(into) && !ended()) {
      ensureAlive();
      if (!inSlice) {
        startSlice();
      } else if (leaf == null) {
        inSlice = false;
        slice++;
      } else if (index < end) {
        affordable = examine(leaf, into);
      } else {
        enter(inOrder(walk.next()));
      }
    }
    if (!into.isEmpty()) {
      token = tally.token(into);
    }
    return !into.isEmpty();
  }

  private boolean ended() {
    return slice == plan.slices().size() || tally.isFull();
  }

  private void startSlice() {
    Slice within = plan.slices().get(slice);
    sliceEnd = end(within);
    inSlice = true;
    row = null;
    if (plan.direction() == Direction.FORWARD) {
      int family = plan.families().getFirst().family();
      enter(touched(walk.seek(CellTree.position(within.fromRow(), family, from(within)))));
    } else {
      enter(startOfRowBefore(within.endRow()));
    }
  }

  /**
   * Returns the qualifier at which the first requested family starts in the first row of a slice.
   */
  private Bytes from(Slice within) {
    List<QualifierRange> ranges = plan.families().getFirst().qualifiers();
    Bytes from = within.fromQualifier();
    return ranges.isEmpty() || from.compareTo(ranges.getFirst().from()) >= 0
        ? from
        : ranges.getFirst().from();
  }

  /** Returns the position after all requested cells of a slice. */
  private @Nullable Cell end(Slice within) {
    Bytes endRow = within.endRow();
    Bytes toRow = within.toRow();
    if (toRow == null || endRow == null || endRow.compareTo(toRow) <= 0) {
      return endRow == null ? null : CellTree.startOf(endRow);
    }
    return CellTree.position(toRow, plan.families().getLast().family(), within.toQualifier());
  }

  /** Returns the next leaf in the direction of the read, given the next leaf in the tree. */
  private @Nullable Leaf inOrder(@Nullable Leaf next) {
    if (plan.direction() == Direction.FORWARD) {
      return touched(next);
    }
    return next != null && next.row().equals(row) ? next : startOfRowBefore(row);
  }

  private @Nullable Leaf startOfRowBefore(@Nullable Bytes after) {
    Bytes before = cells.rowBefore(after);
    return before == null || before.compareTo(plan.slices().get(slice).fromRow()) < 0
        ? null
        : walk.seek(CellTree.startOf(before));
  }

  /** Returns the leaf, or null if it lies after the slice. */
  private @Nullable Leaf touched(@Nullable Leaf next) {
    return next == null || sliceEnd == null || CellTree.compare(sliceEnd, next) > 0 ? next : null;
  }

  private void enter(@Nullable Leaf next) {
    leaf = next;
    if (next == null) {
      return;
    }
    if (!next.row().equals(row)) {
      row = next.row();
      rowBytes = row.toArray();
      rowsRead++;
      lastLeaf = null;
      tally.startRow();
    }
    select = select(next.family());
    index = 0;
    end = select == null ? 0 : next.size();
    if (select != null) {
      cut(next, plan.slices().get(slice), select.qualifiers());
    }
  }

  /** Excludes the cells outside the slice and outside the span of all qualifier ranges. */
  private void cut(Leaf of, Slice within, List<QualifierRange> ranges) {
    if (of.row().equals(within.fromRow())) {
      index = of.firstFrom(within.fromQualifier());
    }
    if (of.row().equals(within.toRow())) {
      end = of.firstFrom(within.toQualifier());
    }
    if (!ranges.isEmpty()) {
      index = Math.max(index, of.firstFrom(ranges.getFirst().from()));
      Bytes to = ranges.getLast().to();
      end = to == null ? end : Math.min(end, of.firstFrom(to));
    }
  }

  private @Nullable FamilySelect select(int family) {
    for (FamilySelect one : plan.families()) {
      if (one.family() == family) {
        return one;
      }
    }
    return null;
  }

  /** Examines the rest of a leaf. Returns false if the budget ends the page. */
  private boolean examine(Leaf of, CellBatch into) {
    Limits limits = plan.limits();
    while (index < end && !limits.isFull(into) && !tally.isFull()) {
      if (!spend(of.bytes(index), into)) {
        return false;
      }
      int version = isOfLastColumn(of) ? versions + 1 : 1;
      if (isSelected(of, version)) {
        deliver(of, version, into);
      }
      index++;
    }
    return true;
  }

  /**
   * Charges a cell to the budget. Returns false if the budget does not allow it; on an empty page
   * that is an error.
   */
  private boolean spend(int bytes, CellBatch into) {
    Budget budget = plan.budget();
    if (cellsRead < budget.cellsRead() && bytesRead + bytes <= budget.bytesRead()) {
      cellsRead++;
      bytesRead += bytes;
      return true;
    }
    if (into.isEmpty()) {
      throw new BudgetExceededException(budget, cost());
    }
    return false;
  }

  private boolean isOfLastColumn(Leaf of) {
    Leaf last = lastLeaf;
    return last != null && last.family() == of.family() && of.sameQualifier(index, last, lastIndex);
  }

  private boolean isSelected(Leaf of, int version) {
    FamilySelect wanted = select;
    return wanted != null
        && wanted.times().contains(of.time(index))
        && version <= wanted.versions()
        && !tally.isFull(of.family())
        && inOneOf(wanted.qualifiers(), of);
  }

  private boolean inOneOf(List<QualifierRange> ranges, Leaf of) {
    if (ranges.size() < 2) {
      return true;
    }
    for (QualifierRange range : ranges) {
      Bytes to = range.to();
      if (of.compareQualifier(range.from(), index) <= 0
          && (to == null || of.compareQualifier(to, index) > 0)) {
        return true;
      }
    }
    return false;
  }

  private void deliver(Leaf of, int version, CellBatch into) {
    boolean sameRow = !into.isEmpty() && lastLeaf != null;
    of.addTo(into, sameRow ? null : rowBytes, index, plan.values());
    tally.add(slice, of.family(), version);
    lastLeaf = of;
    lastIndex = index;
    versions = version;
    cellsReturned++;
    bytesReturned += plan.values() ? of.bytes(index) : of.bytesWithoutValue(index);
  }

  private void ensureAlive() {
    store.ensureOpen();
    if (closed) {
      throw new StoreException("the cursor is closed");
    }
    if (cancelled) {
      throw new ReadCancelledException();
    }
  }

  @Override
  public @Nullable ResumeToken token() {
    return token;
  }

  @Override
  public ReadCost cost() {
    return new ReadCost(rowsRead, cellsRead, cellsReturned, bytesRead, bytesReturned, pages);
  }

  @Override
  public void cancel() {
    cancelled = true;
  }

  @Override
  public void close() {
    closed = true;
  }
}
