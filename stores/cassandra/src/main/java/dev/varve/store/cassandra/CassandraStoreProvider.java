package dev.varve.store.cassandra;

import dev.varve.store.Store;
import dev.varve.store.StoreProvider;
import java.nio.file.Path;
import java.util.Map;

/** Connects to clusters of Cassandra. */
public final class CassandraStoreProvider implements StoreProvider {
  @Override
  public String kind() {
    return CassandraStore.KIND;
  }

  /** Ignores directory and memory: everything is kept by the cluster. */
  @Override
  public Store open(Path directory, long memory, Map<String, String> options) {
    return new CassandraStore(CassandraOptions.parse(options));
  }
}
