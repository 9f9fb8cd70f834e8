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
 * Markers of writes to several layouts. A marked write may have reached the primary but not all of
 * its companions.
 *
 * <pre>
 * row        stamp i64                 // in an embedded store
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
   * @param server the server that made the write; null in an embedded store
   */
  public record Marker(@Nullable ServerId server, long stamp, List<Written> written)
      implements Comparable<Marker> {
    public Marker {
      written = List.copyOf(written);
    }

    /** Orders markers by stamp, then by server. */
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
   * The samples and attributes of a key that a write contains.
   *
   * @param period the index of the period
   * @param times the range of their times; all time for an attribute without a time
   */
  public record Written(int period, GroupKey key, TimeRange times) {}

  /** Maximum number of keys in a marker. With long keys of about 4 KiB, this makes a megabyte. */
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
   * Returns this server's markers for a write. Large writes get several, to limit the size of a
   * cell.
   *
   * @param stamps source of a distinct stamp for each marker
   */
  public List<Marker> of(List<Written> written, LongSupplier stamps) {
    List<Marker> markers = new ArrayList<>();
    for (int from = 0; from < written.size(); from += WRITTEN_MAX) {
      int end = Math.min(written.size(), from + WRITTEN_MAX);
      markers.add(new Marker(server, stamps.getAsLong(), written.subList(from, end)));
    }
    return markers;
  }

  /** Returns whether this server wrote a marker, possibly before a restart. */
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

  /** Returns all markers, oldest first. */
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
