package dev.varve.layout.contract;

import dev.varve.model.Bytes;
import dev.varve.store.Capabilities;
import dev.varve.store.Store;
import dev.varve.store.Table;
import dev.varve.store.TableSpec;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;

/**
 * Many small tables within a few tables of a real store, where creating tables is slow. All row
 * keys and partitions of a room start with the same four bytes.
 */
public final class Rooms {
  private static final int PREFIX = 4;

  private final Store store;
  private final String name;
  private final Map<String, Table> tables = new HashMap<>();
  private int rooms;

  /**
   * Creates rooms in tables of a store.
   *
   * @param name the prefix of table names
   */
  public Rooms(Store store, String name) {
    this.store = store;
    this.name = name;
  }

  /** Returns a new, empty room. */
  public synchronized TableSource room() {
    Bytes prefix = Bytes.of(ByteBuffer.allocate(PREFIX).putInt(++rooms).array());
    return new TableSource() {
      @Override
      public Capabilities capabilities(TableSpec spec) {
        return store.capabilities(spec);
      }

      @Override
      public Table open(TableSpec spec) {
        return new Room(shared(spec), spec, prefix);
      }

      @Override
      public void close() {
        // The tables are shared by all rooms.
      }
    };
  }

  private synchronized Table shared(TableSpec spec) {
    return tables.computeIfAbsent(
        spec.name(),
        own ->
            store.open(
                new TableSpec(
                    name + own,
                    spec.families(),
                    spec.timeUnit(),
                    (bytes, offset, length) ->
                        PREFIX
                            + spec.partitioning()
                                .prefixLength(bytes, offset + PREFIX, length - PREFIX)),
                Store.OpenMode.CREATE_IF_ABSENT));
  }
}
