package dev.varve.store.hbase;

import dev.varve.store.Store;
import dev.varve.store.StoreProvider;
import java.nio.file.Path;
import java.util.Map;

/** Opens stores in HBase; {@link HBaseOptions} names the options. */
public final class HBaseStoreProvider implements StoreProvider {
  @Override
  public String kind() {
    return HBaseStore.KIND;
  }

  /** Ignores directory and memory: HBase keeps its own files. */
  @Override
  public Store open(Path directory, long memory, Map<String, String> options) {
    return new HBaseStore(HBaseOptions.parse(options));
  }
}
