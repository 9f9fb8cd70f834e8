package dev.varve.store.memory;

import dev.varve.store.Store;
import dev.varve.store.StoreException;
import dev.varve.store.StoreProvider;
import java.nio.file.Path;
import java.util.Map;

/** Opens stores in memory. Each starts empty and loses its contents when it is closed. */
public final class MemoryStoreProvider implements StoreProvider {
  @Override
  public String kind() {
    return MemoryStore.KIND;
  }

  /** Opens an empty store. Directory and memory are ignored; there are no options. */
  @Override
  public Store open(Path directory, long memory, Map<String, String> options) {
    if (!options.isEmpty()) {
      throw new StoreException(
          "the memory store has no options, got " + String.join(", ", options.keySet()));
    }
    return new MemoryStore();
  }
}
