package dev.varve.engine.home;

import dev.varve.layout.KeyBytes;
import dev.varve.model.Bytes;
import dev.varve.model.Resolution;
import dev.varve.store.CellBatch;
import dev.varve.store.CellCursor;
import dev.varve.store.FamilySelect;
import dev.varve.store.FamilySpec;
import dev.varve.store.MutationBatch;
import dev.varve.store.ReadPlan;
import dev.varve.store.Slice;
import dev.varve.store.Store;
import dev.varve.store.StoreException;
import dev.varve.store.Table;
import dev.varve.store.TableSpec;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Slices of key counters of all servers.
 *
 * <pre>
 * row        table, UTF-8 | 00 | level u8 | start i64 | server i64  // table and 00 are the partition
 * family     h
 * qualifier  empty
 * value      a slice
 * </pre>
 *
 * <p>Level 0 has the finest slices. The start is in milliseconds since 1970. The server is 0 in an
 * embedded store.
 */
public final class HeatTable implements AutoCloseable {
  /** Bytes of a row after the name of the table. */
  private static final int TAIL = 1 + 1 + 8 + 8;

  private final Table table;
  private final long server;

  /**
   * A stored slice.
   *
   * @param own whether this server wrote it
   */
  public record Stored(
      String table, int level, long start, long server, boolean own, Bytes value) {}

  HeatTable(Store store, String name, @Nullable ServerId server) {
    this.server = server == null ? 0 : server.id();
    TableSpec spec =
        new TableSpec(
            name,
            List.of(FamilySpec.latest("h")),
            Resolution.MICROSECONDS,
            HeatTable::partitionLength);
    this.table = store.open(spec, Store.OpenMode.CREATE_IF_ABSENT);
  }

  private static int partitionLength(byte[] bytes, int offset, int length) {
    for (int i = 0; i < length; i++) {
      if (bytes[offset + i] == 0) {
        return i + 1;
      }
    }
    return length;
  }

  public Table table() {
    return table;
  }

  private static Bytes partition(String of) {
    return Bytes.of(
        new KeyBytes().raw(of.getBytes(StandardCharsets.UTF_8)).u8(0).toBytes().toArray());
  }

  private static Bytes row(String of, int level, long start, long server) {
    return partition(of).concat(new KeyBytes().u8(level).i64(start).i64(server).toBytes());
  }

  /**
   * Writes a slice of this server and deletes those that it replaces, durably.
   *
   * @param replaced slices of this server
   * @throws StoreException if the write fails
   */
  public void put(
      String of, int level, long start, Bytes slice, List<Stored> replaced, long stamp) {
    MutationBatch edits = new MutationBatch();
    edits.put(row(of, level, start, server), 0, Bytes.EMPTY, stamp, slice);
    HomeWrite.apply(table, edits);
    delete(replaced);
  }

  /**
   * Deletes slices, of any server.
   *
   * @throws StoreException if the write fails
   */
  public void delete(List<Stored> slices) {
    MutationBatch edits = new MutationBatch();
    slices.forEach(
        one -> edits.deleteRow(row(one.table(), one.level(), one.start(), one.server())));
    if (!edits.isEmpty()) {
      HomeWrite.apply(table, edits);
    }
  }

  /** Receives slices one by one. */
  public interface Sink {
    void take(Stored slice);
  }

  /**
   * Passes on the slices of a level that start in a range of time, in the order of their starts.
   *
   * @param from milliseconds since 1970, inclusive, not negative
   * @param to exclusive
   * @throws StoreException if the store fails or a row is damaged
   */
  public void read(String of, int level, long from, long to, Sink into) {
    Bytes partition = partition(of);
    Bytes prefix = partition.concat(new KeyBytes().u8(level).toBytes());
    Slice slice =
        Slice.rows(
            partition,
            prefix.concat(new KeyBytes().i64(from).toBytes()),
            prefix.concat(new KeyBytes().i64(to).toBytes()));
    CellBatch page = new CellBatch();
    try (CellCursor cursor =
        table.read(ReadPlan.of(List.of(slice), List.of(FamilySelect.latest(0))), null)) {
      while (cursor.next(page)) {
        for (int cell = 0; cell < page.size(); cell++) {
          into.take(stored(of, page, cell));
        }
      }
    }
  }

  private Stored stored(String of, CellBatch page, int cell) {
    int tail = page.rowOffset(cell) + page.rowLength(cell) - TAIL;
    if (page.rowLength(cell) != partition(of).length() + TAIL - 1) {
      throw new StoreException(
          "table '%s' is damaged: row %s".formatted(table.spec().name(), page.row(cell)));
    }
    ByteBuffer bytes = ByteBuffer.wrap(page.bytes());
    long writer = bytes.getLong(tail + 10);
    return new Stored(
        of,
        bytes.get(tail + 1),
        bytes.getLong(tail + 2),
        writer,
        writer == server,
        page.value(cell));
  }

  @Override
  public void close() {
    table.close();
  }
}
