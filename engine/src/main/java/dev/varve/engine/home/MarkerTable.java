package dev.varve.engine.home;

import dev.varve.engine.catalog.SeriesIdentity;
import dev.varve.model.Bytes;
import dev.varve.model.GroupKey;
import dev.varve.model.Resolution;
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
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Markers of writes that go to several layouts, in cells: what stands here may have reached the
 * primary and not its companions.
 *
 * <pre>
 * row        stamp i64                 // the first of the write, in an embedded store
 *            stamp i64, server i64     // in a store that several servers share
 * family     m
 * qualifier  empty
 * value      count i32, then count x (period i32, from i64, to i64, length i32, key)
 * key        the encoding of a series key (SeriesIdentity)
 * </pre>
 */
public final class MarkerTable implements AutoCloseable {
  /**
   * A write that may not have reached all layouts.
   *
   * @param server whose it is; null in an embedded store
   */
  public record Marker(@Nullable ServerId server, long stamp, List<Written> written)
      implements Comparable<Marker> {
    public Marker {
      written = List.copyOf(written);
    }

    /** The older first; markers of one stamp and server are one. */
    @Override
    public int compareTo(Marker other) {
      int byStamp = Long.compare(stamp, other.stamp);
      return byStamp != 0 ? byStamp : Long.compare(number(server), number(other.server));
    }

    private static long number(@Nullable ServerId server) {
      return server == null ? 0 : server.id();
    }
  }

  /**
   * Samples of a key in a stretch of time.
   *
   * @param period by its place
   * @param times of the samples, those of attributes too; all of time for what has no time
   */
  public record Written(int period, GroupKey key, TimeRange times) {}

  /** Of long keys, some 4 KiB each, these are a megabyte. */
  private static final int WRITTEN_MAX = 256;

  private final Table table;
  private final @Nullable ServerId server;

  MarkerTable(Store store, String name, @Nullable ServerId server) {
    this.server = server;
    TableSpec spec =
        new TableSpec(
            name, List.of(FamilySpec.latest("m")), Resolution.MICROSECONDS, Partitioning.NONE);
    this.table = store.open(spec, Store.OpenMode.CREATE_IF_ABSENT);
  }

  public Table table() {
    return table;
  }

  /**
   * Markers of this server for all of what is written: several, where one cell would be larger than
   * stores like.
   *
   * @param stamps gives each of them its own
   */
  public List<Marker> of(List<Written> written, LongSupplier stamps) {
    List<Marker> markers = new ArrayList<>();
    for (int from = 0; from < written.size(); from += WRITTEN_MAX) {
      int end = Math.min(written.size(), from + WRITTEN_MAX);
      markers.add(new Marker(server, stamps.getAsLong(), written.subList(from, end)));
    }
    return markers;
  }

  /** Whether this server has put a marker, perhaps in an earlier life. */
  public boolean isOwn(Marker marker) {
    return Objects.equals(marker.server(), server);
  }

  public static void put(MutationBatch into, Marker marker) {
    List<byte[]> keys = new ArrayList<>();
    int size = 4;
    for (Written written : marker.written()) {
      byte[] key = SeriesIdentity.encode(written.key());
      keys.add(key);
      size += 24 + key.length;
    }
    ByteBuffer value = ByteBuffer.allocate(size).putInt(keys.size());
    for (int i = 0; i < keys.size(); i++) {
      Written written = marker.written().get(i);
      value.putInt(written.period());
      value.putLong(written.times().from()).putLong(written.times().to());
      value.putInt(keys.get(i).length).put(keys.get(i));
    }
    into.put(row(marker), 0, Bytes.EMPTY, marker.stamp(), Bytes.of(value.array()));
  }

  public static void delete(MutationBatch into, Marker marker) {
    into.deleteRow(row(marker));
  }

  private static Bytes row(Marker marker) {
    ServerId server = marker.server();
    return Bytes.of(
        server == null
            ? ByteBuffer.allocate(8).putLong(marker.stamp()).array()
            : ByteBuffer.allocate(16).putLong(marker.stamp()).putLong(server.id()).array());
  }

  /** All markers, oldest first. */
  public List<Marker> all() {
    ReadPlan plan =
        ReadPlan.of(List.of(Slice.partition(Bytes.EMPTY)), List.of(FamilySelect.latest(0)));
    List<Marker> markers = new ArrayList<>();
    CellBatch page = new CellBatch();
    try (CellCursor cursor = table.read(plan, null)) {
      while (cursor.next(page)) {
        for (int cell = 0; cell < page.size(); cell++) {
          markers.add(marker(page.row(cell), page.value(cell).toArray()));
        }
      }
    }
    return markers;
  }

  private Marker marker(Bytes row, byte[] value) {
    try {
      ByteBuffer buffer = ByteBuffer.wrap(value);
      int count = buffer.getInt();
      List<Written> written = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        int period = buffer.getInt();
        TimeRange times = new TimeRange(buffer.getLong(), buffer.getLong());
        int length = buffer.getInt();
        int from = buffer.position();
        written.add(new Written(period, SeriesIdentity.decode(value, from, from + length), times));
        buffer.position(from + length);
      }
      ByteBuffer key = ByteBuffer.wrap(row.toArray());
      long stamp = key.getLong();
      return new Marker(key.hasRemaining() ? new ServerId(key.getLong()) : null, stamp, written);
    } catch (IllegalArgumentException | BufferUnderflowException | IndexOutOfBoundsException e) {
      throw new StoreException(
          "table '%s' is damaged: the marker in row %s: %s"
              .formatted(table.spec().name(), row, e.getMessage()),
          e);
    }
  }

  @Override
  public void close() {
    table.close();
  }
}
