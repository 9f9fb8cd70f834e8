package dev.varve.tree;

import dev.varve.cli.Main;
import dev.varve.cli.bench.StartedStore;
import dev.varve.cli.io.CommandFailedException;
import dev.varve.devstores.DevStore;
import dev.varve.devstores.DevStoreException;
import dev.varve.devstores.DevStores;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The program {@code varve} in a source tree. */
public final class TreeMain {
  private TreeMain() {}

  public static void main(String[] args) {
    Main.start(args, TreeMain::start, new DevStoreCommand());
  }

  private static @Nullable StartedStore start(String kind, Path directory) {
    if (!DevStores.KINDS.contains(kind)) {
      return null;
    }
    try {
      return new Started(DevStores.of(kind).start(directory));
    } catch (DevStoreException e) {
      throw new CommandFailedException(String.valueOf(e.getMessage()));
    }
  }

  private record Started(DevStore store) implements StartedStore {
    @Override
    public Map<String, String> options() {
      return store.options();
    }

    @Override
    public void stop() {
      store.stop();
    }

    @Override
    public void close() {
      store.close();
    }
  }
}
