package dev.varve.store.rocksdb;

import dev.varve.model.Bytes;
import dev.varve.model.TimeRange;
import dev.varve.store.Budget;
import dev.varve.store.BudgetExceededException;
import dev.varve.store.CellBatch;
import dev.varve.store.FamilySelect;
import dev.varve.store.FamilySpec;
import dev.varve.store.ReadCost;
import dev.varve.store.ReadPlan;
import dev.varve.store.ResumeToken;
import dev.varve.store.Slice;
import dev.varve.store.adapter.ReadTally;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;

/**
 * Goes through the slices of a plan, row by row and range by range, and fills pages with the cells
 * that the plan names.
 */
final class CellScan {
  /*
   * The place is a slice, within it a row, within that one of the row's ranges, within that a key.
   * step() goes one step from there, with some hundred native calls at most, so that after any step
   * a page can end, a cancel be seen, another read have its turn.
   */

  /** Who reads. */
  interface Reader {
    /** Throws where the read is to stop; asked at every step. */
    void ensureAlive();

    /**
     * Takes note of a column that has more versions than its family keeps.
     *
     * @param column as it stands in keys, without a time
     */
    void noteSurplus(int family, byte[] column);
  }

  /** How a call of {@link #fill} ended. */
  enum Progress {
    /** The page is as full as it should be, and there may be more. */
    PAGE,
    /** There is nothing behind what the page holds. */
    END,
    /** There may be more, but others should have their turn. */
    PAUSE
  }

  private static final int STEPS_A_TURN = 1 << 14;

  /** Cells to look at between two questions whether the read is to stop. */
  private static final int CELLS_A_STEP = 64;

  private final TableEntry table;
  private final ReadPlan plan;
  private final Reader reader;
  private final KeyWalk walk;
  private final RowWalk rows;
  private final ReadTally tally;
  private final List<RowRange> wholeRow;

  private int slice;
  private boolean inSlice;
  private boolean inRow;
  private boolean inRange;
  private List<RowRange> ranges;
  private int range;

  /** The key behind the range at hand. */
  private final GrowingBytes rangeEnd = new GrowingBytes(64);

  /** Whether the last cell of the page is of the row at hand. */
  private boolean rowInPage;

  /** The column looked at last, as it stands in keys, the row before it and no time behind. */
  private final GrowingBytes column = new GrowingBytes(64);

  /** Versions of that column that were looked at, and those of them that were delivered. */
  private int versions;

  private int versionsDelivered;

  /** Where the scan was resumed, until it has left that column. */
  private @Nullable ResumeToken resumed;

  private final GrowingBytes target = new GrowingBytes(64);
  private final GrowingBytes qualifier = new GrowingBytes(64);
  private long fills;
  private long cellsLookedAt;
  private long bytesLookedAt;
  private long cellsReturned;
  private long bytesReturned;

  CellScan(
      TableEntry table,
      ReadPlan plan,
      @Nullable ResumeToken resume,
      RocksIterator iterator,
      Reader reader) {
    this.table = table;
    this.plan = plan;
    this.reader = reader;
    this.walk = new KeyWalk(iterator);
    this.rows = new RowWalk(table.id(), plan.direction(), walk);
    this.tally = new ReadTally(plan.limits());
    this.wholeRow = RowRange.of(plan.families(), Bytes.EMPTY, null);
    this.ranges = wholeRow;
    if (resume != null) {
      resume(resume);
    }
  }

  private void resume(ResumeToken token) {
    tally.resume(token);
    slice = token.slice();
    rows.startAt(plan.slices().get(slice), token.row());
    inSlice = true;
    startRow();
    column.add(rows.prefix());
    KeyFormat.addColumn(
        column, token.family(), token.qualifier().toArray(), 0, token.qualifier().length());
    qualifier.add(token.qualifier());
    versionsDelivered = token.versionsSeen();
    GrowingBytes position = new GrowingBytes(column.length());
    int rowLength = rows.prefix().length();
    position.add(column.array(), rowLength, column.length() - rowLength);
    FamilySpec family = table.spec().families().get(token.family());
    if (table.isTimed(token.family()) && family.maxVersions() == FamilySpec.ALL_VERSIONS) {
      KeyFormat.addTime(position, token.time());
    }
    ranges = RowRange.from(ranges, position.toArray());
    resumed = token;
  }

  /** Adds cells to a page. */
  Progress fill(CellBatch page) throws RocksDBException {
    fills++;
    rowInPage = false;
    long last = cellsLookedAt + STEPS_A_TURN;
    for (int steps = 0; steps < STEPS_A_TURN && cellsLookedAt < last; steps++) {
      reader.ensureAlive();
      if (plan.limits().isFull(page)) {
        return Progress.PAGE;
      }
      if (tally.isFull() || (!inSlice && slice == plan.slices().size())) {
        return Progress.END;
      }
      if (!step(page)) {
        return Progress.PAGE;
      }
    }
    return Progress.PAUSE;
  }

  /** The token behind the last cell of a page that is not empty and was filled last. */
  ResumeToken token(CellBatch page) {
    return tally.token(page);
  }

  ReadCost cost() {
    return new ReadCost(
        rows.rows(),
        cellsLookedAt + walk.passed(),
        cellsReturned,
        bytesLookedAt,
        bytesReturned,
        fills + walk.leaps());
  }

  /** Goes on by one step; false where the page must end because the budget does. */
  private boolean step(CellBatch page) throws RocksDBException {
    if (!inSlice) {
      rows.start(plan.slices().get(slice));
      inSlice = true;
    } else if (!inRow) {
      if (rows.next()) {
        tally.startRow();
        startRow();
      } else {
        inSlice = false;
        slice++;
      }
    } else if (range == ranges.size()) {
      inRow = false;
    } else if (!inRange) {
      startRange(ranges.get(range));
    } else if (!walk.isBefore(rangeEnd)) {
      leaveRange();
    } else if (resumed == null && !table.isTimed(ranges.get(range).family())) {
      return lookOn(ranges.get(range), page);
    } else {
      return look(ranges.get(range), page);
    }
    return true;
  }

  private void startRow() {
    Slice within = plan.slices().get(slice);
    boolean cutsFirst = !within.fromQualifier().isEmpty() && isRow(within.fromRow());
    boolean cutsLast = isRow(within.toRow());
    ranges =
        cutsFirst || cutsLast
            ? RowRange.of(
                plan.families(),
                cutsFirst ? within.fromQualifier() : Bytes.EMPTY,
                cutsLast ? within.toQualifier() : null)
            : wholeRow;
    range = 0;
    inRow = true;
    inRange = false;
    rowInPage = false;
    column.truncate(0);
  }

  private boolean isRow(@Nullable Bytes other) {
    return other != null && other.contentEquals(rows.row().array(), 0, rows.row().length());
  }

  private void startRange(RowRange to) throws RocksDBException {
    if (tally.isFull(to.family())) {
      range++;
      return;
    }
    target.truncate(0);
    target.add(rows.prefix());
    target.add(to.from(), 0, to.from().length);
    walk.forwardTo(target);
    rangeEnd.truncate(0);
    rangeEnd.add(rows.prefix());
    rangeEnd.add(to.to(), 0, to.to().length);
    inRange = true;
  }

  private void leaveRange() {
    range++;
    inRange = false;
  }

  /**
   * Looks at cells of a family that has no time in its keys, where each is a column of its own, up
   * to the end of the range, of the page or of the step; false where the next one would be above
   * the budget.
   */
  private boolean lookOn(RowRange within, CellBatch page) throws RocksDBException {
    FamilySelect select = within.select();
    int qualifierAt = rows.prefix().length() + 1;
    for (int i = 0; i < CELLS_A_STEP && inRange && walk.isBefore(rangeEnd); i++) {
      qualifier.truncate(0);
      KeyFormat.addUnescaped(qualifier, walk.key(), qualifierAt, walk.length());
      int valueLength = walk.loadValue() - KeyFormat.TIME_LENGTH;
      if (!spend((long) rows.row().length() + qualifier.length() + valueLength, page)) {
        return false;
      }
      long time = GrowingBytes.longAt(walk.value(), 0);
      if (select.times().contains(time)) {
        versionsDelivered = 0;
        deliver(select, time, KeyFormat.TIME_LENGTH, valueLength, page);
      }
      walk.next();
      if (plan.limits().isFull(page) || tally.isFull()) {
        break;
      }
    }
    return true;
  }

  /** Looks at the cell at hand; false where that would be above the budget. */
  private boolean look(RowRange within, CellBatch page) throws RocksDBException {
    FamilySelect select = within.select();
    boolean timed = table.isTimed(select.family());
    followColumn(timed);
    int valueOffset = timed ? 0 : KeyFormat.TIME_LENGTH;
    int valueLength = walk.loadValue() - valueOffset;
    if (!spend((long) rows.row().length() + qualifier.length() + valueLength, page)) {
      return false;
    }
    if (timed) {
      lookAtVersion(select, valueLength, page);
    } else {
      long time = GrowingBytes.longAt(walk.value(), 0);
      if (select.times().contains(time) && !wasDelivered(time, false)) {
        deliver(select, time, valueOffset, valueLength, page);
      }
      walk.next();
    }
    return true;
  }

  private void lookAtVersion(FamilySelect select, int valueLength, CellBatch page)
      throws RocksDBException {
    long time = KeyFormat.time(walk.key(), walk.length());
    TimeRange times = select.times();
    int kept = table.spec().families().get(select.family()).maxVersions();
    versions++;
    if (versions == kept + 1) {
      reader.noteSurplus(select.family(), column.toArray());
    }
    if (versions > kept || versionsDelivered >= select.versions() || time < times.from()) {
      passColumn();
    } else if (time >= times.to()) {
      passNewerThan(times, kept);
    } else {
      if (!wasDelivered(time, true)) {
        deliver(select, time, 0, valueLength, page);
      }
      walk.next();
    }
  }

  /** Notes whether the cell at hand begins a new column. */
  private void followColumn(boolean timed) {
    int end = timed ? walk.length() - KeyFormat.TIME_LENGTH : walk.length();
    if (Arrays.equals(column.array(), 0, column.length(), walk.key(), 0, end)) {
      return;
    }
    column.truncate(0);
    column.add(walk.key(), 0, end);
    versions = 0;
    versionsDelivered = 0;
    resumed = null;
    qualifier.truncate(0);
    KeyFormat.addUnescaped(qualifier, walk.key(), rows.prefix().length() + 1, end);
  }

  /** Counts the cell at hand, if the budget allows; where not, false, or an error on a new page. */
  private boolean spend(long bytes, CellBatch page) {
    Budget budget = plan.budget();
    if (cellsLookedAt + walk.passed() < budget.cellsRead()
        && bytesLookedAt + bytes <= budget.bytesRead()) {
      cellsLookedAt++;
      bytesLookedAt += bytes;
      return true;
    }
    if (page.isEmpty()) {
      throw new BudgetExceededException(budget, cost());
    }
    return false;
  }

  private boolean wasDelivered(long time, boolean timed) {
    return resumed != null && (!timed || time >= resumed.time());
  }

  private void deliver(
      FamilySelect select, long time, int valueOffset, int valueLength, CellBatch page) {
    int delivered = plan.values() ? valueLength : 0;
    GrowingBytes row = rows.row();
    if (rowInPage) {
      page.addToRow(
          select.family(),
          qualifier.array(),
          0,
          qualifier.length(),
          time,
          walk.value(),
          valueOffset,
          delivered);
    } else {
      page.add(
          row.array(),
          0,
          row.length(),
          select.family(),
          qualifier.array(),
          0,
          qualifier.length(),
          time,
          walk.value(),
          valueOffset,
          delivered);
      rowInPage = true;
    }
    versionsDelivered++;
    tally.add(slice, select.family(), versionsDelivered);
    cellsReturned++;
    bytesReturned += (long) row.length() + qualifier.length() + delivered;
    if (tally.isFull(select.family())) {
      leaveRange();
    }
  }

  /** Goes to the next column. */
  private void passColumn() throws RocksDBException {
    walk.next();
    target.truncate(0);
    target.add(column);
    KeyFormat.passEnd(target);
    walk.forwardTo(target);
  }

  /** Goes past a version that is too new; where they need not be counted, past all such. */
  private void passNewerThan(TimeRange times, int kept) throws RocksDBException {
    walk.next();
    if (kept == FamilySpec.ALL_VERSIONS && !times.isEmpty()) {
      target.truncate(0);
      target.add(column);
      KeyFormat.addTime(target, times.to() - 1);
      walk.forwardTo(target);
    }
  }
}
