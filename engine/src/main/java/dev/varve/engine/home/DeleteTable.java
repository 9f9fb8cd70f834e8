package dev.varve.engine.home;

import dev.varve.model.Bytes;
import dev.varve.model.Resolution;
import dev.varve.model.Selector;
import dev.varve.model.TimeRange;
import dev.varve.store.CellBatch;
import dev.varve.store.CellCursor;
import dev.varve.store.FamilySelect;
import dev.varve.store.FamilySpec;
import dev.varve.store.MutationBatch;
import dev.varve.store.Partitioning;
import dev.varve.store.ReadPlan;
import dev.varve.store.Slice;
import dev.varve.store.Store;
import dev.varve.store.StoreException;
import dev.varve.store.Table;
import dev.varve.store.TableSpec;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Records of deletes whose samples may still be in the tables.
 *
 * <pre>
 * row        stamp i64                 // in an embedded store
 *            stamp i64, server i64     // in a store that several servers share
 * family     d
 * qualifier  empty
 * value      from i64, to i64, then the selector (SelectorCode)
 * </pre>
 */
public final class DeleteTable implements AutoCloseable {
  /** Maximum size of a selector in a record, in bytes. */
  public static final int SELECTOR_MAX = 16 << 10;

  /**
   * A delete: of the samples that match, those accepted with a stamp up to that of the record.
   *
   * @param server the server that accepted the delete; null in an embedded store
   * @param stamp microseconds since 1970, higher than the stamps of all deleted samples
   * @param times sample times, in the resolution of the dataset
   */
  public record DeleteRecord(
      @Nullable ServerId server, long stamp, Selector selector, TimeRange times) {}

  private final Table table;
  private final @Nullable ServerId server;

  DeleteTable(Store store, String name, @Nullable ServerId server) {
    this.server = server;
    TableSpec spec =
        new TableSpec(
            name, List.of(FamilySpec.latest("d")), Resolution.MICROSECONDS, Partitioning.NONE);
    this.table = store.open(spec, Store.OpenMode.CREATE_IF_ABSENT);
  }

  public Table table() {
    return table;
  }

  /** Returns a record of this server. */
  public DeleteRecord of(long stamp, Selector selector, TimeRange times) {
    return new DeleteRecord(server, stamp, selector, times);
  }

  /** Returns whether this server accepted a delete, possibly before a restart. */
  public boolean isOwn(DeleteRecord one) {
    return Objects.equals(one.server(), server);
  }

  /**
   * Saves a record durably.
   *
   * @throws StoreException if the store fails
   */
  public void put(DeleteRecord one) {
    byte[] selector = SelectorCode.encode(one.selector());
    ByteBuffer value =
        ByteBuffer.allocate(16 + selector.length)
            .putLong(one.times().from())
            .putLong(one.times().to())
            .put(selector);
    MutationBatch edits = new MutationBatch();
    edits.put(row(one), 0, Bytes.EMPTY, one.stamp(), Bytes.of(value.array()));
    HomeWrite.apply(table, edits);
  }

  /**
   * Removes a record durably.
   *
   * @throws StoreException if the store fails
   */
  public void remove(DeleteRecord one) {
    MutationBatch edits = new MutationBatch();
    edits.deleteRow(row(one));
    HomeWrite.apply(table, edits);
  }

  private static Bytes row(DeleteRecord one) {
    ServerId server = one.server();
    return Bytes.of(
        server == null
            ? ByteBuffer.allocate(8).putLong(one.stamp()).array()
            : ByteBuffer.allocate(16).putLong(one.stamp()).putLong(server.id()).array());
  }

  /**
   * Returns the records of all servers, oldest first.
   *
   * @throws StoreException if the store fails or a record is damaged
   */
  public List<DeleteRecord> all() {
    ReadPlan plan =
        ReadPlan.of(List.of(Slice.partition(Bytes.EMPTY)), List.of(FamilySelect.latest(0)));
    List<DeleteRecord> records = new ArrayList<>();
    CellBatch page = new CellBatch();
    try (CellCursor cursor = table.read(plan, null)) {
      while (cursor.next(page)) {
        for (int cell = 0; cell < page.size(); cell++) {
          records.add(read(page.row(cell), page.value(cell).toArray()));
        }
      }
    }
    return records;
  }

  private DeleteRecord read(Bytes row, byte[] value) {
    try {
      ByteBuffer key = ByteBuffer.wrap(row.toArray());
      long stamp = key.getLong();
      ServerId of = key.hasRemaining() ? new ServerId(key.getLong()) : null;
      ByteBuffer buffer = ByteBuffer.wrap(value);
      TimeRange times = new TimeRange(buffer.getLong(), buffer.getLong());
      return new DeleteRecord(of, stamp, SelectorCode.decode(buffer), times);
    } catch (IllegalArgumentException | BufferUnderflowException e) {
      throw new StoreException(
          "table '%s' is damaged: the delete in row %s: %s"
              .formatted(table.spec().name(), row, e.getMessage()),
          e);
    }
  }

  @Override
  public void close() {
    table.close();
  }
}
