package dev.varve.plugged;

import dev.varve.store.Store;
import dev.varve.store.StoreProvider;
import dev.varve.store.memory.MemoryStore;
import java.nio.file.Path;
import java.util.Map;
import org.assertj.core.api.Assertions;

/**
 * A plug-in that calls what is not there, as one of another version does. In a package that Varve
 * does not share.
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
