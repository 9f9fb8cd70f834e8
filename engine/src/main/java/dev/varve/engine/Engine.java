package dev.varve.engine;

import dev.varve.engine.backup.BackupException;
import dev.varve.engine.backup.BackupJob;
import dev.varve.engine.backup.BackupProgress;
import dev.varve.engine.catalog.CatalogBudget;
import dev.varve.engine.check.CheckFinding;
import dev.varve.engine.check.CheckFinding.Severity;
import dev.varve.engine.check.CheckRun;
import dev.varve.engine.config.DatasetConfig;
import dev.varve.engine.config.EngineConfig;
import dev.varve.engine.error.CorruptDataException;
import dev.varve.engine.error.InvalidConfigException;
import dev.varve.engine.error.OverloadedException;
import dev.varve.engine.error.UnknownDatasetException;
import dev.varve.engine.home.StampClock;
import dev.varve.engine.periods.OpenDataset;
import dev.varve.engine.write.BatchBudget;
import dev.varve.model.HeapShares;
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
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The datasets of one data directory, with their stores and their shared clock. Safe for use by
 * several threads.
 */
public final class Engine implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Engine.class);
  private static final Duration CHECK_RETRY = Duration.ofMinutes(1);
  private static final long ADMITTED_MIN = 16L << 20;
  private static final long ADMITTED_MAX = 256L << 20;

  private final EngineConfig config;
  private final Stores stores;
  private final StampClock clock;
  private final BatchBudget admission;
  private final Map<String, Dataset> datasets;
  private final Snapshots snapshots;
  private final AtomicBoolean closed = new AtomicBoolean();
  private final AtomicBoolean checking = new AtomicBoolean();

  private Engine(
      EngineConfig config,
      Stores stores,
      StampClock clock,
      BatchBudget admission,
      Map<String, Dataset> datasets) {
    this.config = config;
    this.stores = stores;
    this.clock = clock;
    this.admission = admission;
    this.datasets = datasets;
    this.snapshots =
        new Snapshots(config.directory(), stores.byFolder(), List.copyOf(datasets.values()));
  }

  /**
   * Opens the stores and datasets of a configuration and creates missing ones.
   *
   * @throws InvalidConfigException if the configuration contradicts itself, or if a store or
   *     guardrail refuses it
   * @throws StoreException if a store cannot be opened
   */
  public static Engine open(EngineConfig config) {
    return open(config, Stores.Opener.OF_SERVICES, Engine::systemMicros);
  }

  /**
   * Opens like {@link #open(EngineConfig)}, but also opens damaged stores with their remaining
   * data. {@link #damage} reports the missing data.
   */
  public static Engine recover(EngineConfig config) {
    return open(config, Stores.Opener.recovering(config), Engine::systemMicros);
  }

  private static long systemMicros() {
    Instant now = Instant.now();
    return now.getEpochSecond() * 1_000_000 + now.getNano() / 1_000;
  }

  /**
   * Opens an engine with the given stores and clock.
   *
   * @param micros the system clock, microseconds since 1970
   */
  static Engine open(EngineConfig config, Stores.Opener opener, LongSupplier micros) {
    return open(config, opener, micros, null);
  }

  /**
   * Opens an engine and removes damaged entries of journals, which would keep it from opening.
   *
   * @param removals receives the removed entries
   */
  static Engine repairing(EngineConfig config, Consumer<CheckFinding> removals) {
    return open(config, Stores.Opener.OF_SERVICES, Engine::systemMicros, removals);
  }

  private static Engine open(
      EngineConfig config,
      Stores.Opener opener,
      LongSupplier micros,
      @Nullable Consumer<CheckFinding> removals) {
    List<String> problems = ConfigCheck.problems(config);
    if (!problems.isEmpty()) {
      throw new InvalidConfigException(problems);
    }
    Stores stores = new Stores(config, opener);
    StampClock clock = new StampClock(micros, stores.mark());
    long admitted = Math.clamp(config.memory() / 4, ADMITTED_MIN, ADMITTED_MAX);
    HeapShares shares = HeapShares.OF_THIS_PROCESS;
    BatchBudget admission = new BatchBudget(Math.min(admitted, shares.cells()));
    long caches = shares.caches() / config.datasets().size();
    long heads = shares.heads() / config.datasets().size();
    CatalogBudget catalogs = new CatalogBudget(config.catalog(), System::nanoTime);
    DatasetShare share =
        new DatasetShare(
            admission,
            config.fields(),
            catalogs,
            caches,
            heads,
            new LocalCopies(config.directory(), config.backups()),
            removals);
    Map<String, Dataset> datasets = new LinkedHashMap<>();
    try {
      stores.mendHomes();
      for (DatasetConfig dataset : config.datasets()) {
        datasets.put(
            dataset.name(), DatasetOpening.open(dataset, stores.of(dataset), clock, share));
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
   * @throws UnknownDatasetException if there is no dataset of that name
   */
  public Dataset dataset(String name) {
    Dataset dataset = datasets.get(name);
    if (dataset == null) {
      throw new UnknownDatasetException(name, List.copyOf(datasets.keySet()));
    }
    return dataset;
  }

  /** Returns the dataset used by requests that name none. */
  public Dataset defaultDataset() {
    return dataset(config.defaultDataset());
  }

  /** Returns all datasets, in the order of the configuration. */
  public List<Dataset> datasets() {
    return new ArrayList<>(datasets.values());
  }

  /** Returns the snapshots of the data directory. */
  public Snapshots snapshots() {
    return snapshots;
  }

  /**
   * Makes a backup in a directory that a client names.
   *
   * @param name path below the configured directory of backups; empty for that directory itself
   * @param keep number of backups to keep, at least 1; 0 to keep all
   * @throws BackupException if backups are not configured, or the path leads elsewhere
   * @throws IOException if a file cannot be read or written
   */
  public BackupJob.Outcome backup(String name, int keep, BackupProgress progress)
      throws IOException {
    Path to = BackupJob.below(config.backups(), name);
    if (to.startsWith(config.directory().toRealPath())) {
      throw new BackupException(
          "%s is in the data directory: a backup belongs on another disk".formatted(to));
    }
    return new BackupJob(to, Map.of(), keep).run(snapshots.source(), progress);
  }

  /**
   * Returns metrics of the engine and its stores for operators, named in the style of Prometheus.
   * Metrics of a dataset or store carry its name as a label.
   */
  public Map<String, Double> figures() {
    Map<String, Double> figures = stores.figures();
    figures.put("stamp_drift_seconds", clock.driftMicros() / 1e6);
    figures.put("write_bytes_under_way", (double) admission.bytesUnderWay());
    figures.put("write_bytes_max", (double) admission.limitBytes());
    figures.putAll(disk());
    datasets.forEach((name, dataset) ->
        dataset
            .parts()
            .figures()
            .forEach((figure, value) -> figures.put(figure + "{dataset=\"" + name + "\"}", value)));
    return figures;
  }

  /**
   * Returns the damage to files that stores have found during and since opening, oldest first
   * within each store.
   */
  public List<FoundDamage> damage() {
    return stores.damage();
  }

  /**
   * Returns metrics of the disk with the data directory; none if the directory does not exist
   * because all data is in memory.
   */
  private Map<String, Double> disk() {
    try {
      FileStore disk = Files.getFileStore(config.directory());
      return Map.of(
          "data_disk_free_bytes", (double) disk.getUsableSpace(),
          "data_disk_size_bytes", (double) disk.getTotalSpace());
    } catch (IOException e) {
      LOG.debug("no metrics of the disk of {}", config.directory(), e);
      return Map.of();
    }
  }

  /**
   * Opens the stores and datasets of a configuration as far as possible, checks all data, and
   * closes them.
   *
   * @param run receives the findings
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
   * Repairs a data directory that no server has open, so that it can be opened with all readable
   * data. Damaged files are moved aside.
   *
   * @param run receives the damage, with the series and times that may lack samples
   * @throws StoreException if the directory cannot be repaired
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
   * Checks all files and cells and reports damage and incomplete catalogs. Reads and writes
   * continue meanwhile.
   *
   * @param run limits the rate and receives the findings
   * @throws OverloadedException if another check is running
   * @throws dev.varve.store.ReadCancelledException if the check was stopped
   */
  public void check(CheckRun run) {
    if (!checking.compareAndSet(false, true)) {
      throw new OverloadedException("another check is already running", CHECK_RETRY);
    }
    try {
      List<OpenDataset> open =
          datasets.values().stream().map(dataset -> dataset.parts().open()).toList();
      stores.check(open, run);
      datasets.values().forEach(dataset -> dataset.parts().check(run, false));
    } finally {
      checking.set(false);
    }
  }

  /** Closes datasets and stores. Closing twice is allowed; other calls fail afterwards. */
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
