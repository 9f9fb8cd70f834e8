package dev.varve.engine.home;

import dev.varve.layout.KeyBytes;
import dev.varve.model.Bytes;
import dev.varve.model.Resolution;
import dev.varve.store.CellBatch;
import dev.varve.store.CellCursor;
import dev.varve.store.FamilySelect;
import dev.varve.store.FamilySpec;
import dev.varve.store.MutationBatch;
import dev.varve.store.Power;
import dev.varve.store.ReadPlan;
import dev.varve.store.Slice;
import dev.varve.store.Store;
import dev.varve.store.StoreException;
import dev.varve.store.Table;
import dev.varve.store.TableSpec;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The recorded use of a dataset: the kinds of its queries, and its cardinality day by day.
 *
 * <pre>
 * row        kind u8 | number i64 | server i64   // the kind is the partition
 * family     u
 * qualifier  empty
 * value      a logged query, or the cardinality of a day
 * </pre>
 *
 * <p>A logged query has a slot as its number, from 0. A day is counted from 1970; its server is 0,
 * since all servers count the same series. The server is 0 in an embedded store, too.
 */
public final class UsageTable implements AutoCloseable {
  private static final int ROW = 1 + 8 + 8;

  /** Maximum number of rows in one write. */
  private static final int ROWS_PER_WRITE = 500;

  private final Table table;
  private final long server;

  /** The kind of the rows in a partition: logged queries, or the cardinality of days. */
  public enum Kind {
    QUERY(0),
    DAY(1);

    private final int code;

    Kind(int code) {
      this.code = code;
    }
  }

  /**
   * A stored row.
   *
   * @param own whether this server wrote it
   */
  public record Stored(long number, boolean own, long server, Bytes value) {}

  /** Receives rows one by one. */
  public interface Sink {
    void take(Stored row);
  }

  UsageTable(Store store, String name, @Nullable ServerId server) {
    this.server = server == null ? 0 : server.id();
    TableSpec spec =
        new TableSpec(
            name,
            List.of(FamilySpec.latest("u")),
            Resolution.MICROSECONDS,
            (bytes, offset, length) -> Math.min(1, length));
    this.table = store.open(spec, Store.OpenMode.CREATE_IF_ABSENT);
  }

  Table table() {
    return table;
  }

  /** Returns its name, for messages. */
  public String name() {
    return "table '%s'".formatted(table.spec().name());
  }

  private static Bytes partition(Kind kind) {
    return new KeyBytes().u8(kind.code).toBytes();
  }

  private Bytes row(Kind kind, long number) {
    return row(kind, number, kind == Kind.DAY ? 0 : server);
  }

  private static Bytes row(Kind kind, long number, long server) {
    return partition(kind).concat(new KeyBytes().i64(number).i64(server).toBytes());
  }

  /**
   * Writes values of this server by their numbers, durably.
   *
   * @throws StoreException if the write fails
   */
  public void put(Kind kind, Map<Long, Bytes> values, long stamp) {
    MutationBatch edits = new MutationBatch();
    int rows = 0;
    for (Map.Entry<Long, Bytes> one : values.entrySet()) {
      edits.put(row(kind, one.getKey()), 0, Bytes.EMPTY, stamp, one.getValue());
      if (++rows % ROWS_PER_WRITE == 0) {
        HomeWrite.apply(table, edits);
        edits = new MutationBatch();
      }
    }
    if (!edits.isEmpty()) {
      HomeWrite.apply(table, edits);
    }
  }

  /**
   * Deletes a row, of any server.
   *
   * @throws StoreException if the write fails
   */
  public void delete(Kind kind, Stored stored) {
    MutationBatch edits = new MutationBatch();
    edits.deleteRow(row(kind, stored.number(), stored.server()));
    HomeWrite.apply(table, edits);
  }

  /**
   * Passes on all rows of a kind, of all servers, in the order of their numbers.
   *
   * @throws StoreException if the store fails or a row is damaged
   */
  public void read(Kind kind, Sink into) {
    Bytes partition = partition(kind);
    Slice slice = Slice.rows(partition, partition, partition.prefixEnd());
    CellBatch page = new CellBatch();
    try (CellCursor cursor =
        table.read(ReadPlan.of(List.of(slice), List.of(FamilySelect.latest(0))), null)) {
      while (cursor.next(page)) {
        for (int cell = 0; cell < page.size(); cell++) {
          into.take(stored(page, cell));
        }
      }
    }
  }

  /** Takes deleted and replaced rows out of the files of stores that keep files here. */
  public void reclaim() {
    table.power(Power.Reclaim.class).ifPresent(power -> power.reclaim(Bytes.EMPTY, null));
  }

  private Stored stored(CellBatch page, int cell) {
    if (page.rowLength(cell) != ROW) {
      throw new StoreException(
          "table '%s' is damaged: row %s".formatted(table.spec().name(), page.row(cell)));
    }
    ByteBuffer row = ByteBuffer.wrap(page.bytes(), page.rowOffset(cell) + 1, ROW - 1);
    long number = row.getLong();
    long writer = row.getLong();
    return new Stored(number, writer == server, writer, page.value(cell));
  }

  @Override
  public void close() {
    table.close();
  }
}
