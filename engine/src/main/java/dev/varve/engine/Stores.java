package dev.varve.engine;

import dev.varve.engine.DatasetConfig.StoreConfig;
import dev.varve.store.Store;
import dev.varve.store.StoreException;
import dev.varve.store.StoreProvider;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.TreeMap;

/** The open stores of an engine. */
final class Stores implements AutoCloseable {
  /** Opens a store of a kind in a directory. */
  interface Opener {
    Opener OF_SERVICES =
        (config, directory) -> {
          List<StoreProvider> providers =
              ServiceLoader.load(StoreProvider.class).stream()
                  .map(ServiceLoader.Provider::get)
                  .toList();
          for (StoreProvider provider : providers) {
            if (provider.kind().equals(config.kind())) {
              return provider.open(directory, config.options());
            }
          }
          throw new StoreException(
              "there is no store '%s'; there are: %s"
                  .formatted(
                      config.kind(),
                      String.join(", ", providers.stream().map(StoreProvider::kind).toList())));
        };

    Store open(StoreConfig config, Path directory);
  }

  private final EngineConfig config;
  private final Opener opener;
  private final Map<String, Store> byDirectory = new LinkedHashMap<>();

  Stores(EngineConfig config, Opener opener) {
    this.config = config;
    this.opener = opener;
  }

  /** The store that a dataset lies in, opened if no dataset before it lies there. */
  Store of(DatasetConfig dataset) {
    String name = dataset.store().kind();
    return byDirectory.computeIfAbsent(
        name, directory -> opener.open(dataset.store(), config.directory().resolve(directory)));
  }

  Map<String, Double> figures() {
    Map<String, Double> figures = new TreeMap<>();
    byDirectory.forEach((name, store) ->
        store
            .figures()
            .forEach((figure, value) ->
                figures.put("store_" + figure + "{store=\"" + name + "\"}", value)));
    return figures;
  }

  @Override
  public void close() {
    byDirectory.values().forEach(Store::close);
  }
}
