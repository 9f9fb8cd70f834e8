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
 * Scans the slices of a plan, row by row and range by range, and fills pages with the selected
 * cells.
 */
final class CellScan {
  /*
   * The position is a slice, a row within it, one of the row's ranges, and a key within the range.
   * step() advances from there with at most a few hundred native calls. After any step a page can
   * end, a cancellation can take effect, and another read can take its turn.
   */

  /** The caller of a scan. */
  interface Reader {
    /** Throws if the read must stop; called at every step. */
    void ensureAlive();

    /**
     * Records a column that has more versions than its family keeps.
     *
     * @param column the column as encoded in keys, without a time
     */
    void noteSurplus(int family, byte[] column);
  }

  /** The result of a call to {@link #fill}. */
  enum Progress {
    /** The page is complete; there may be more cells. */
    PAGE,
    /** There are no cells after those in the page. */
    END,
    /** There may be more cells, but other reads should have a turn. */
    PAUSE
  }

  private static final int STEPS_A_TURN = 1 << 14;

  /** Maximum cells to read between two checks whether the read must stop. */
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

  /** The end of the current range, exclusive. */
  private final GrowingBytes rangeEnd = new GrowingBytes(64);

  /** Whether the last cell of the page belongs to the current row. */
  private boolean rowInPage;

  /** The column read last, as encoded in keys: preceded by its row, without a time. */
  private final GrowingBytes column = new GrowingBytes(64);

  /** Number of versions of that column that were read, and how many of them were delivered. */
  private int versions;

  private int versionsDelivered;

  /** The position at which the scan resumed; null once it has left that column. */
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

  /**
   * Returns the token after the last cell of a non-empty page, which must be the last one filled.
   */
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

  /** Advances by one step; false if the page must end because the budget is spent. */
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
   * Reads cells of a family without times in its keys, where each cell is a column of its own, up
   * to the end of the range, the page or the step. Returns false if the next cell would exceed the
   * budget.
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

  /** Reads the current cell; false if it would exceed the budget. */
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

  /** Detects whether the current cell starts a new column. */
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

  /**
   * Counts the current cell if the budget allows it. Otherwise returns false, or throws if the page
   * is empty.
   */
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

  /** Moves to the next column. */
  private void passColumn() throws RocksDBException {
    walk.next();
    target.truncate(0);
    target.add(column);
    KeyFormat.passEnd(target);
    walk.forwardTo(target);
  }

  /** Skips a version that is too new, and all other such versions if they need not be counted. */
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
