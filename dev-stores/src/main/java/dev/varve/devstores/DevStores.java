package dev.varve.devstores;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** The kinds of real stores that can be started here. */
public enum DevStores {
  BIGTABLE {
    @Override
    public DevStore start(Path directory) {
      return BigtableEmulator.start(directory);
    }
  },
  HBASE {
    @Override
    public DevStore start(Path directory) {
      return HBaseServer.start(directory);
    }
  },
  CASSANDRA {
    @Override
    public DevStore start(Path directory) {
      return CassandraNode.synced(directory);
    }
  };

  /** The names of all kinds, as in configurations. */
  public static final List<String> KINDS = Arrays.stream(values()).map(DevStores::kind).toList();

  /**
   * Starts a store and returns once it is ready.
   *
   * @param directory where it keeps its files; created if missing
   * @throws DevStoreException if it cannot be started
   */
  public abstract DevStore start(Path directory);

  public String kind() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * Returns the store of a kind.
   *
   * @throws DevStoreException if there is no such kind
   */
  public static DevStores of(String kind) {
    for (DevStores store : values()) {
      if (store.kind().equals(kind)) {
        return store;
      }
    }
    throw new DevStoreException(
        "there is no dev store '%s'; there are: %s".formatted(kind, String.join(", ", KINDS)));
  }
}
