package dev.varve.engine;

import dev.varve.engine.catalog.CatalogBudget;
import dev.varve.engine.check.CheckFinding;
import dev.varve.engine.check.CheckFinding.Severity;
import dev.varve.engine.check.CheckRun;
import dev.varve.engine.home.StampClock;
import dev.varve.engine.periods.OpenDataset;
import dev.varve.engine.write.Admission;
import dev.varve.store.Store;
import dev.varve.store.StoreException;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The datasets of one directory, with the stores that they lie in and the clock that they share.
 * Safe for use by several threads.
 */
public final class Engine implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Engine.class);
  private static final Duration CHECK_RETRY = Duration.ofMinutes(1);
  private static final long ADMITTED_MIN = 16L << 20;
  private static final long ADMITTED_MAX = 256L << 20;

  private final EngineConfig config;
  private final Stores stores;
  private final StampClock clock;
  private final Admission admission;
  private final Map<String, Dataset> datasets;
  private final AtomicBoolean closed = new AtomicBoolean();
  private final AtomicBoolean checking = new AtomicBoolean();

  private Engine(
      EngineConfig config,
      Stores stores,
      StampClock clock,
      Admission admission,
      Map<String, Dataset> datasets) {
    this.config = config;
    this.stores = stores;
    this.clock = clock;
    this.admission = admission;
    this.datasets = datasets;
  }

  /**
   * Opens the stores and datasets of a configuration, and makes what is missing.
   *
   * @throws InvalidConfigException if the configuration contradicts itself, or a store or guardrail
   *     refuses it
   * @throws StoreException if a store cannot be opened
   */
  public static Engine open(EngineConfig config) {
    return open(config, Stores.Opener.OF_SERVICES, Engine::systemMicros);
  }

  /**
   * Opens as {@link #open(EngineConfig)} does, and stores that are damaged with what is left of
   * them: {@link #damage} says what is missing.
   */
  public static Engine recover(EngineConfig config) {
    return open(config, Stores.Opener.recovering(config), Engine::systemMicros);
  }

  private static long systemMicros() {
    Instant now = Instant.now();
    return now.getEpochSecond() * 1_000_000 + now.getNano() / 1_000;
  }

  /**
   * Opens an engine on stores and a clock of its caller's choice.
   *
   * @param micros the system's clock, microseconds since 1970
   */
  static Engine open(EngineConfig config, Stores.Opener opener, LongSupplier micros) {
    List<String> problems = ConfigCheck.problems(config);
    if (!problems.isEmpty()) {
      throw new InvalidConfigException(problems);
    }
    Stores stores = new Stores(config, opener);
    StampClock clock = new StampClock(micros, stores.mark());
    long admitted = Math.clamp(config.memory() / 4, ADMITTED_MIN, ADMITTED_MAX);
    HeapShares shares = HeapShares.OF_THIS_PROCESS;
    Admission admission = new Admission(Math.min(admitted, shares.cells()));
    long caches = shares.caches() / config.datasets().size();
    CatalogBudget catalogs = new CatalogBudget(config.catalog(), System::nanoTime);
    DatasetShare share = new DatasetShare(admission, config.fields(), catalogs, caches);
    Map<String, Dataset> datasets = new LinkedHashMap<>();
    try {
      stores.mendHomes();
      for (DatasetConfig dataset : config.datasets()) {
        datasets.put(dataset.name(), Dataset.open(dataset, stores.of(dataset), clock, share));
      }
    } catch (RuntimeException e) {
      datasets.values().forEach(Dataset::close);
      stores.close();
      throw e;
    }
    return new Engine(config, stores, clock, admission, datasets);
  }

  /**
   * Finds a dataset by its name.
   *
   * @throws UnknownDatasetException if there is none of that name
   */
  public Dataset dataset(String name) {
    Dataset dataset = datasets.get(name);
    if (dataset == null) {
      throw new UnknownDatasetException(name, List.copyOf(datasets.keySet()));
    }
    return dataset;
  }

  /** The dataset that answers where none is named. */
  public Dataset defaultDataset() {
    return dataset(config.defaultDataset());
  }

  /** All datasets, in the order of the configuration. */
  public List<Dataset> datasets() {
    return new ArrayList<>(datasets.values());
  }

  /**
   * Figures of the engine and its stores for their operator, by name in Prometheus' style; what
   * belongs to one dataset or store carries its name as a label.
   */
  public Map<String, Double> figures() {
    Map<String, Double> figures = stores.figures();
    figures.put("stamp_drift_seconds", clock.driftMicros() / 1e6);
    figures.put("write_bytes_under_way", (double) admission.bytesUnderWay());
    figures.put("write_bytes_max", (double) admission.limitBytes());
    figures.putAll(disk());
    datasets.forEach((name, dataset) ->
        dataset
            .figures()
            .forEach((figure, value) -> figures.put(figure + "{dataset=\"" + name + "\"}", value)));
    return figures;
  }

  /**
   * Damage that stores have met in their files since they were opened, the opening included; in
   * each store oldest first.
   */
  public List<FoundDamage> damage() {
    return stores.damage();
  }

  /**
   * The disk that the data directory lies on; nothing where all data is in memory and there is
   * none.
   */
  private Map<String, Double> disk() {
    try {
      FileStore disk = Files.getFileStore(config.directory());
      return Map.of(
          "data_disk_free_bytes", (double) disk.getUsableSpace(),
          "data_disk_size_bytes", (double) disk.getTotalSpace());
    } catch (IOException e) {
      LOG.debug("no figures of the disk of {}", config.directory(), e);
      return Map.of();
    }
  }

  /**
   * Opens the stores and datasets of a configuration as far as they can be, reads everything, and
   * closes them.
   *
   * @param run takes what is found
   * @throws InvalidConfigException as {@link #open(EngineConfig)}
   */
  public static void check(EngineConfig config, CheckRun run) {
    try (Engine engine = open(config)) {
      engine.check(run);
      return;
    } catch (StoreException | CorruptDataException e) {
      run.found(
          new CheckFinding(
              Severity.DAMAGE,
              "data directory " + config.directory(),
              "a server cannot open it: " + e.getMessage()));
    }
    Stores.checkFiles(config, run);
  }

  /**
   * Makes a directory that no server has open fit to be opened again, as far as its files can be
   * read. Damaged files are kept aside.
   *
   * @param run takes what was damaged, with the series and times that may lack samples
   * @throws StoreException if it cannot be repaired
   * @throws InvalidConfigException as {@link #open(EngineConfig)}
   */
  public static Repaired repair(EngineConfig config, CheckRun run) {
    List<String> problems = ConfigCheck.problems(config);
    if (!problems.isEmpty()) {
      throw new InvalidConfigException(problems);
    }
    return new Repair(config, run).run();
  }

  Store storeIn(Path folder) {
    return stores.in(folder);
  }

  /**
   * Reads everything, files and cells, and tells what is damaged and what the catalogs lack. Reads
   * and writes go on meanwhile.
   *
   * @param run says how fast to read, and takes what is found
   * @throws OverloadedException if another check is under way
   * @throws dev.varve.store.ReadCancelledException if it was stopped
   */
  public void check(CheckRun run) {
    if (!checking.compareAndSet(false, true)) {
      throw new OverloadedException("another check is under way; one runs at a time", CHECK_RETRY);
    }
    try {
      List<OpenDataset> open = datasets.values().stream().map(Dataset::open).toList();
      stores.check(open, run);
      datasets.values().forEach(dataset -> dataset.check(run));
    } finally {
      checking.set(false);
    }
  }

  /** Closes datasets and stores. Closing twice is allowed; every later call fails. */
  @Override
  public void close() {
    if (closed.getAndSet(true)) {
      return;
    }
    datasets.values().forEach(Dataset::close);
    try {
      stores.settle(clock.last());
    } catch (StoreException e) {
      LOG.warn(
          "stamps will be ahead of the clock for some seconds after a start: {}", e.getMessage());
    } finally {
      stores.close();
    }
  }
}
