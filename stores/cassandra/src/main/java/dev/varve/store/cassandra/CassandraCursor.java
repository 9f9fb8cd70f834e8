package dev.varve.store.cassandra;

import com.datastax.oss.driver.api.core.cql.Row;
import dev.varve.model.Bytes;
import dev.varve.store.Budget;
import dev.varve.store.BudgetExceededException;
import dev.varve.store.CellBatch;
import dev.varve.store.CellCursor;
import dev.varve.store.FamilySelect;
import dev.varve.store.ReadCancelledException;
import dev.varve.store.ReadCost;
import dev.varve.store.ReadPlan;
import dev.varve.store.ResumeToken;
import dev.varve.store.StoreException;
import dev.varve.store.adapter.ReadTally;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A read in progress. It requests slices ahead, few at first and more as the read goes on, and
 * returns their cells in order.
 */
final class CassandraCursor implements CellCursor, ReadWatch {
  private static final int PAGE_MIN = 16;

  private final CassandraTable table;
  private final Requests requests;
  private final ReadPlan plan;
  private final @Nullable ResumeToken resume;
  private final List<RowSource> sources = new ArrayList<>();
  private final List<ColumnTrim> trims = new ArrayList<>();
  private final ReadTally tally;

  /** Requested slices; the first is the current one. */
  private final Deque<SliceRead> slices = new ArrayDeque<>();

  private int nextSlice;
  private int ahead = 1;
  private final int aheadMax;

  /** The current row: its whole key, and the key without its partition; null between rows. */
  private byte @Nullable [] row;

  private @Nullable ByteBuffer rowKey;
  private int family;

  private @Nullable ResumeToken token;
  private long rows;
  private long cellsRead;
  private long cellsReturned;
  private long bytesRead;
  private long bytesReturned;
  private long requestCount;
  private boolean rowCounted;

  /** Whether the last cell of the page is of the current row. */
  private boolean rowInPage;

  private boolean finished;
  private volatile boolean cancelled;
  private volatile boolean closed;

  CassandraCursor(
      CassandraTable table, Requests requests, ReadPlan plan, @Nullable ResumeToken resume) {
    this.table = table;
    this.requests = requests;
    this.plan = plan;
    this.resume = resume;
    this.token = resume;
    this.tally = new ReadTally(plan.limits());
    this.aheadMax = isShort(plan) ? 1 : requests.options().partitionsInFlight();
    if (resume != null) {
      tally.resume(resume);
      nextSlice = resume.slice();
    }
    for (FamilySelect select : plan.families()) {
      boolean within = resume != null && resume.family() == select.family();
      sources.add(
          new RowSource(
              requests,
              this,
              table.family(select.family()),
              new PageSize(pageCells(plan, requests), table.entry().weight(select.family())),
              plan.cellTimes()));
      trims.add(
          new ColumnTrim(
              select,
              table.spec().families().get(select.family()).maxVersions(),
              within ? resume : null));
    }
  }

  /** A read that stops early requests nothing that it may never need. */
  private static boolean isShort(ReadPlan plan) {
    return plan.limits().rows() < Long.MAX_VALUE || plan.limits().cells() < Long.MAX_VALUE;
  }

  private static int pageCells(ReadPlan plan, Requests requests) {
    long wanted = Math.min(plan.limits().pageCells(), plan.limits().cells());
    return (int) Math.min(requests.options().pageCells(), Math.max(PAGE_MIN, wanted));
  }

  @Override
  public boolean next(CellBatch into) {
    into.clear();
    rowInPage = false;
    ensureWanted();
    table.entry().ensureThere();
    try {
      while (!finished && !plan.limits().isFull(into) && step(into)) {
        ensureAlive();
      }
    } catch (StoreException e) {
      throw table.entry().failure(e);
    }
    if (into.isEmpty()) {
      return false;
    }
    token = tally.token(into);
    return true;
  }

  /** Reads one cell or moves to the next position; false if the page must end before it is full. */
  private boolean step(CellBatch into) {
    SliceRead slice = slice();
    if (slice == null || tally.isFull()) {
      finished = true;
      return false;
    }
    ByteBuffer key = rowKey;
    if (key == null) {
      startRow(slice);
      return true;
    }
    if (family == sources.size()) {
      row = null;
      rowKey = null;
      return true;
    }
    Runs runs = slice.runs(family);
    Row cell = slice.has(family, key) ? runs.peek() : null;
    if (cell == null) {
      family++;
      return true;
    }
    if (tally.isFull(plan.families().get(family).family())) {
      runs.skip();
      family++;
      return true;
    }
    return look(slice.index(), cell, runs, into);
  }

  /** Returns the current slice; null after the last. */
  private @Nullable SliceRead slice() {
    while (slices.size() < ahead && nextSlice < plan.slices().size()) {
      int index = nextSlice++;
      PartitionRange stretch =
          PartitionRange.of(
              plan.slices().get(index), table.spec().partitioning(), table.spec().name());
      boolean stopped = resume != null && resume.slice() == index;
      if (!stretch.isEmpty()) {
        slices.add(new SliceRead(index, stretch, plan, sources, stopped ? resume : null));
      }
    }
    return slices.peek();
  }

  private void startRow(SliceRead slice) {
    ByteBuffer key = slice.nextRow();
    if (key == null) {
      slices.remove();
      ahead = Math.min(aheadMax, 2 * ahead);
      return;
    }
    Bytes partition = slice.partition();
    byte[] whole = new byte[partition.length() + key.remaining()];
    partition.copyTo(whole, 0);
    key.get(key.position(), whole, partition.length(), key.remaining());
    row = whole;
    rowKey = key;
    family = 0;
    rowCounted = false;
    rowInPage = false;
    boolean stopped =
        resume != null
            && resume.slice() == slice.index()
            && resume.row().contentEquals(whole, 0, whole.length);
    if (!stopped) {
      tally.startRow();
    }
    for (ColumnTrim trim : trims) {
      trim.startRow(stopped);
    }
  }

  private boolean look(int slice, Row cell, Runs runs, CellBatch into) {
    FamilyTable columns = sources.get(family).table();
    ByteBuffer qualifier = columns.qualifier(cell);
    ByteBuffer value = columns.value(cell);
    byte[] whole = row;
    if (value == null || whole == null) {
      runs.pop();
      return true;
    }
    int bytes = whole.length + qualifier.remaining() + value.remaining();
    Budget budget = plan.budget();
    if (cellsRead + 1 > budget.cellsRead() || bytesRead + bytes > budget.bytesRead()) {
      if (into.isEmpty()) {
        throw new BudgetExceededException(budget, cost());
      }
      return false;
    }
    runs.pop();
    rows += rowCounted ? 0 : 1;
    rowCounted = true;
    cellsRead++;
    bytesRead += bytes;
    long time = plan.cellTimes() ? columns.time(cell) : 0;
    if (trims.get(family).takes(qualifier, time)) {
      int index = plan.families().get(family).family();
      int delivered = plan.values() ? value.remaining() : 0;
      add(into, whole, index, qualifier, time, value, delivered);
      tally.add(slice, index, trims.get(family).deliver());
      cellsReturned++;
      bytesReturned += bytes - value.remaining() + delivered;
    }
    return true;
  }

  private void add(
      CellBatch into,
      byte[] whole,
      int index,
      ByteBuffer qualifier,
      long time,
      ByteBuffer value,
      int delivered) {
    int qualifierAt = qualifier.arrayOffset() + qualifier.position();
    int valueAt = value.arrayOffset() + value.position();
    if (rowInPage) {
      into.addToRow(
          index,
          qualifier.array(),
          qualifierAt,
          qualifier.remaining(),
          time,
          value.array(),
          valueAt,
          delivered);
    } else {
      into.add(
          whole,
          0,
          whole.length,
          index,
          qualifier.array(),
          qualifierAt,
          qualifier.remaining(),
          time,
          value.array(),
          valueAt,
          delivered);
      rowInPage = true;
    }
  }

  @Override
  public void ensureWanted() {
    requests.ensureOpen();
    ensureAlive();
  }

  private void ensureAlive() {
    if (closed) {
      throw new StoreException("the cursor is closed");
    }
    if (cancelled) {
      throw new ReadCancelledException();
    }
  }

  @Override
  public void countRequest() {
    requestCount++;
  }

  @Override
  public void countBeside(int bytes) {
    cellsRead++;
    bytesRead += bytes;
    if (cellsRead > plan.budget().cellsRead() || bytesRead > plan.budget().bytesRead()) {
      throw new BudgetExceededException(plan.budget(), cost());
    }
  }

  @Override
  public @Nullable ResumeToken token() {
    return token;
  }

  @Override
  public ReadCost cost() {
    return new ReadCost(rows, cellsRead, cellsReturned, bytesRead, bytesReturned, requestCount);
  }

  @Override
  public void cancel() {
    cancelled = true;
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      slices.clear();
      table.forget(this);
    }
  }
}
