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
import java.nio.ByteBuffer;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The optional powers of a table, by Paxos. Cells that these decide about are best written by them
 * alone: Paxos takes its write times from the clocks of the nodes, a plain put from that of this
 * process, and the later of the two is seen.
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
    MutationBatch batch = admitted(cell);
    ReentrantLock lock = lock(cell.row());
    lock.lock();
    try {
      return decide(batch, expected);
    } catch (StoreException e) {
      throw table.entry().failure(e);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public long add(Bytes row, int family, Bytes qualifier, long amount, long time) {
    table.ensureOpen();
    table.entry().ensureThere();
    MutationBatch place = admitted(new Cell(row, family, qualifier, time, longBytes(0)));
    ReentrantLock lock = lock(row);
    lock.lock();
    try {
      for (int i = 0; i < TRIES; i++) {
        Bytes newest = newest(place).value();
        long sum = amount + (newest == null ? 0 : longOf(newest, row, qualifier));
        MutationBatch put = admitted(new Cell(row, family, qualifier, time, longBytes(sum)));
        if (decide(put, newest)) {
          return sum;
        }
      }
    } catch (StoreException e) {
      throw table.entry().failure(e);
    } finally {
      lock.unlock();
    }
    throw new StoreException(
        "cell %s of row %s: others were faster %d times in a row".formatted(qualifier, row, TRIES));
  }

  private ReentrantLock lock(Bytes row) {
    int split = table.spec().partitioning().prefixLength(row.toArray(), 0, row.length());
    return table.entry().lock(row.slice(0, split).hashCode());
  }

  /** A batch of one put, if the table admits it. */
  private MutationBatch admitted(Cell cell) {
    MutationBatch batch = new MutationBatch();
    batch.put(cell.row(), cell.family(), cell.qualifier(), cell.time(), cell.value());
    String refusal = table.admission().refusal(batch, 0, 1);
    if (refusal != null) {
      throw new StoreException("not written: " + refusal);
    }
    return batch;
  }

  private boolean decide(MutationBatch put, @Nullable Bytes expected) {
    CellTable cells = (CellTable) table.family(put.cells().family(0));
    awaitNodeClocks();
    if (!cells.timed()) {
      return once(cells.putIf(put.cells(), 0, expected == null ? null : Buffers.of(expected)));
    }
    while (true) {
      Newest newest = newest(put);
      boolean asExpected =
          expected == null ? newest.value() == null : expected.equals(newest.value());
      if (!asExpected || once(cells.putGuarded(put.cells(), 0, newest.guard()))) {
        return asExpected;
      }
    }
  }

  /**
   * Waits until the nodes, whose clocks count milliseconds, are past the write times given so far:
   * what was put before must not hide what is decided now.
   */
  private static void awaitNodeClocks() {
    long last = MicrosecondTimes.last();
    while (MicrosecondTimes.now() / 1000 <= last / 1000) {
      LockSupport.parkNanos(100_000);
    }
  }

  private boolean once(BoundStatement statement) {
    AsyncResultSet result =
        requests.executeOnce(
            statement.setConsistencyLevel(commit).setSerialConsistencyLevel(serial));
    return result.wasApplied();
  }

  /**
   * What stands in a column.
   *
   * @param value of the newest cell; null where there is none
   * @param guard counts the conditional puts of the partition, in timed tables
   */
  private record Newest(@Nullable Bytes value, @Nullable Long guard) {}

  private Newest newest(MutationBatch place) {
    CellTable cells = (CellTable) table.family(place.cells().family(0));
    Long guard = null;
    if (cells.timed()) {
      Row row = serially(cells.selectGuard(place.cells(), 0)).one();
      guard = row == null || row.isNull(0) ? null : (Long) row.getLong(0);
    }
    Row row = serially(cells.selectNewest(place.cells(), 0)).one();
    ByteBuffer value = row == null ? null : cells.value(row);
    return new Newest(value == null ? null : Buffers.bytes(value), guard);
  }

  private AsyncResultSet serially(BoundStatement statement) {
    return requests.execute(statement.setConsistencyLevel(serial));
  }

  private static long longOf(Bytes value, Bytes row, Bytes qualifier) {
    if (value.length() != Long.BYTES) {
      throw new StoreException(
          "cell %s of row %s has %d bytes, a sum has 8".formatted(qualifier, row, value.length()));
    }
    return ByteBuffer.wrap(value.toArray()).getLong();
  }

  private static Bytes longBytes(long value) {
    return Bytes.of(ByteBuffer.allocate(Long.BYTES).putLong(value).array());
  }
}
