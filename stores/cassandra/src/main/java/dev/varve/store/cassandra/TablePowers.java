package dev.varve.store.cassandra;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import dev.varve.model.Bytes;
import dev.varve.store.Cell;
import dev.varve.store.MutationBatch;
import dev.varve.store.Power;
import dev.varve.store.StoreException;
import dev.varve.store.adapter.CounterValue;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The optional powers of a table, based on Paxos, which takes write times from the clocks of the
 * nodes. If a column holds one cell, {@link LatestTable} keeps conditional puts separate from plain
 * puts, so that of the two the cell with the higher time is visible. In a {@link VersionsTable} the
 * later write time wins: cells with conditional puts should not be written in any other way.
 */
final class TablePowers implements Power.ConditionalPut, Power.Increment {
  private static final int TRIES = 1000;

  private final Requests requests;
  private final CassandraTable table;
  private final ConsistencyLevel serial;
  private final ConsistencyLevel commit;

  TablePowers(Requests requests, CassandraTable table) {
    this.requests = requests;
    this.table = table;
    this.serial = DefaultConsistencyLevel.valueOf(requests.options().consistency().serial());
    this.commit = DefaultConsistencyLevel.valueOf(requests.options().consistency().write());
  }

  @Override
  public boolean putIf(Cell cell, @Nullable Bytes expected) {
    table.ensureOpen();
    table.entry().ensureThere();
    MutationBatch batch = table.admission().admitted(cell);
    ReentrantLock lock = lock(cell.row());
    lock.lock();
    try {
      for (int i = 0; i < TRIES; i++) {
        Found found = find(batch);
        if (!Objects.equals(found.value(), expected)) {
          return false;
        }
        if (decide(batch, found, i)) {
          return true;
        }
      }
    } catch (StoreException e) {
      throw table.entry().failure(e);
    } finally {
      lock.unlock();
    }
    throw tooOften(cell.row(), cell.qualifier());
  }

  @Override
  public long add(Bytes row, int family, Bytes qualifier, long amount, long time) {
    table.ensureOpen();
    table.entry().ensureThere();
    MutationBatch place =
        table.admission().admitted(new Cell(row, family, qualifier, time, CounterValue.of(0)));
    ReentrantLock lock = lock(row);
    lock.lock();
    try {
      for (int i = 0; i < TRIES; i++) {
        Found found = find(place);
        Bytes value = found.value();
        long sum = amount + (value == null ? 0 : CounterValue.read(value, row, qualifier));
        MutationBatch put =
            table
                .admission()
                .admitted(new Cell(row, family, qualifier, time, CounterValue.of(sum)));
        if (decide(put, found, i)) {
          return sum;
        }
      }
    } catch (StoreException e) {
      throw table.entry().failure(e);
    } finally {
      lock.unlock();
    }
    throw tooOften(row, qualifier);
  }

  private static StoreException tooOften(Bytes row, Bytes qualifier) {
    return new StoreException(
        "cell %s of row %s: %d attempts in a row conflicted with other writers"
            .formatted(qualifier, row, TRIES));
  }

  private ReentrantLock lock(Bytes row) {
    int split = table.spec().partitioning().prefixLength(row.toArray(), 0, row.length());
    return table.entry().lock(row.slice(0, split).hashCode());
  }

  /**
   * The content of a column.
   *
   * @param value value of the newest cell; null if there is none
   * @param row the row of that cell, or whatever else the column contains; null if there is nothing
   * @param guard the number of conditional puts in the partition, if a column holds many cells
   */
  private record Found(@Nullable Bytes value, @Nullable Row row, @Nullable Long guard) {}

  private Found find(MutationBatch place) {
    FamilyTable family = table.family(place.cells().family(0));
    return switch (family) {
      case LatestTable latest -> {
        Row row = serially(latest.selectColumn(place.cells(), 0)).one();
        yield new Found(value(latest, row), row, null);
      }
      case VersionsTable versions -> {
        Row guarded = serially(versions.selectGuard(place.cells(), 0)).one();
        Long guard = guarded == null || guarded.isNull(0) ? null : (Long) guarded.getLong(0);
        Row newest = serially(versions.selectNewest(place.cells(), 0)).one();
        yield new Found(value(versions, newest), newest, guard);
      }
      case ForeignTable foreign ->
          throw new IllegalStateException("tables of other programs have no powers");
    };
  }

  private static @Nullable Bytes value(FamilyTable family, @Nullable Row row) {
    ByteBuffer value = row == null ? null : family.value(row);
    return value == null ? null : Buffers.bytes(value);
  }

  /**
   * Puts a cell if nothing has changed since its column was read.
   *
   * @return whether it was put
   */
  private boolean decide(MutationBatch put, Found found, int attempt) {
    return switch (table.family(put.cells().family(0))) {
      case LatestTable latest -> decide(latest, put, found, attempt);
      case VersionsTable versions -> {
        awaitNodeClocks();
        Row newest = found.value() == null ? null : found.row();
        long least = newest == null ? Long.MIN_VALUE : versions.time(newest);
        long time = Math.max(put.cells().time(0), least);
        yield once(versions.putGuarded(put.cells(), 0, time, found.guard()));
      }
      case ForeignTable foreign ->
          throw new IllegalStateException("tables of other programs have no powers");
    };
  }

  private boolean decide(LatestTable latest, MutationBatch put, Found found, int attempt) {
    // If the cell to replace is newer, the new cell takes its time.
    long time = Math.max(put.cells().time(0), LatestTable.leastTime(found.row()));
    if (!once(latest.putIf(put.cells(), 0, time, found.row()))) {
      return false;
    }
    // A range delete whose write time is ahead of the nodes' clocks may hide the put.
    Row now = serially(latest.selectColumn(put.cells(), 0)).one();
    boolean hidden = LatestTable.decided(found.row()) == null && LatestTable.decided(now) == null;
    if (hidden) {
      requests.pause(Math.min(attempt, 3), requests::ensureOpen);
    }
    return !hidden;
  }

  /**
   * Waits until the clocks of the nodes, which count milliseconds, are past all write times given
   * so far: earlier puts must not hide the result of the present decision.
   */
  private static void awaitNodeClocks() {
    long last = ArrivalTimes.last();
    while (ArrivalTimes.now() / 1000 <= last / 1000) {
      LockSupport.parkNanos(100_000);
    }
  }

  private boolean once(BoundStatement statement) {
    AsyncResultSet result =
        requests.executeOnce(
            statement.setConsistencyLevel(commit).setSerialConsistencyLevel(serial));
    return result.wasApplied();
  }

  private AsyncResultSet serially(BoundStatement statement) {
    return requests.execute(statement.setConsistencyLevel(serial));
  }
}
