package dev.varve.engine;

import dev.varve.engine.DatasetConfig.StoreConfig;
import dev.varve.engine.home.ClockTable;
import dev.varve.engine.home.Home;
import dev.varve.store.Store;
import dev.varve.store.StoreException;
import dev.varve.store.StoreProviders;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * The open stores of an engine. Datasets share one store a kind, in {@code DIRECTORY/KIND}; a
 * dataset whose options differ from those of the first one has a store of its own, in {@code
 * DIRECTORY/KIND-DATASET}, and stays there.
 */
final class Stores implements AutoCloseable {
  /** Opens a store of a kind in a directory. */
  interface Opener {
    Opener OF_SERVICES = Stores::openByService;

    /**
     * Opens a store.
     *
     * @param memory bytes that it may use for caches and buffers
     */
    Store open(StoreConfig config, Path directory, long memory);
  }

  /**
   * An open store.
   *
   * @param marks of the clock
   */
  record Opened(StoreConfig config, Store store, ClockTable marks) {}

  private final Path directory;
  private final Opener opener;

  /** For each store: as many as there may be share what the engine has. */
  private final long memory;

  private final Map<Path, Opened> byPath = new LinkedHashMap<>();

  /**
   * Opens the stores of all datasets.
   *
   * @throws StoreException if one cannot be opened
   * @throws InvalidConfigException if a dataset lies in a store with other options
   */
  Stores(EngineConfig config, Opener opener) {
    this.directory = config.directory();
    long different = config.datasets().stream().map(DatasetConfig::store).distinct().count();
    this.memory = config.memory() / Math.max(1, different);
    this.opener = opener;
    try {
      for (DatasetConfig dataset : config.datasets()) {
        open(dataset);
      }
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  private void open(DatasetConfig dataset) {
    Path own = own(dataset);
    Path shared = directory.resolve(dataset.store().kind());
    Opened first = byPath.get(shared);
    if (Files.isDirectory(own)) {
      open(own, dataset.store());
    } else if (first == null || first.config().equals(dataset.store())) {
      open(shared, dataset.store());
    } else if (Home.isIn(first.store(), dataset.name())) {
      throw new InvalidConfigException(
          List.of(
              "dataset '%s' lies in the store of others, whose options are %s, and asks for %s: give all of them the same"
                  .formatted(dataset.name(), first.config().options(), dataset.store().options())));
    } else {
      open(own, dataset.store());
    }
  }

  private Path own(DatasetConfig dataset) {
    return directory.resolve(dataset.store().kind() + "-" + dataset.name());
  }

  private void open(Path path, StoreConfig config) {
    if (!byPath.containsKey(path)) {
      Store store = opener.open(config, path, memory);
      byPath.put(path, new Opened(config, store, new ClockTable(store)));
    }
  }

  /** The store that a dataset lies in. */
  Opened of(DatasetConfig dataset) {
    Opened own = byPath.get(own(dataset));
    Opened opened = own != null ? own : byPath.get(directory.resolve(dataset.store().kind()));
    return Objects.requireNonNull(opened, "every dataset was given a store");
  }

  /** The highest stamp that may stand in one of the stores. */
  long mark() {
    long mark = Long.MIN_VALUE;
    for (Opened opened : byPath.values()) {
      mark = Math.max(mark, opened.marks().mark());
    }
    return mark;
  }

  /** Puts the marks of the clock back to the last stamp, since no other will be given. */
  void settle(long lastStamp) {
    byPath.values().forEach(opened -> opened.marks().settle(lastStamp));
  }

  Map<String, Double> figures() {
    Map<String, Double> figures = new TreeMap<>();
    byPath.forEach((path, opened) -> {
      String label = "{store=\"" + path.getFileName() + "\"}";
      opened
          .store()
          .figures()
          .forEach((name, value) -> figures.put("store_" + name + label, value));
    });
    return figures;
  }

  private static Store openByService(StoreConfig config, Path directory, long memory) {
    return StoreProviders.of(config.kind()).open(directory, memory, config.options());
  }

  @Override
  public void close() {
    for (Opened opened : byPath.values()) {
      opened.marks().close();
      opened.store().close();
    }
    byPath.clear();
  }
}
