package dev.varve.store.rocksdb;

import dev.varve.model.Bytes;
import dev.varve.store.Admission;
import dev.varve.store.Cell;
import dev.varve.store.Durability;
import dev.varve.store.Power;
import dev.varve.store.adapter.CounterValue;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDBException;

/** The optional powers of a table. Each is a decision of the writer, which makes it atomic. */
final class TablePowers
    implements Power.ConditionalPut, Power.Increment, Power.RangeDelete, Power.Reclaim {
  private final RocksStore store;
  private final TableEntry table;
  private final Admission admission;
  private final Runnable ensureOpen;

  TablePowers(RocksStore store, TableEntry table, Admission admission, Runnable ensureOpen) {
    this.store = store;
    this.table = table;
    this.admission = admission;
    this.ensureOpen = ensureOpen;
  }

  @Override
  public boolean putIf(Cell cell, @Nullable Bytes expected) {
    encoder(cell);
    AtomicBoolean done = new AtomicBoolean();
    write(() -> {
      Cell newest = newest(cell.row(), cell.family(), cell.qualifier());
      done.set(newest == null ? expected == null : newest.value().equals(expected));
      return done.get() ? put(cell, newest) : new WriteRecords(0);
    });
    return done.get();
  }

  @Override
  public long add(Bytes row, int family, Bytes qualifier, long amount, long time) {
    encoder(new Cell(row, family, qualifier, time, CounterValue.of(0)));
    AtomicLong sum = new AtomicLong();
    write(() -> {
      Cell newest = newest(row, family, qualifier);
      sum.set(amount + (newest == null ? 0 : CounterValue.read(newest.value(), row, qualifier)));
      return put(new Cell(row, family, qualifier, time, CounterValue.of(sum.get())), newest);
    });
    return sum.get();
  }

  /** Returns records that put a cell so that it replaces the newest one of its column. */
  private WriteRecords put(Cell cell, @Nullable Cell newest) {
    long time = newest == null ? cell.time() : Math.max(cell.time(), newest.time());
    MutationEncoder put =
        encoder(new Cell(cell.row(), cell.family(), cell.qualifier(), time, cell.value()));
    WriteRecords records = put.room(0, 1);
    put.encode(0, 1, records);
    return records;
  }

  @Override
  public void deleteRows(Bytes from, @Nullable Bytes to) {
    if (to != null && from.compareTo(to) >= 0) {
      return;
    }
    WriteRecords records = new WriteRecords(128);
    records.deleteRange(store.database().cellsFamily(), first(from), end(to));
    write(() -> records);
  }

  private GrowingBytes first(Bytes from) {
    GrowingBytes first = new GrowingBytes(64);
    KeyFormat.addRow(first, table.id(), from.toArray(), 0, from.length());
    return first;
  }

  private GrowingBytes end(@Nullable Bytes to) {
    GrowingBytes end = new GrowingBytes(64);
    if (to == null) {
      end.addInt(table.id() + 1);
    } else {
      KeyFormat.addRow(end, table.id(), to.toArray(), 0, to.length());
    }
    return end;
  }

  @Override
  public void reclaim(Bytes from, @Nullable Bytes to) {
    ensureOpen.run();
    store
        .gate()
        .call(() -> {
          store.database().reclaim(first(from), end(to));
          return true;
        });
  }

  private void write(GroupCommit.Decision decision) {
    ensureOpen.run();
    GroupCommit.Decision ifThere =
        () -> {
          table.ensureThere();
          return decision.decide();
        };
    store.gate().pass(() -> store.writer().submitLooking(ifThere, Durability.SYNCED)).await();
  }

  /** Returns an encoder of a put of the cell, if the table admits it. */
  private MutationEncoder encoder(Cell cell) {
    return new MutationEncoder(table, admission.admitted(cell), store.database().cellsFamily());
  }

  /** Returns the newest cell of a column, or null if there is none; called by the writer. */
  private @Nullable Cell newest(Bytes row, int family, Bytes qualifier) throws RocksDBException {
    GrowingBytes column = new GrowingBytes(64);
    KeyFormat.addRow(column, table.id(), row.toArray(), 0, row.length());
    KeyFormat.addColumn(column, family, qualifier.toArray(), 0, qualifier.length());
    if (table.isTimed(family)) {
      Database.Found found = store.database().firstCell(column);
      return found == null
          ? null
          : new Cell(
              row,
              family,
              qualifier,
              KeyFormat.time(found.key(), found.key().length),
              Bytes.of(found.value()));
    }
    byte[] value = store.database().cell(column);
    return value == null
        ? null
        : new Cell(
            row,
            family,
            qualifier,
            GrowingBytes.longAt(value, 0),
            Bytes.of(Arrays.copyOfRange(value, KeyFormat.TIME_LENGTH, value.length)));
  }
}
