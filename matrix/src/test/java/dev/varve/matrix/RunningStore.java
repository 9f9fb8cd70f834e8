package dev.varve.matrix;

import dev.varve.devstores.DevStore;
import dev.varve.devstores.DevStores;
import dev.varve.store.Store;
import dev.varve.store.StoreProviders;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A store of one kind for the tests of a class, and the process behind it where there is one.
 *
 * @param process null where the store lies in this process
 */
record RunningStore(String kind, @Nullable DevStore process, Path directory)
    implements AutoCloseable {
  static final long MEMORY = 64L << 20;

  static RunningStore start(String kind, Path directory) {
    boolean embedded = kind.equals("rocksdb") || kind.equals("memory");
    DevStore process = embedded ? null : DevStores.of(kind).start(directory.resolve("process"));
    return new RunningStore(kind, process, directory);
  }

  Map<String, String> options() {
    return process == null ? Map.of() : process.options();
  }

  Store open() {
    return StoreProviders.of(kind).open(directory.resolve("store"), MEMORY, options());
  }

  @Override
  public void close() {
    if (process != null) {
      process.close();
    }
  }
}
