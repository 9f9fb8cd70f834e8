package dev.varve.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.varve.engine.PowerLossStore.Fate;
import dev.varve.engine.config.DatasetConfig;
import dev.varve.engine.error.QueryRefusedException;
import dev.varve.engine.progress.RebuildProgress;
import dev.varve.engine.request.ReadRequest;
import dev.varve.model.Batch;
import dev.varve.model.BatchBuilder;
import dev.varve.model.Bytes;
import dev.varve.model.GroupKey;
import dev.varve.model.Selector;
import dev.varve.model.Tags;
import dev.varve.model.TimeRange;
import dev.varve.model.Value;
import dev.varve.store.CellBatch;
import dev.varve.store.CellCursor;
import dev.varve.store.Durability;
import dev.varve.store.FamilySelect;
import dev.varve.store.FamilySpec;
import dev.varve.store.MutationBatch;
import dev.varve.store.ReadPlan;
import dev.varve.store.RowOutcome;
import dev.varve.store.Slice;
import dev.varve.store.Store;
import dev.varve.store.Table;
import dev.varve.store.TableSpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tables written by other programs have rows but no catalog. */
class RebuildTest {
  private static final long HOUR = 3_600_000L;
  private static final long START = 1_699_999_200_000L;
  private static final ReadRequest EVERYTHING = ReadRequest.of(Selector.metric("m"), TimeRange.ALL);

  /** A removed row that gets a field or an extent again has no key; no server opens it. */
  @Test
  void addsNothingToARowThatADeleteRemovesMeanwhile() throws Exception {
    AtomicReference<@Nullable Runnable> beforeAdding = new AtomicReference<>();
    try (TestEngine engine =
        new TestEngine(TestEngine.dataset("main", TestEngine.layout("buckets")))
            .around(store -> beforeWrites(store, ".main.series", beforeAdding))) {
      engine.write(batch(3, 1));
      FutureTask<Boolean> delete =
          new FutureTask<>(() ->
              engine
                  .dataset()
                  .deletes()
                  .begin(Selector.metric("m"), TimeRange.ALL)
                  .await(Duration.ofSeconds(20)));
      beforeAdding.set(() -> {
        Thread.ofPlatform().start(delete);
        waitFor(delete);
      });
      engine.dataset().maintenance().rebuildCatalog(now -> {});
      assertThat(beforeAdding.get()).as("the search has added something").isNull();
      assertThat(delete.get()).isTrue();
      engine.restart();
      assertThat(engine.read(EVERYTHING)).isEmpty();
    }
  }

  /** Waits long enough for a delete that does not wait for the search. */
  private static void waitFor(FutureTask<Boolean> delete) {
    try {
      assertThat(delete.get(2, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException | ExecutionException e) {
      throw new AssertionError(e);
    } catch (TimeoutException e) {
      // It waits, as it has to.
    }
  }

  /** Returns a store that runs an action once, before a write to a table. */
  private static Store beforeWrites(
      Store store, String table, AtomicReference<@Nullable Runnable> action) {
    return new StoreAround(store) {
      @Override
      public Table open(TableSpec spec, OpenMode mode) {
        Table opened = super.open(spec, mode);
        return !spec.name().equals(table)
            ? opened
            : new TableAround(opened) {
              @Override
              public List<RowOutcome> apply(MutationBatch batch, Durability durability) {
                Runnable once = action.getAndSet(null);
                if (once != null) {
                  once.run();
                }
                return super.apply(batch, durability);
              }
            };
      }
    };
  }

  @ParameterizedTest
  @ValueSource(strings = {"heroic", "opentsdb", "kairosdb", "buckets", "tall-narrow", "entity"})
  void findsWhatOthersHaveWritten(String name) {
    DatasetConfig config = TestEngine.dataset("main", TestEngine.layout(name));
    Batch batch = batch(40, 30);
    try (TestEngine engine = new TestEngine(config)) {
      writeAsOthersDo(config, engine, batch);

      await().atMost(Duration.ofSeconds(20)).until(() -> engine.dataset().isCatalogComplete());
      Model model = new Model();
      model.write(batch);
      assertThat(engine.read(EVERYTHING)).isEqualTo(model.all());
      assertThat(engine.dataset().catalog().seriesCount()).isEqualTo(40);
      TimeRange early = new TimeRange(START, START + HOUR);
      assertThat(engine.read(ReadRequest.of(Selector.metric("m"), early)))
          .isEqualTo(model.read(early, series -> true));
      engine.restart();
      assertThat(engine.dataset().isCatalogComplete()).isTrue();
      assertThat(engine.read(EVERYTHING)).isEqualTo(model.all());
    }
  }

  /**
   * Every process ends soon. The next one must resume where it stopped, or the rebuild would never
   * finish.
   */
  @ParameterizedTest
  @ValueSource(strings = {"heroic", "kairosdb"})
  void goesOnWhereItWasInterrupted(String name) {
    DatasetConfig config = TestEngine.dataset("main", TestEngine.layout(name));
    Batch batch = manyRows();
    try (TestEngine engine = new TestEngine(config)) {
      writeAsOthersDo(config, engine, batch);
      boolean complete = false;
      int lives = 0;
      while (!complete) {
        assertThat(++lives).isLessThan(30);
        PowerLossStore store = engine.store();
        int last = store.writes() + 7;
        store.fates((write, table) -> write < last ? Fate.WELL : Fate.POWER_LOSS);
        Dataset dataset = engine.dataset();
        await()
            .atMost(Duration.ofSeconds(20))
            .until(() -> dataset.isCatalogComplete() || store.isLost());
        complete = dataset.isCatalogComplete();
        engine.losePower(new Random(lives));
      }

      assertThat(lives).isGreaterThan(2);
      assertThat(engine.dataset().isCatalogComplete()).isTrue();
      assertThat(engine.dataset().catalog().seriesCount()).isEqualTo(9000);
    }
  }

  /** Creates more rows than fit in a page of a scan, in several metrics. */
  private static Batch manyRows() {
    BatchBuilder batch = new BatchBuilder();
    for (int s = 0; s < 9000; s++) {
      GroupKey key = GroupKey.of("m" + s % 6, Tags.of("host", "h" + s));
      batch.add(key, START, new Value.Real(s));
      batch.add(key, START + 2000 * HOUR, new Value.Real(s));
    }
    return batch.build();
  }

  @Test
  void refusesQueriesWhileTheCatalogIsIncomplete() {
    DatasetConfig config = TestEngine.dataset("main", TestEngine.layout("heroic"));
    try (TestEngine engine = new TestEngine(config)) {
      writeAsOthersDo(config, engine, batch(10, 10));
      PowerLossStore store = engine.store();
      store.fates((write, table) -> table.equals(".main.series") ? Fate.NOT_APPLIED : Fate.WELL);
      Dataset dataset = engine.dataset();

      assertThat(dataset.isCatalogComplete()).isFalse();
      assertThatThrownBy(() -> dataset.read(EVERYTHING))
          .isInstanceOf(QueryRefusedException.class)
          .hasMessageContaining("is being rebuilt from its rows");
    }
  }

  @Test
  void leavesOutDamagedRowsAndCountsThem() {
    DatasetConfig config = TestEngine.dataset("main", TestEngine.layout("heroic"));
    try (TestEngine engine = new TestEngine(config)) {
      writeAsOthersDo(config, engine, batch(3, 2));
      TableSpec spec = config.periods().getFirst().layouts().getFirst().tables().getFirst();
      try (Table table = engine.store().open(renamed(spec), Store.OpenMode.READ_WRITE)) {
        MutationBatch damage = new MutationBatch();
        damage.put(Bytes.utf8("zz no row key"), 0, Bytes.EMPTY, 1, Bytes.EMPTY);
        assertThat(table.apply(damage, Durability.SYNCED)).isEmpty();
      }
      await().atMost(Duration.ofSeconds(20)).until(() -> engine.dataset().isCatalogComplete());

      List<RebuildProgress> progress = new ArrayList<>();
      engine.dataset().maintenance().rebuildCatalog(progress::add);
      assertThat(progress.getLast().damaged()).isEqualTo(1);
      assertThat(progress.getLast().series()).isZero();
      assertThat(engine.dataset().catalog().seriesCount()).isEqualTo(3);
    }
  }

  /** Copies the layout's tables of another engine, but not its home. */
  private static void writeAsOthersDo(DatasetConfig config, TestEngine engine, Batch batch) {
    try (TestEngine other = new TestEngine(config)) {
      assertThat(other.write(batch).refused()).isZero();
      for (TableSpec spec : config.periods().getFirst().layouts().getFirst().tables()) {
        try (Table from = other.store().open(renamed(spec), Store.OpenMode.READ_ONLY);
            Table to = engine.store().open(renamed(spec), Store.OpenMode.CREATE_IF_ABSENT)) {
          copy(from, to);
        }
      }
    }
  }

  private static TableSpec renamed(TableSpec spec) {
    return new TableSpec(
        "main." + spec.name(), spec.families(), spec.timeUnit(), spec.partitioning());
  }

  private static void copy(Table from, Table to) {
    List<FamilySelect> families = new ArrayList<>();
    for (int family = 0; family < from.spec().families().size(); family++) {
      families.add(new FamilySelect(family, List.of(), TimeRange.ALL, FamilySpec.ALL_VERSIONS));
    }
    MutationBatch cells = new MutationBatch();
    CellBatch page = new CellBatch();
    try (CellCursor cursor =
        from.read(ReadPlan.of(List.of(Slice.partition(Bytes.EMPTY)), families), null)) {
      while (cursor.next(page)) {
        for (int i = 0; i < page.size(); i++) {
          cells.put(page.row(i), page.family(i), page.qualifier(i), page.time(i), page.value(i));
        }
      }
    }
    assertThat(to.apply(cells, Durability.SYNCED)).isEmpty();
  }

  private static Batch batch(int series, int hours) {
    BatchBuilder batch = new BatchBuilder();
    for (int s = 0; s < series; s++) {
      GroupKey key = GroupKey.of("m", Tags.of("host", "h" + s));
      for (int hour = 0; hour < hours; hour++) {
        batch.add(key, START + hour * 25L * HOUR, new Value.Real(s * 1000.0 + hour));
      }
    }
    return batch.build();
  }
}
