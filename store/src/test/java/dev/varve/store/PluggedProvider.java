package dev.varve.store;

import dev.varve.store.memory.MemoryStore;
import java.nio.file.Path;
import java.util.Map;

/** A provider that a test packs into a plug-in. */
public final class PluggedProvider implements StoreProvider {
  @Override
  public String kind() {
    return "plugged";
  }

  @Override
  public Store open(Path directory, long memory, Map<String, String> options) {
    return new MemoryStore();
  }
}
