package dev.varve.store.memory;

import dev.varve.model.Bytes;
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
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Looks at every cell of every row that a slice touches, one after the other, and keeps those that
 * the plan names. The token of the last cell delivered is all it counts with, so that resuming is
 * the same as going on.
 */
final class MemoryCursor implements CellCursor {
  private final MemoryStore store;
  private final CellTree cells;
  private final ReadPlan plan;

  /** The slice under way, and the last cell looked at in it; null before its first. */
  private int slice;

  private @Nullable Cell at;
  private @Nullable ResumeToken token;
  private ReadCost cost = ReadCost.NOTHING;
  private volatile boolean cancelled;
  private volatile boolean closed;

  MemoryCursor(MemoryStore store, CellTree cells, ReadPlan plan, @Nullable ResumeToken resume) {
    this.store = store;
    this.cells = cells;
    this.plan = plan;
    this.token = resume;
    if (resume != null) {
      slice = resume.slice();
      at = CellTree.position(resume.row(), resume.family(), resume.qualifier(), resume.time());
    }
  }

  @Override
  public boolean next(CellBatch into) {
    into.clear();
    cost = cost.plus(new ReadCost(0, 0, 0, 0, 0, 1));
    while (into.size() < plan.limits().pageCells() && !ended()) {
      ensureAlive();
      Cell cell = following();
      if (cell == null) {
        slice++;
        at = null;
      } else if (withinBudget(cell)) {
        look(cell, into);
      } else if (into.isEmpty()) {
        throw new BudgetExceededException(plan.budget(), cost);
      } else {
        break;
      }
    }
    return !into.isEmpty();
  }

  private boolean ended() {
    return slice == plan.slices().size()
        || (token != null && token.cellsSeen() >= plan.limits().cells());
  }

  /** The cell that is looked at next in this slice, or null at its end. */
  private @Nullable Cell following() {
    Slice within = plan.slices().get(slice);
    if (plan.direction() == Direction.FORWARD) {
      return touched(
          at == null ? cells.atOrAfter(CellTree.startOf(within.fromRow())) : cells.after(at),
          within);
    }
    if (at != null) {
      Cell next = cells.after(at);
      if (next != null && next.row().equals(at.row())) {
        return next;
      }
    }
    Bytes behind = at == null ? within.endRow() : at.row();
    Cell last = cells.before(behind == null ? null : CellTree.startOf(behind));
    Cell inSlice = touched(last, within);
    return inSlice == null ? null : cells.atOrAfter(CellTree.startOf(inSlice.row()));
  }

  /** The cell, if its row is one that the slice touches. */
  private static @Nullable Cell touched(@Nullable Cell cell, Slice within) {
    if (cell == null || cell.row().compareTo(within.fromRow()) < 0) {
      return null;
    }
    Bytes endRow = within.endRow();
    return endRow == null || cell.row().compareTo(endRow) < 0 ? cell : null;
  }

  private boolean withinBudget(Cell cell) {
    return cost.cellsRead() + 1 <= plan.budget().cellsRead()
        && cost.bytesRead() + size(cell) <= plan.budget().bytesRead();
  }

  private void look(Cell cell, CellBatch into) {
    boolean newRow = at == null || !at.row().equals(cell.row());
    cost = cost.plus(new ReadCost(newRow ? 1 : 0, 1, 0, size(cell), 0, 0));
    at = cell;
    FamilySelect select = select(cell.family());
    if (select == null || !selected(cell, select)) {
      return;
    }
    ResumeToken behind = ResumeToken.behind(token, slice, cell);
    Limits limits = plan.limits();
    if (behind.rowsSeen() > limits.rows()) {
      slice = plan.slices().size();
    } else if (behind.cellsInRow() <= limits.cellsPerRow()
        && behind.versionsSeen() <= select.versions()) {
      Cell delivered = plan.values() ? cell : withoutValue(cell);
      into.add(delivered);
      token = behind;
      cost = cost.plus(new ReadCost(0, 0, 1, 0, size(delivered), 0));
    }
  }

  private static Cell withoutValue(Cell cell) {
    return new Cell(cell.row(), cell.family(), cell.qualifier(), cell.time(), Bytes.EMPTY);
  }

  private boolean selected(Cell cell, FamilySelect select) {
    Slice within = plan.slices().get(slice);
    boolean afterStart =
        !cell.row().equals(within.fromRow())
            || cell.qualifier().compareTo(within.fromQualifier()) >= 0;
    boolean beforeEnd =
        !cell.row().equals(within.toRow()) || cell.qualifier().compareTo(within.toQualifier()) < 0;
    return afterStart
        && beforeEnd
        && inOneOf(select.qualifiers(), cell.qualifier())
        && select.times().contains(cell.time());
  }

  private @Nullable FamilySelect select(int family) {
    for (FamilySelect select : plan.families()) {
      if (select.family() == family) {
        return select;
      }
    }
    return null;
  }

  private static boolean inOneOf(List<QualifierRange> ranges, Bytes qualifier) {
    for (QualifierRange range : ranges) {
      Bytes to = range.to();
      if (qualifier.compareTo(range.from()) >= 0 && (to == null || qualifier.compareTo(to) < 0)) {
        return true;
      }
    }
    return ranges.isEmpty();
  }

  private static long size(Cell cell) {
    return (long) cell.row().length() + cell.qualifier().length() + cell.value().length();
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
    return cost;
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
