package dev.varve.engine.home;

import dev.varve.model.Bytes;
import dev.varve.model.Resolution;
import dev.varve.store.CellBatch;
import dev.varve.store.CellCursor;
import dev.varve.store.Durability;
import dev.varve.store.FamilySelect;
import dev.varve.store.FamilySpec;
import dev.varve.store.MutationBatch;
import dev.varve.store.Partitioning;
import dev.varve.store.ReadPlan;
import dev.varve.store.RowOutcome;
import dev.varve.store.RowOutcome.Status;
import dev.varve.store.Slice;
import dev.varve.store.Store;
import dev.varve.store.StoreException;
import dev.varve.store.Table;
import dev.varve.store.TableSpec;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The mark in a store: the highest stamp that its cells may have. It makes stamps rise across
 * restarts, whatever the system clock does in the meantime.
 *
 * <pre>
 * table .clock, family c, qualifier empty, value: mark i64, microseconds since 1970
 * row 00                 in an embedded store
 *     01 server i64      in a store that several servers share; each has its own mark
 * The cell time counts the writes, in steps that the store distinguishes. It cannot be the mark,
 * which may decrease when a store is closed.
 * </pre>
 */
public final class ClockTable implements AutoCloseable {
  /**
   * The distance by which writers put the mark ahead of their stamps, in microseconds, so that few
   * writes have to raise it.
   */
  public static final long MARK_AHEAD_MICROS = 2_000_000;

  private static final int TRIES = 4;

  /** Length of a row in a store that several servers share. */
  private static final int SHARED_ROW_BYTES = 1 + Long.BYTES;

  private final Table table;
  private final Bytes row;
  private final long stampUnit;

  /** The last mark written. */
  private volatile long mark = Long.MIN_VALUE;

  private long writes;

  /**
   * Opens the mark of a store.
   *
   * @param server the server that owns the mark; null in an embedded store
   */
  public ClockTable(Store store, @Nullable ServerId server) {
    this.row =
        server == null
            ? Bytes.of((byte) 0)
            : Bytes.of(
                ByteBuffer.allocate(SHARED_ROW_BYTES).put((byte) 1).putLong(server.id()).array());
    TableSpec spec =
        new TableSpec(
            ".clock", List.of(FamilySpec.latest("c")), Resolution.MICROSECONDS, Partitioning.NONE);
    this.table = store.open(spec, Store.OpenMode.CREATE_IF_ABSENT);
    this.stampUnit = store.capabilities(spec).clockStepMicros(spec);
    read();
  }

  Table table() {
    return table;
  }

  /** Returns the smallest difference between stamps, in microseconds, that the store preserves. */
  public long stampUnit() {
    return stampUnit;
  }

  /** Returns the mark; {@link Long#MIN_VALUE} in a new store. */
  public long mark() {
    return mark;
  }

  /** Reads the marks of all servers that share the store; none in an embedded one. */
  Map<ServerId, Long> all() {
    Map<ServerId, Long> marks = new LinkedHashMap<>();
    ReadPlan plan =
        ReadPlan.of(List.of(Slice.partition(Bytes.EMPTY)), List.of(FamilySelect.latest(0)));
    CellBatch page = new CellBatch();
    try (CellCursor cursor = table.read(plan, null)) {
      while (cursor.next(page)) {
        for (int cell = 0; cell < page.size(); cell++) {
          Bytes of = page.row(cell);
          if (of.length() == SHARED_ROW_BYTES) {
            marks.put(new ServerId(ByteBuffer.wrap(of.toArray()).getLong(1)), mark(page, cell));
          }
        }
      }
    }
    return marks;
  }

  private static long mark(CellBatch page, int cell) {
    if (page.valueLength(cell) != 8) {
      throw new StoreException(
          "table '.clock' is damaged: a mark of " + page.valueLength(cell) + " bytes");
    }
    return ByteBuffer.wrap(page.value(cell).toArray()).getLong();
  }

  private void read() {
    ReadPlan plan =
        ReadPlan.of(List.of(Slice.row(Bytes.EMPTY, row)), List.of(FamilySelect.latest(0)));
    CellBatch page = new CellBatch();
    try (CellCursor cursor = table.read(plan, null)) {
      if (!cursor.next(page)) {
        return;
      }
      mark = mark(page, 0);
      writes = page.time(0);
    }
  }

  /**
   * Ensures that the mark is at least a stamp before the next write to the store.
   *
   * @param ahead distance of the mark beyond the stamp, in microseconds, so that it is seldom
   *     raised
   */
  public void reach(long stamp, long ahead) {
    if (stamp > mark) {
      raise(stamp, ahead);
    }
  }

  private synchronized void raise(long stamp, long ahead) {
    if (stamp > mark) {
      put(stamp + ahead, Durability.ORDERED);
    }
  }

  /** Makes all earlier writes to the store durable. */
  public synchronized void sync() {
    put(mark, Durability.SYNCED);
  }

  /** Lowers the mark to the last stamp given. Called after the last write. */
  public synchronized void settle(long lastStamp) {
    if (mark > lastStamp) {
      put(lastStamp, Durability.SYNCED);
    }
  }

  private void put(long value, Durability durability) {
    MutationBatch edit = new MutationBatch();
    Bytes bytes = Bytes.of(ByteBuffer.allocate(8).putLong(value).array());
    writes = (writes / stampUnit + 1) * stampUnit;
    edit.put(row, 0, Bytes.EMPTY, writes, bytes);
    RowOutcome outcome = apply(edit, durability);
    for (int tries = 1; tries < TRIES && outcome.status() == Status.NOT_APPLIED; tries++) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
      outcome = apply(edit, durability);
    }
    if (!outcome.applied()) {
      throw new StoreException(
          "table '.clock' cannot be written: " + outcome.reason(),
          null,
          outcome.status() == Status.UNKNOWN);
    }
    mark = value;
  }

  private RowOutcome apply(MutationBatch edit, Durability durability) {
    List<RowOutcome> outcomes = table.apply(edit, durability);
    return outcomes.isEmpty() ? RowOutcome.APPLIED : outcomes.getFirst();
  }

  @Override
  public void close() {
    table.close();
  }
}
