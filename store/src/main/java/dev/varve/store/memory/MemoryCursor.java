package dev.varve.store.memory;

import dev.varve.model.Bytes;
import dev.varve.store.Budget;
import dev.varve.store.BudgetExceededException;
import dev.varve.store.Cell;
import dev.varve.store.CellBatch;
import dev.varve.store.CellCursor;
import dev.varve.store.Direction;
import dev.varve.store.FamilySelect;
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
 * Goes over the leaves that a slice touches and keeps those of their cells that the plan names.
 * Leaves are passed over whole where their family is not asked for, or where the slice or the
 * qualifiers that are asked for begin or end in between.
 */
final class MemoryCursor implements CellCursor {
  private final MemoryStore store;
  private final CellTree cells;
  private final CellTree.Walk walk;
  private final ReadPlan plan;
  private final ReadTally tally;

  /** The slice under way, and the position behind all of it that is asked for; null for none. */
  private int slice;

  private @Nullable Cell sliceEnd;
  private boolean inSlice;

  /** The row under way, its bytes, and the leaf; null before the first and behind the last. */
  private @Nullable Bytes row;

  private byte[] rowBytes = {};
  private @Nullable Leaf leaf;

  /** What is asked for of the leaf's family; null for nothing. */
  private @Nullable FamilySelect select;

  /** The cells of the leaf that are still to be looked at: from the first, before the other. */
  private int index;

  private int end;

  /** The cell of the row that was delivered last, and the how-manieth of its column it was. */
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
    while (affordable && into.size() < plan.limits().pageCells() && !ended()) {
      ensureAlive();
      if (!inSlice) {
        startSlice();
      } else if (leaf == null) {
        inSlice = false;
        slice++;
      } else if (index < end) {
        affordable = look(leaf, into);
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

  /** Where the first family that is asked for begins in the first row of a slice. */
  private Bytes from(Slice within) {
    List<QualifierRange> ranges = plan.families().getFirst().qualifiers();
    Bytes from = within.fromQualifier();
    return ranges.isEmpty() || from.compareTo(ranges.getFirst().from()) >= 0
        ? from
        : ranges.getFirst().from();
  }

  /** The position behind all cells of a slice that are asked for. */
  private @Nullable Cell end(Slice within) {
    Bytes endRow = within.endRow();
    Bytes toRow = within.toRow();
    if (toRow == null || endRow == null || endRow.compareTo(toRow) <= 0) {
      return endRow == null ? null : CellTree.startOf(endRow);
    }
    return CellTree.position(toRow, plan.families().getLast().family(), within.toQualifier());
  }

  /** The leaf that is next in the direction of the read, given the one that is next in the tree. */
  private @Nullable Leaf inOrder(@Nullable Leaf next) {
    if (plan.direction() == Direction.FORWARD) {
      return touched(next);
    }
    return next != null && next.row().equals(row) ? next : startOfRowBefore(row);
  }

  private @Nullable Leaf startOfRowBefore(@Nullable Bytes behind) {
    Bytes before = cells.rowBefore(behind);
    return before == null || before.compareTo(plan.slices().get(slice).fromRow()) < 0
        ? null
        : walk.seek(CellTree.startOf(before));
  }

  /** The leaf, unless it lies behind the slice. */
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

  /** Leaves out the cells outside of the slice and of all ranges of qualifiers. */
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

  /** Looks at the rest of a leaf; false where the page must end because the budget does. */
  private boolean look(Leaf of, CellBatch into) {
    int most = plan.limits().pageCells();
    while (index < end && into.size() < most && !tally.isFull()) {
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

  /** Counts a cell, if the budget allows; where not, false, or an error on a new page. */
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
    boolean goesOn = !into.isEmpty() && lastLeaf != null;
    of.addTo(into, goesOn ? null : rowBytes, index, plan.values());
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
