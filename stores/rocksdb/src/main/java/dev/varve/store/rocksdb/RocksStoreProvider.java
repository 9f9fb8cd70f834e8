package dev.varve.store.rocksdb;

import dev.varve.store.FileCheck;
import dev.varve.store.Store;
import dev.varve.store.StoreDamage;
import dev.varve.store.StoreProvider;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Opens stores in RocksDB. All options are optional:
 *
 * <ul>
 *   <li>{@code memory}: memory of caches and write buffers together, at least 8MB; by default what
 *       the caller allots
 *   <li>{@code readers}: number of threads for reads from virtual threads, 1 to 64; by default the
 *       number of processors, at least 2
 *   <li>{@code compression}: {@code none}, {@code lz4} or {@code zstd}; by default lz4, with zstd
 *       in the last level
 *   <li>{@code sync}: whether a synced write waits for the disk; by default true
 * </ul>
 */
public final class RocksStoreProvider implements StoreProvider {
  @Override
  public String kind() {
    return RocksStore.KIND;
  }

  @Override
  public Store open(Path directory, long memory, Map<String, String> options) {
    return new RocksStore(directory, RocksOptions.parse(memory, options), null);
  }

  @Override
  public Store recover(Path directory, long memory, Map<String, String> options, Salvage salvage) {
    return new RocksStore(directory, RocksOptions.parse(memory, options), salvage);
  }

  @Override
  public List<StoreDamage> repair(
      Path directory,
      long memory,
      Map<String, String> options,
      Salvage salvage,
      FileCheck progress) {
    return StoreRepair.run(directory, RocksOptions.parse(memory, options), salvage, progress);
  }
}
