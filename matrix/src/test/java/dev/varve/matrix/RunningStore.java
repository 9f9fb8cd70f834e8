package dev.varve.matrix;

import dev.varve.store.Store;
import dev.varve.store.StoreProviders;
import java.nio.file.Path;
import java.util.Map;

/**
 * A store of one kind for the tests of a class.
 *
 * @param options options of its process; empty if it has none
 */
record RunningStore(String kind, Map<String, String> options, Path directory) {
  static final long MEMORY = 64L << 20;

  static RunningStore start(String kind, Path directory) {
    boolean embedded = kind.equals("rocksdb") || kind.equals("memory");
    return new RunningStore(kind, embedded ? Map.of() : RealStores.of(kind).options(), directory);
  }

  Store open() {
    return open("store");
  }

  /**
   * Opens the store with its files, if it has any, in a folder.
   *
   * @param folder below the directory
   */
  Store open(String folder) {
    return StoreProviders.of(kind).open(directory.resolve(folder), MEMORY, options);
  }
}
