package dev.varve.store.hbase;

import dev.varve.model.Bytes;
import dev.varve.store.Admission;
import dev.varve.store.Cell;
import dev.varve.store.Power;
import dev.varve.store.StoreException;
import dev.varve.store.adapter.CounterValue;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.CheckAndMutateResult;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.filter.ColumnRangeFilter;
import org.apache.hadoop.hbase.filter.ColumnValueFilter;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.filter.FilterList;
import org.apache.hadoop.hbase.filter.TimestampsFilter;
import org.apache.hadoop.hbase.filter.WhileMatchFilter;
import org.jspecify.annotations.Nullable;

/** The optional powers of a table, based on HBase's check-and-mutate. */
final class TablePowers implements Power.ConditionalPut, Power.Increment {
  private static final long PAUSE_NANOS = 50_000_000;

  private final HBaseStore store;
  private final TableEntry table;
  private final Admission admission;
  private final Runnable ensureOpen;

  TablePowers(HBaseStore store, TableEntry table, Admission admission, Runnable ensureOpen) {
    this.store = store;
    this.table = table;
    this.admission = admission;
    this.ensureOpen = ensureOpen;
  }

  @Override
  public boolean putIf(Cell cell, @Nullable Bytes expected) {
    ensureOpen.run();
    admit(cell);
    while (true) {
      store.calls().ensureOpen();
      org.apache.hadoop.hbase.@Nullable Cell now =
          newest(cell.row(), cell.family(), cell.qualifier());
      boolean asExpected = now == null ? expected == null : value(now).equals(expected);
      if (!asExpected || replace(now, cell)) {
        return asExpected;
      }
    }
  }

  /**
   * Puts a cell if the one read is still the newest of its column. If the new cell is older than
   * that one, it gets that one's time: HBase shows the cell with the higher time and, at equal
   * times, the one put later.
   */
  private boolean replace(org.apache.hadoop.hbase.@Nullable Cell now, Cell cell) {
    if (now == null) {
      ensureVisible(cell);
      return checkAndPut(cell, null);
    }
    long time = Math.max(cell.time(), now.getTimestamp());
    return checkAndPut(
        new Cell(cell.row(), cell.family(), cell.qualifier(), time, cell.value()), now);
  }

  /**
   * {@inheritDoc}
   *
   * <p>HBase's own increment uses the server's clock instead of {@code time}. So this method reads,
   * adds, and puts if nothing else was put in between; other writers may use HBase's increment
   * concurrently. A time before that of the existing cell is replaced by it, as HBase does.
   */
  @Override
  public long add(Bytes row, int family, Bytes qualifier, long amount, long time) {
    ensureOpen.run();
    admit(new Cell(row, family, qualifier, time, CounterValue.of(0)));
    while (true) {
      store.calls().ensureOpen();
      org.apache.hadoop.hbase.@Nullable Cell now = newest(row, family, qualifier);
      long sum = amount + (now == null ? 0 : CounterValue.read(value(now), row, qualifier));
      if (replace(now, new Cell(row, family, qualifier, time, CounterValue.of(sum)))) {
        return sum;
      }
    }
  }

  private void admit(Cell cell) {
    table.ensureThere();
    admission.admitted(cell);
  }

  private boolean checkAndPut(Cell cell, org.apache.hadoop.hbase.@Nullable Cell current) {
    CheckAndMutate action = action(cell, current);
    CheckAndMutateResult result =
        surely(() -> store.cluster().forWrites(table.name()).checkAndMutate(action));
    return result.isSuccess();
  }

  private CheckAndMutate action(Cell cell, org.apache.hadoop.hbase.@Nullable Cell current) {
    byte[] row = cell.row().toArray();
    byte[] family = table.family(cell.family());
    byte[] qualifier = cell.qualifier().toArray();
    Put put =
        new Put(row)
            .addColumn(family, qualifier, cell.time(), cell.value().toArray())
            .setDurability(store.options().wal().durability);
    CheckAndMutate.Builder check = CheckAndMutate.newBuilder(row);
    // HBase treats a cell with an empty value as missing; the preceding read found no cell at all.
    return current == null
        ? check.ifNotExists(family, qualifier).build(put)
        : check.ifMatches(isNewest(family, qualifier, current)).build(put);
  }

  /**
   * Selects something if a column's newest cell has this value and this time. The time must match,
   * too: a newer cell with the same value would hide the new one.
   */
  private static Filter isNewest(
      byte[] family, byte[] qualifier, org.apache.hadoop.hbase.Cell cell) {
    Filter value =
        new ColumnValueFilter(family, qualifier, CompareOperator.EQUAL, CellUtil.cloneValue(cell));
    // Ends the row at the first cell of another time, before older cells are checked.
    Filter time = new WhileMatchFilter(new TimestampsFilter(List.of(cell.getTimestamp())));
    return new FilterList(FilterList.Operator.MUST_PASS_ALL, List.of(value, time));
  }

  /**
   * Repeats a call until its outcome is known: it retries a call that was certainly not applied.
   */
  private CheckAndMutateResult surely(Supplier<CompletableFuture<CheckAndMutateResult>> call) {
    for (int attempt = 0; ; attempt++) {
      try {
        return store.calls().await(call.get());
      } catch (FailedCallException e) {
        if (e.failure().kind() != Failure.Kind.NOT_APPLIED
            || attempt >= store.options().retries()) {
          throw table.exception(e.failure(), "writing to");
        }
        LockSupport.parkNanos(PAUSE_NANOS << Math.min(attempt, 5));
      }
    }
  }

  private org.apache.hadoop.hbase.@Nullable Cell newest(Bytes row, int family, Bytes qualifier) {
    Get get = new Get(row.toArray()).addColumn(table.family(family), qualifier.toArray());
    try {
      Result result = store.calls().await(store.cluster().forReads(table.name()).get(get));
      return result.isEmpty() ? null : result.rawCells()[0];
    } catch (FailedCallException e) {
      throw table.exception(e.failure(), "reading");
    }
  }

  /** Throws if a tombstone would hide the cell: the put would succeed without a visible effect. */
  private void ensureVisible(Cell cell) {
    byte[] row = cell.row().toArray();
    Scan scan =
        new Scan()
            .withStartRow(row, true)
            .withStopRow(row, true)
            .addFamily(table.family(cell.family()))
            .setFilter(
                new FilterList(
                    FilterList.Operator.MUST_PASS_ONE,
                    // The tombstones of a family have an empty qualifier.
                    List.of(only(Bytes.EMPTY), only(cell.qualifier()))))
            .setRaw(true);
    try {
      scan.readAllVersions();
      for (Result result :
          store.calls().await(store.cluster().forReads(table.name()).scanAll(scan))) {
        for (org.apache.hadoop.hbase.Cell found : result.rawCells()) {
          if (CellUtil.isDelete(found) && hides(found, cell.time())) {
            throw new StoreException(
                "not written: column %s of row %s of table '%s' was deleted up to time %d, which hides a cell of time %d until HBase has compacted the table"
                    .formatted(
                        cell.qualifier(),
                        cell.row(),
                        table.spec().name(),
                        found.getTimestamp(),
                        cell.time()));
          }
        }
      }
    } catch (FailedCallException e) {
      throw table.exception(e.failure(), "reading");
    }
  }

  private static Filter only(Bytes qualifier) {
    return new ColumnRangeFilter(qualifier.toArray(), true, qualifier.toArray(), true);
  }

  private static boolean hides(org.apache.hadoop.hbase.Cell tombstone, long time) {
    return switch (tombstone.getType()) {
      case Delete, DeleteFamilyVersion -> tombstone.getTimestamp() == time;
      default -> tombstone.getTimestamp() >= time;
    };
  }

  private static Bytes value(org.apache.hadoop.hbase.Cell cell) {
    return Bytes.of(CellUtil.cloneValue(cell));
  }
}
