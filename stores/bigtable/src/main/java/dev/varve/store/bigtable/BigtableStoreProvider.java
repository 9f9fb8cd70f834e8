package dev.varve.store.bigtable;

import dev.varve.store.Store;
import dev.varve.store.StoreProvider;
import java.nio.file.Path;
import java.util.Map;

/**
 * Opens stores in an instance of Bigtable. The directory and the memory are unused, because
 * everything is in Bigtable. Options: {@link BigtableOptions}, explained in
 * docs/stores/bigtable.md.
 */
public final class BigtableStoreProvider implements StoreProvider {
  @Override
  public String kind() {
    return BigtableStore.KIND;
  }

  @Override
  public Store open(Path directory, long memory, Map<String, String> options) {
    return new BigtableStore(BigtableOptions.parse(options));
  }
}
