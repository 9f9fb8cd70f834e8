package dev.varve.server;

import dev.varve.store.Capabilities;
import dev.varve.store.Power;
import dev.varve.store.Store;
import dev.varve.store.StoreProvider;
import dev.varve.store.StoreProviders;
import dev.varve.store.Table;
import dev.varve.store.TableSpec;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The store {@code memory}, except that all engines that name it alike share it, as they share a
 * distributed store. It lasts as long as the process.
 */
public final class SharedStore implements StoreProvider {
  public static final String KIND = "shared-memory";

  /** The option with the name of the store. */
  public static final String NAME = "name";

  private static final Map<String, Store> STORES = new ConcurrentHashMap<>();

  @Override
  public String kind() {
    return KIND;
  }

  @Override
  public Store open(Path directory, long memory, Map<String, String> options) {
    return new Shared(
        STORES.computeIfAbsent(
            Objects.requireNonNull(options.get(NAME), NAME),
            name -> StoreProviders.of("memory").open(directory, memory, Map.of())));
  }

  private record Shared(Store plain) implements Store {
    @Override
    public String kind() {
      return plain.kind();
    }

    @Override
    public boolean isEmbedded() {
      return false;
    }

    @Override
    public Capabilities capabilities(TableSpec spec) {
      return plain.capabilities(spec);
    }

    @Override
    public List<String> check(TableSpec spec, Set<Class<? extends Power>> needs) {
      return plain.check(spec, needs);
    }

    @Override
    public Table open(TableSpec spec, OpenMode mode) {
      return plain.open(spec, mode);
    }

    @Override
    public List<String> tables() {
      return plain.tables();
    }

    @Override
    public void drop(String table) {
      plain.drop(table);
    }

    @Override
    public Map<String, Double> figures() {
      return plain.figures();
    }

    /** Others may still use it. */
    @Override
    public void close() {}
  }
}
