package dev.varve.store.cassandra;

import dev.varve.store.Store;
import dev.varve.store.StoreProvider;
import java.nio.file.Path;
import java.util.Map;

/** Connects to Cassandra clusters. */
public final class CassandraStoreProvider implements StoreProvider {
  @Override
  public String kind() {
    return CassandraStore.KIND;
  }

  /** Ignores directory and memory: the cluster keeps everything. */
  @Override
  public Store open(Path directory, long memory, Map<String, String> options) {
    return new CassandraStore(CassandraOptions.parse(options));
  }
}
