package dev.varve.engine;

import dev.varve.engine.config.DatasetConfig;
import dev.varve.engine.config.DatasetConfig.PeriodConfig;
import dev.varve.engine.config.DatasetConfig.StoreConfig;
import dev.varve.engine.config.EngineConfig;
import dev.varve.engine.request.ReadRequest;
import dev.varve.engine.request.RunCursor;
import dev.varve.engine.request.WriteResult;
import dev.varve.layout.Layout;
import dev.varve.layout.StorageLayout;
import dev.varve.layout.registry.Layouts;
import dev.varve.model.Batch;
import dev.varve.model.BatchBuilder;
import dev.varve.model.Bytes;
import dev.varve.model.GroupKey;
import dev.varve.model.Resolution;
import dev.varve.model.Run;
import dev.varve.model.Series;
import dev.varve.model.Value;
import dev.varve.store.CellBatch;
import dev.varve.store.CellCursor;
import dev.varve.store.Durability;
import dev.varve.store.FamilySelect;
import dev.varve.store.FamilySpec;
import dev.varve.store.MutationBatch;
import dev.varve.store.Partitioning;
import dev.varve.store.ReadPlan;
import dev.varve.store.Slice;
import dev.varve.store.Store;
import dev.varve.store.StoreException;
import dev.varve.store.Table;
import dev.varve.store.TableSpec;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * An engine on an in-memory store that outlives it, so that tests can restart the engine. Its clock
 * moves only on request.
 */
final class TestEngine implements AutoCloseable {
  static final long START_MICROS = 1_700_000_000_000_000L;

  final AtomicLong micros = new AtomicLong(START_MICROS);
  private final List<DatasetConfig> datasets;
  private PowerLossStore store = new PowerLossStore();
  private UnaryOperator<Store> around = UnaryOperator.identity();
  private @Nullable Engine engine;

  TestEngine(DatasetConfig... datasets) {
    this.datasets = new ArrayList<>(Arrays.asList(datasets));
  }

  /** Returns a dataset on the memory store. */
  static DatasetConfig dataset(String name, StorageLayout... layouts) {
    return new DatasetConfig(
        name,
        new StoreConfig("memory", Map.of()),
        List.of(new PeriodConfig(Instant.MIN, List.of(layouts))),
        null,
        DatasetConfig.Duplicates.LAST,
        Set.of(),
        false);
  }

  /** Returns the specification of a table of a home with one family. */
  static TableSpec homeSpec(String name, String family) {
    return new TableSpec(
        name, List.of(FamilySpec.latest(family)), Resolution.MICROSECONDS, Partitioning.NONE);
  }

  static Layout layout(String name) {
    return Layouts.of(name, Map.of());
  }

  /** Returns the layouts of a dataset by name, the primary first. */
  static StorageLayout[] stored(String name) {
    return Layouts.stored(name, Map.of()).toArray(StorageLayout[]::new);
  }

  static DatasetConfig withRetention(DatasetConfig config, Duration retention) {
    return new DatasetConfig(
        config.name(),
        config.store(),
        config.periods(),
        retention,
        config.duplicates(),
        config.resources(),
        config.wholeTableScans());
  }

  /** Decorates every store that is opened from now on. */
  TestEngine around(UnaryOperator<Store> decorator) {
    around = decorator;
    return this;
  }

  Engine engine() {
    if (engine == null) {
      EngineConfig config =
          new EngineConfig(
              Path.of("target/unused"),
              EngineConfig.DEFAULT_MEMORY,
              datasets,
              datasets.getFirst().name());
      engine = Engine.open(config, (kind, path, memory) -> around.apply(store), micros::get);
    }
    return engine;
  }

  Dataset dataset() {
    return engine().defaultDataset();
  }

  PowerLossStore store() {
    return store;
  }

  /** Seals the samples in memory of periods that are stored in blocks. */
  void seal() {
    dataset().parts().seal(Duration.ofMinutes(1));
  }

  /** Loses the engine and unsynced writes, as a power loss does. */
  void losePower(Random random) {
    PowerLossStore lost = store;
    store = lost.afterPowerLoss(random);
    lost.lose();
    try {
      // Its threads and buffers would stay until the last test has ended.
      close();
    } catch (StoreException e) {
      engine = null;
    }
  }

  /** Closes the engine; the next one may have other declarations. */
  void restart(DatasetConfig... changed) {
    close();
    if (changed.length > 0) {
      datasets.clear();
      datasets.addAll(List.of(changed));
    }
  }

  @Override
  public void close() {
    if (engine != null) {
      engine.close();
      engine = null;
    }
  }

  /** Writes a sample and asserts that it is accepted. */
  void put(GroupKey key, long time, Value value) {
    WriteResult result = dataset().write(new BatchBuilder().add(key, time, value).build());
    if (result.accepted() != 1) {
      throw new AssertionError("refused: " + result);
    }
  }

  /** Writes a cell to a row of a table, bypassing its layout. */
  void damage(String table, Bytes row, Bytes qualifier) {
    MutationBatch edit = new MutationBatch();
    edit.put(row, 0, qualifier, START_MICROS, Bytes.EMPTY);
    try (Table damaged = store.openAgain(table)) {
      if (!damaged.apply(edit, Durability.SYNCED).isEmpty()) {
        throw new AssertionError("refused to be damaged");
      }
    }
  }

  /** Moves a row to another table with the same families. */
  void moveRow(String from, Bytes row, String to) {
    try (Table source = store.openAgain(from);
        Table target = store.openAgain(to)) {
      List<FamilySelect> families = new ArrayList<>();
      for (int family = 0; family < source.spec().families().size(); family++) {
        families.add(FamilySelect.all(family));
      }
      MutationBatch put = new MutationBatch();
      CellBatch page = new CellBatch();
      ReadPlan plan = ReadPlan.of(List.of(Slice.row(Bytes.EMPTY, row)), families);
      try (CellCursor cursor = source.read(plan, null)) {
        while (cursor.next(page)) {
          for (int cell = 0; cell < page.size(); cell++) {
            put.put(
                row, page.family(cell), page.qualifier(cell), page.time(cell), page.value(cell));
          }
        }
      }
      MutationBatch delete = new MutationBatch();
      delete.deleteRow(row);
      if (!target.apply(put, Durability.SYNCED).isEmpty()
          || !source.apply(delete, Durability.SYNCED).isEmpty()) {
        throw new AssertionError("refused to move a row");
      }
    }
  }

  WriteResult write(Batch batch) {
    return dataset().write(batch);
  }

  /** Reads all samples of a request, by series, in the order of delivery. */
  Map<Series, List<Sample>> read(ReadRequest request) {
    return read(dataset(), request);
  }

  static Map<Series, List<Sample>> read(Dataset dataset, ReadRequest request) {
    Map<Series, List<Sample>> read = new LinkedHashMap<>();
    try (RunCursor cursor = dataset.read(request)) {
      for (Run run = cursor.next(); run != null; run = cursor.next()) {
        List<Sample> samples = read.computeIfAbsent(run.series(), series -> new ArrayList<>());
        for (int i = 0; i < run.samples().size(); i++) {
          samples.add(new Sample(run.samples().time(i), run.samples().value(i)));
        }
      }
    }
    return read;
  }

  record Sample(long time, Value value) {}
}
