package dev.varve.engine;

import dev.varve.engine.check.CheckFinding;
import dev.varve.engine.check.CheckFinding.Severity;
import dev.varve.engine.check.CheckRun;
import dev.varve.engine.check.StoreCheck;
import dev.varve.engine.config.DatasetConfig;
import dev.varve.engine.config.DatasetConfig.StoreConfig;
import dev.varve.engine.config.EngineConfig;
import dev.varve.engine.error.InvalidConfigException;
import dev.varve.engine.home.ClockTable;
import dev.varve.engine.home.Home;
import dev.varve.engine.home.ServerId;
import dev.varve.engine.home.ServerIdFile;
import dev.varve.engine.periods.OpenDataset;
import dev.varve.store.Power;
import dev.varve.store.Store;
import dev.varve.store.StoreDamage;
import dev.varve.store.StoreException;
import dev.varve.store.StoreProvider.Salvage;
import dev.varve.store.StoreProviders;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The open stores of an engine. Datasets of one kind of store share it, in {@code DIRECTORY/KIND}.
 * A dataset whose options differ from those of the first one permanently uses its own store, in
 * {@code DIRECTORY/KIND-DATASET}.
 */
final class Stores implements AutoCloseable {
  /** Opens a store of a kind in a directory. */
  interface Opener {
    Opener OF_SERVICES = Stores::openByService;

    /**
     * Opens a store.
     *
     * @param memory bytes that the store may use for caches and buffers
     */
    Store open(StoreConfig config, Path directory, long memory);

    /** Returns an opener that opens damaged stores with their remaining data. */
    static Opener recovering(EngineConfig engine) {
      Salvage salvage = salvage(engine);
      return (config, directory, memory) ->
          StoreProviders.of(config.kind()).recover(directory, memory, config.options(), salvage);
    }

    /**
     * Returns the part of a damaged store to keep. If a layout uses counters, nothing after the
     * damage is kept: a counter that went back while rows remained would assign numbers twice.
     */
    static Salvage salvage(EngineConfig engine) {
      boolean counts =
          engine.datasets().stream()
              .flatMap(dataset -> dataset.periods().stream())
              .flatMap(period -> period.layouts().stream())
              .anyMatch(layout -> layout.needs().contains(Power.Increment.class));
      return counts ? Salvage.BEFORE_DAMAGE : Salvage.ALL_READABLE;
    }
  }

  /**
   * The stores of a dataset.
   *
   * @param data the store of its layouts' tables
   * @param home the store of its home; usually the same
   * @param marks the marks of the clock, in the store of the home
   * @param server the ID of this server; null if the home's store is embedded
   */
  record OfDataset(Store data, Store home, ClockTable marks, @Nullable ServerId server) {}

  private record Opened(StoreConfig config, Store store) {}

  private final Path directory;
  private final Opener opener;

  /** Bytes for each store: the memory of the engine, divided by the number of stores. */
  private final long memory;

  private final Map<Path, Opened> byPath = new LinkedHashMap<>();
  private final Map<Path, ClockTable> marks = new LinkedHashMap<>();
  private final Map<String, OfDataset> byDataset = new HashMap<>();

  /** Opened together with the first store that is not embedded. */
  private @Nullable ServerIdFile serverIdFile;

  /**
   * Opens the stores of all datasets.
   *
   * @throws StoreException if a store cannot be opened
   * @throws InvalidConfigException if a dataset is already in a store with other options
   */
  Stores(EngineConfig config, Opener opener) {
    this.directory = config.directory();
    long different =
        config.datasets().stream()
            .flatMap(dataset -> Stream.of(dataset.store(), dataset.home()))
            .distinct()
            .count();
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
    String name = dataset.name();
    Path data = open(name, dataset.store(), dataset.store().kind() + "-" + name);
    Path home =
        dataset.home().equals(dataset.store())
            ? data
            : open(name, dataset.home(), dataset.home().kind() + "-" + name + ".home");
    ServerId server = at(home).store().isEmbedded() ? null : serverId();
    ClockTable clock =
        marks.computeIfAbsent(home, path -> new ClockTable(at(path).store(), server));
    byDataset.put(name, new OfDataset(at(data).store(), at(home).store(), clock, server));
  }

  private ServerId serverId() {
    ServerIdFile file = serverIdFile;
    if (file == null) {
      file = new ServerIdFile(directory);
      serverIdFile = file;
    }
    return file.id();
  }

  /**
   * Opens the store of a dataset unless it is open.
   *
   * @param folder the folder of the store if it is not shared
   */
  private Path open(String dataset, StoreConfig config, String folder) {
    Path own = directory.resolve(folder);
    Path shared = directory.resolve(config.kind());
    Opened first = byPath.get(shared);
    if (Files.isDirectory(own)) {
      return open(own, config);
    }
    if (first == null || first.config().equals(config)) {
      return open(shared, config);
    }
    if (Home.isIn(first.store(), dataset)) {
      throw new InvalidConfigException(
          List.of(
              "dataset '%s' shares a store with other datasets but has different options: give all of them the same %s"
                  .formatted(dataset, String.join(", ", differing(first.config(), config)))));
    }
    return open(own, config);
  }

  /** Returns the names of the options that differ, without values, which may be secret. */
  private static Set<String> differing(StoreConfig one, StoreConfig other) {
    Set<String> names = new TreeSet<>(one.options().keySet());
    names.addAll(other.options().keySet());
    names.removeIf(name -> Objects.equals(one.options().get(name), other.options().get(name)));
    return names;
  }

  private Path open(Path path, StoreConfig config) {
    if (!byPath.containsKey(path)) {
      byPath.put(path, new Opened(config, opener.open(config, path, memory)));
    }
    return path;
  }

  private Opened at(Path path) {
    return Objects.requireNonNull(byPath.get(path), "it was opened before");
  }

  /** Returns the open store of a folder. */
  Store in(Path folder) {
    return at(folder).store();
  }

  /** Returns all open stores by their folders. */
  Map<Path, Store> byFolder() {
    Map<Path, Store> stores = new LinkedHashMap<>();
    byPath.forEach((path, opened) -> stores.put(path, opened.store()));
    return stores;
  }

  OfDataset of(DatasetConfig dataset) {
    return Objects.requireNonNull(
        byDataset.get(dataset.name()), "every dataset was given its stores");
  }

  /** Returns the highest stamp that any of the stores may contain. */
  long mark() {
    long mark = Long.MIN_VALUE;
    for (ClockTable clock : marks.values()) {
      mark = Math.max(mark, clock.mark());
    }
    return mark;
  }

  /** Lowers the marks of the clock to the last stamp, because no more stamps will be given. */
  void settle(long lastStamp) {
    marks.values().forEach(clock -> clock.settle(lastStamp));
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

  /** Checks the files of all stores. */
  void check(List<OpenDataset> datasets, CheckRun run) {
    byPath.forEach((path, opened) -> {
      Store store = opened.store();
      List<OpenDataset> there =
          datasets.stream().filter(dataset -> dataset.store().equals(store)).toList();
      new StoreCheck(String.valueOf(path.getFileName()), store, there, run).run();
    });
  }

  /** Checks the files of all stores that can be opened. Used if a dataset cannot be opened. */
  static void checkFiles(EngineConfig engine, CheckRun run) {
    folders(engine)
        .forEach((folder, config) -> {
          String name = String.valueOf(folder.getFileName());
          try (Store store = openByService(config, folder, engine.memory())) {
            new StoreCheck(name, store, List.of(), run).run();
          } catch (StoreException e) {
            run.found(
                new CheckFinding(
                    Severity.DAMAGE, "store " + name, "it cannot be opened: " + e.getMessage()));
          }
        });
  }

  /**
   * Repairs the stores of all datasets, which must not be open.
   *
   * @param run notified of each file that is read
   * @return the damage, by the folder of the store
   * @throws StoreException if a store cannot be repaired
   */
  static Map<Path, List<StoreDamage>> repair(EngineConfig engine, CheckRun run) {
    Salvage salvage = Opener.salvage(engine);
    Map<Path, List<StoreDamage>> damage = new LinkedHashMap<>();
    folders(engine)
        .forEach((folder, config) ->
            damage.put(
                folder,
                StoreProviders.of(config.kind())
                    .repair(
                        folder,
                        engine.memory(),
                        config.options(),
                        salvage,
                        run.reading(String.valueOf(folder.getFileName())))));
    return damage;
  }

  /** Returns the existing folders of stores. */
  private static Map<Path, StoreConfig> folders(EngineConfig engine) {
    Map<Path, StoreConfig> folders = new LinkedHashMap<>();
    for (DatasetConfig dataset : engine.datasets()) {
      for (StoreConfig config : List.of(dataset.store(), dataset.home())) {
        String kind = config.kind();
        Stream.of(kind, kind + "-" + dataset.name(), kind + "-" + dataset.name() + ".home")
            .map(engine.directory()::resolve)
            .filter(Files::isDirectory)
            .forEach(folder -> folders.putIfAbsent(folder, config));
      }
    }
    return folders;
  }

  /** Repairs the homes of all datasets in a damaged store. */
  static void mendHomes(EngineConfig engine, Path folder, List<StoreDamage> damage) {
    StoreConfig config = Objects.requireNonNull(folders(engine).get(folder));
    try (Store store = openByService(config, folder, engine.memory())) {
      for (DatasetConfig dataset : engine.datasets()) {
        if (Home.isIn(store, dataset.name())) {
          Home.mend(store, dataset.name(), damage);
        }
      }
    }
  }

  /**
   * Repairs homes in stores with damaged logs, whose recovery may have lost parts of a catalog but
   * kept rows.
   */
  void mendHomes() {
    byDataset.forEach((name, stores) -> {
      List<StoreDamage> damage = stores.home().damage();
      boolean lost = damage.stream().anyMatch(one -> one.kind() == StoreDamage.Kind.LOG);
      if (lost && Home.isIn(stores.home(), name)) {
        Home.mend(stores.home(), name, damage);
      }
    });
  }

  /** Returns the damage to files of all stores, with the names of the stores' folders. */
  List<FoundDamage> damage() {
    List<FoundDamage> all = new ArrayList<>();
    byPath.forEach((path, opened) -> {
      for (StoreDamage damage : opened.store().damage()) {
        all.add(new FoundDamage(String.valueOf(path.getFileName()), damage));
      }
    });
    return all;
  }

  private static Store openByService(StoreConfig config, Path directory, long memory) {
    return StoreProviders.of(config.kind()).open(directory, memory, config.options());
  }

  @Override
  public void close() {
    marks.values().forEach(ClockTable::close);
    marks.clear();
    byPath.values().forEach(opened -> opened.store().close());
    byPath.clear();
    if (serverIdFile != null) {
      serverIdFile.close();
      serverIdFile = null;
    }
  }
}
