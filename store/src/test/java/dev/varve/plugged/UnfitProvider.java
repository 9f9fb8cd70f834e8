package dev.varve.plugged;

import dev.varve.store.Store;
import dev.varve.store.StoreProvider;
import dev.varve.store.memory.MemoryStore;
import java.nio.file.Path;
import java.util.Map;
import org.assertj.core.api.Assertions;

/**
 * A plug-in that calls a missing method, like one built for another version. Its package is not
 * shared with Varve.
 */
public final class UnfitProvider implements StoreProvider {
  @Override
  public String kind() {
    return "unfit";
  }

  @Override
  public Store open(Path directory, long memory, Map<String, String> options) {
    Assertions.assertThat(directory).isNotNull();
    return new MemoryStore();
  }
}
