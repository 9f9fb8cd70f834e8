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
 * Many small tables in few tables of a real store, where making a table takes long: every row key
 * of a room begins with four bytes of its own, and so does every partition.
 */
public final class Rooms {
  private static final int PREFIX = 4;

  private final Store store;
  private final String name;
  private final Map<String, Table> tables = new HashMap<>();
  private int rooms;

  /**
   * Rooms in tables of a store.
   *
   * @param name begins the names of the tables
   */
  public Rooms(Store store, String name) {
    this.store = store;
    this.name = name;
  }

  /** A new and empty room. */
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
        // The tables are those of all rooms.
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
