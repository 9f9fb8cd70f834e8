package dev.varve.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.varve.engine.config.DatasetConfig;
import dev.varve.engine.config.DatasetConfig.Access;
import dev.varve.engine.config.DatasetConfig.Attached;
import dev.varve.engine.config.DatasetConfig.PeriodConfig;
import dev.varve.engine.config.DatasetConfig.Refresh;
import dev.varve.engine.config.DatasetConfig.StoreConfig;
import dev.varve.engine.config.EngineConfig;
import dev.varve.engine.error.InvalidConfigException;
import dev.varve.engine.error.QueryRefusedException;
import dev.varve.engine.request.ReadRequest;
import dev.varve.engine.request.WriteResult;
import dev.varve.layout.Layout;
import dev.varve.layout.registry.Layouts;
import dev.varve.model.Batch;
import dev.varve.model.BatchBuilder;
import dev.varve.model.Bytes;
import dev.varve.model.GroupKey;
import dev.varve.model.Selector;
import dev.varve.model.Tags;
import dev.varve.model.TimeRange;
import dev.varve.model.Value;
import dev.varve.store.CellCursor;
import dev.varve.store.Durability;
import dev.varve.store.MutationBatch;
import dev.varve.store.ReadPlan;
import dev.varve.store.ResumeToken;
import dev.varve.store.RowOutcome;
import dev.varve.store.Store;
import dev.varve.store.StoreException;
import dev.varve.store.Table;
import dev.varve.store.TableSpec;
import dev.varve.store.memory.MemoryStore;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Serves foreign tables in place while their server continues to write to them. */
class AttachTest {
  private static final long HOUR = 3_600_000L;
  private static final long NOW = TestEngine.START_MICROS / 1000;
  private static final ReadRequest ALL = ReadRequest.of(Selector.metric("m"), TimeRange.ALL);
  private static final StoreConfig FOREIGN = new StoreConfig("memory", Map.of("is", "foreign"));
  private static final StoreConfig OWN = new StoreConfig("memory", Map.of("is", "own"));
  private static final Refresh SOON = new Refresh(Duration.ofMillis(100), Duration.ofMillis(150));

  private final Store elsewhere = new MemoryStore();
  private Store foreign = new MemoryStore();
  private final Store own = new MemoryStore();

  /** Number of batches written to the index of KairosDB's tables. */
  private final AtomicInteger indexWrites = new AtomicInteger();

  private boolean mayWrite;
  private String place = "";

  @AfterEach
  void close() {
    foreign.close();
    elsewhere.close();
    own.close();
  }

  private Engine open(DatasetConfig... datasets) {
    EngineConfig config =
        new EngineConfig(
            Path.of("unused"), EngineConfig.DEFAULT_MEMORY, List.of(datasets), datasets[0].name());
    return Engine.open(
        config,
        (store, path, memory) -> store.equals(FOREIGN) ? guarded() : new StoreAround(own),
        () -> TestEngine.START_MICROS);
  }

  /** Fails on writes, and on opening tables for writes, unless the test allows them. */
  private Store guarded() {
    return new StoreAround(foreign) {
      @Override
      public Table open(TableSpec spec, OpenMode mode) {
        assertThat(mode)
            .isIn(OpenMode.READ_ONLY, mayWrite ? OpenMode.READ_WRITE : OpenMode.READ_ONLY);
        assertThat(spec.foreign()).isTrue();
        boolean index = spec.name().equals("row_keys");
        return new TableAround(super.open(spec, mode)) {
          @Override
          public List<RowOutcome> apply(MutationBatch edits, Durability durability) {
            List<RowOutcome> outcomes = super.apply(edits, durability);
            indexWrites.addAndGet(index ? 1 : 0);
            return outcomes;
          }
        };
      }

      @Override
      public String place(TableSpec spec) {
        return place;
      }
    };
  }

  /** Reports every read before it starts. */
  private static final class WatchedTables extends StoreAround {
    private final BiConsumer<TableSpec, ReadPlan> told;

    private WatchedTables(Store store, BiConsumer<TableSpec, ReadPlan> told) {
      super(store);
      this.told = told;
    }

    @Override
    public Table open(TableSpec spec, OpenMode mode) {
      return new TableAround(super.open(spec, mode)) {
        @Override
        public CellCursor read(ReadPlan plan, @Nullable ResumeToken resume) {
          told.accept(spec, plan);
          return super.read(plan, resume);
        }
      };
    }
  }

  private static DatasetConfig attached(Layout layout, Access access, Map<String, String> tables) {
    return new DatasetConfig(
            "main",
            FOREIGN,
            List.of(new PeriodConfig(Instant.MIN, List.of(layout))),
            null,
            DatasetConfig.Duplicates.LAST,
            Set.of(),
            false)
        .with(SOON)
        .with(new Attached(access, tables, OWN));
  }

  private static Batch batch(String host, int series, long first) {
    BatchBuilder batch = new BatchBuilder();
    for (int s = 0; s < series; s++) {
      GroupKey key = GroupKey.of("m", Tags.of("host", host + s));
      for (int i = 0; i < 5; i++) {
        batch.add(key, first + i * 25L * HOUR, new Value.Real(s * 1000.0 + i));
      }
    }
    return batch.build();
  }

  @ParameterizedTest
  @ValueSource(strings = {"heroic", "opentsdb", "kairosdb"})
  void readsWhatTheOtherServerWritesAndWritesNothingToItsStore(String name) {
    Layout layout = TestEngine.layout(name);
    Model model = new Model();
    try (ForeignServer server = new ForeignServer(foreign, layout)) {
      model.write(batch("a", 20, NOW - 200 * HOUR));
      server.write(batch("a", 20, NOW - 200 * HOUR));
      List<String> tables = foreign.tables();
      try (Engine engine = open(attached(layout, Access.READ_ONLY, Map.of()))) {
        Dataset dataset = engine.defaultDataset();
        await().atMost(Duration.ofSeconds(20)).until(dataset::isCatalogComplete);
        assertThat(TestEngine.read(dataset, ALL)).isEqualTo(model.all());

        server.write(batch("b", 3, NOW));
        model.write(batch("b", 3, NOW));
        await()
            .atMost(Duration.ofSeconds(20))
            .untilAsserted(() -> assertThat(TestEngine.read(dataset, ALL)).isEqualTo(model.all()));

        // Far outside of all known extents: the other server does not observe them.
        server.write(batch("a", 1, NOW - 9000 * HOUR));
        server.write(batch("a", 1, NOW + 2000 * HOUR));
        model.write(batch("a", 1, NOW - 9000 * HOUR));
        model.write(batch("a", 1, NOW + 2000 * HOUR));
        assertThat(TestEngine.read(dataset, ALL)).isEqualTo(model.all());
        assertThat(engine.figures()).containsKey("catalog_refreshes_total{dataset=\"main\"}");
      }
      assertThat(foreign.tables()).isEqualTo(tables);
      try (Engine again = open(attached(layout, Access.READ_ONLY, Map.of()))) {
        assertThat(again.defaultDataset().isCatalogComplete()).isTrue();
        assertThat(TestEngine.read(again.defaultDataset(), ALL)).isEqualTo(model.all());
      }
    }
  }

  /** KairosDB deletes a metric with its index, which this server has cached as durable. */
  @Test
  void samplesBehindAnIndexThatWasDeletedAreFoundAgain() {
    Layout layout = TestEngine.layout("kairosdb");
    mayWrite = true;
    try (ForeignServer server = new ForeignServer(foreign, layout)) {
      server.write(batch("a", 1, NOW));
      DatasetConfig config =
          attached(layout, Access.CO_WRITE, Map.of())
              .with(
                  new Refresh(Duration.ofMillis(100), Duration.ofDays(1), Duration.ofMillis(500)));
      try (Engine engine = open(config)) {
        Dataset dataset = engine.defaultDataset();
        await().atMost(Duration.ofSeconds(20)).until(dataset::isCatalogComplete);
        Batch batch = batch("b", 1, NOW);
        assertThat(dataset.write(batch).refused()).isZero();
        layout.originalTables().forEach(this::deleteAll);
        assertThat(dataset.write(batch).refused()).isZero();
        Model model = new Model();
        model.write(batch);
        await()
            .atMost(Duration.ofSeconds(20))
            .untilAsserted(() -> assertThat(TestEngine.read(dataset, ALL)).isEqualTo(model.all()));
      }
    }
  }

  /** Once {@code believed} has passed, index cells are written with the next samples, not later. */
  @Test
  void samplesBehindAnIndexThatWasDeletedLongAgoAreFoundAtOnce() {
    Layout layout = TestEngine.layout("kairosdb");
    mayWrite = true;
    try (ForeignServer server = new ForeignServer(foreign, layout)) {
      server.write(batch("a", 1, NOW));
      DatasetConfig config =
          attached(layout, Access.CO_WRITE, Map.of())
              .with(
                  new Refresh(Duration.ofMillis(100), Duration.ofDays(1), Duration.ofMillis(500)));
      try (Engine engine = open(config)) {
        Dataset dataset = engine.defaultDataset();
        await().atMost(Duration.ofSeconds(20)).until(dataset::isCatalogComplete);
        Batch batch = batch("b", 1, NOW);
        int before = indexWrites.get();
        assertThat(dataset.write(batch).refused()).isZero();
        // After being written again, index cells are no longer tracked for these samples.
        await().atMost(Duration.ofSeconds(20)).until(() -> indexWrites.get() >= before + 2);
        await().pollDelay(Duration.ofSeconds(1)).until(() -> true);

        layout.originalTables().forEach(this::deleteAll);
        assertThat(dataset.write(batch).refused()).isZero();
        Model model = new Model();
        model.write(batch);
        assertThat(TestEngine.read(dataset, ALL)).isEqualTo(model.all());
      }
    }
  }

  private void deleteAll(String name) {
    TableSpec spec =
        TestEngine.layout("kairosdb").tables().stream()
            .filter(table -> table.name().equals(name))
            .findFirst()
            .orElseThrow();
    if (name.equals("spec")) {
      return;
    }
    try (Table table = foreign.open(spec.attached(name), Store.OpenMode.READ_WRITE)) {
      MutationBatch all = ForeignServer.cells(table);
      MutationBatch delete = new MutationBatch();
      for (int i = 0; i < all.size(); i++) {
        delete.deleteColumn(
            all.cells().row(i), all.cells().family(i), all.cells().qualifier(i), TimeRange.ALL);
      }
      assertThat(table.apply(delete, Durability.SYNCED)).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"heroic", "opentsdb", "kairosdb"})
  void findsAfterARestartWhatCameMeanwhile(String name) {
    Layout layout = TestEngine.layout(name);
    DatasetConfig config =
        attached(layout, Access.READ_ONLY, Map.of())
            .with(new Refresh(Duration.ofDays(1), Duration.ofDays(1)));
    try (ForeignServer server = new ForeignServer(foreign, layout)) {
      server.write(batch("a", 2, NOW));
      try (Engine engine = open(config)) {
        await().atMost(Duration.ofSeconds(20)).until(engine.defaultDataset()::isCatalogComplete);
      }
      server.write(batch("late", 2, NOW - 5000 * HOUR));
      try (Engine engine = open(config)) {
        await()
            .atMost(Duration.ofSeconds(20))
            .until(() -> engine.defaultDataset().catalog().seriesCount() == 4);
      }
    }
  }

  @Test
  void refusesEveryWriteByName() {
    Layout layout = TestEngine.layout("opentsdb");
    try (ForeignServer server = new ForeignServer(foreign, layout)) {
      server.write(batch("a", 1, NOW));
      try (Engine engine = open(attached(layout, Access.READ_ONLY, Map.of()))) {
        Dataset dataset = engine.defaultDataset();
        WriteResult result = dataset.write(batch("b", 2, NOW));

        assertThat(result.accepted()).isZero();
        assertThat(result.refused()).isEqualTo(10);
        assertThat(result.rejections().getFirst().refusal().message())
            .contains("dataset 'main' is attached read-only");
        assertThatThrownBy(() -> dataset.maintenance().compact(ALL, now -> {}, () -> false))
            .isInstanceOf(QueryRefusedException.class)
            .hasMessageContaining("dataset 'main' is attached read-only");
        assertThat(dataset.explain(batch("b", 1, NOW))).isNotEmpty();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"heroic", "opentsdb", "kairosdb"})
  void writesBesideTheOtherServerInItsOwnTables(String name) {
    mayWrite = true;
    Layout layout = TestEngine.layout(name);
    Model model = new Model();
    try (ForeignServer server = new ForeignServer(foreign, layout)) {
      server.write(batch("a", 3, NOW));
      model.write(batch("a", 3, NOW));
      List<String> tables = foreign.tables();
      DatasetConfig config = attached(layout, Access.CO_WRITE, Map.of());
      try (Engine engine = open(config)) {
        Dataset dataset = engine.defaultDataset();
        await().atMost(Duration.ofSeconds(20)).until(dataset::isCatalogComplete);
        assertThat(dataset.write(batch("b", 3, NOW)).refused()).isZero();
        model.write(batch("b", 3, NOW));
        assertThat(TestEngine.read(dataset, ALL)).isEqualTo(model.all());
      }
      assertThat(foreign.tables()).isEqualTo(tables);
      // Another reader, which has only the tables, finds the same samples.
      own.tables().forEach(own::drop);
      mayWrite = false;
      try (Engine reader = open(attached(layout, Access.READ_ONLY, Map.of()))) {
        Dataset dataset = reader.defaultDataset();
        await().atMost(Duration.ofSeconds(20)).until(dataset::isCatalogComplete);
        assertThat(TestEngine.read(dataset, ALL)).isEqualTo(model.all());
      }
    }
  }

  @Test
  void takesTablesUnderTheNamesThatItIsGiven() {
    Layout layout = TestEngine.layout("heroic");
    TableSpec spec = layout.tables().getFirst();
    foreign.open(spec.named("prod-metrics"), Store.OpenMode.CREATE_IF_ABSENT).close();
    DatasetConfig config = attached(layout, Access.READ_ONLY, Map.of("metrics", "prod-metrics"));
    try (Engine engine = open(config)) {
      await().atMost(Duration.ofSeconds(20)).until(engine.defaultDataset()::isCatalogComplete);
    }
    foreign.open(spec.named("metrics"), Store.OpenMode.CREATE_IF_ABSENT).close();
    assertThatThrownBy(() -> open(attached(layout, Access.READ_ONLY, Map.of())))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("was made with tables prod-metrics, the configuration says metrics");
  }

  @Test
  void knowsTablesOfTheSameNamesElsewhere() {
    Layout layout = TestEngine.layout("heroic");
    DatasetConfig config = attached(layout, Access.READ_ONLY, Map.of());
    try (ForeignServer server = new ForeignServer(foreign, layout);
        ForeignServer other = new ForeignServer(elsewhere, layout)) {
      server.write(batch("a", 1, NOW));
      other.write(batch("b", 20, NOW));
      // A home of an earlier version lacks the location of its tables and records the first one it
      // sees.
      for (String seen : List.of("", "staging", "staging")) {
        place = seen;
        try (Engine engine = open(config)) {
          await().atMost(Duration.ofSeconds(20)).until(engine.defaultDataset()::isCatalogComplete);
        }
      }
      foreign = elsewhere;
      place = "production";
      assertThatThrownBy(() -> open(config))
          .isInstanceOf(InvalidConfigException.class)
          .hasMessageContaining("was attached to tables in staging")
          .hasMessageContaining("the configuration leads to production")
          .hasMessageContaining("or give the dataset another name");
    }
  }

  @Test
  void isOpenedRightlyAfterItWasOpenedWronglyFirst() {
    Layout legacy = Layouts.of("kairosdb", Map.of("unit", "legacy"));
    try (ForeignServer server = new ForeignServer(foreign, legacy)) {
      server.write(batch("a", 2, NOW));
      assertThatThrownBy(
              () -> open(attached(TestEngine.layout("kairosdb"), Access.READ_ONLY, Map.of())))
          .isInstanceOf(InvalidConfigException.class)
          .hasMessageContaining("unit should be legacy, but is milliseconds");
      try (Engine engine = open(attached(legacy, Access.READ_ONLY, Map.of()))) {
        Dataset dataset = engine.defaultDataset();
        await().atMost(Duration.ofSeconds(20)).until(dataset::isCatalogComplete);
        assertThat(TestEngine.read(dataset, ALL)).hasSize(2);
      }
    }
  }

  @Test
  void writesNothingThatKairosDbWouldNotFindByTag() {
    Layout indexed = Layouts.of("kairosdb", Map.of("tagIndexed", "m(host)"));
    mayWrite = true;
    try (ForeignServer server = new ForeignServer(foreign, indexed)) {
      server.write(batch("a", 2, NOW));
      Layout unindexed = TestEngine.layout("kairosdb");
      assertThatThrownBy(() -> open(attached(unindexed, Access.CO_WRITE, Map.of())))
          .isInstanceOf(InvalidConfigException.class)
          .hasMessageContaining("lists rows of metric 'm' by tag 'host'")
          .hasMessageContaining("perhaps 'm'");
      open(attached(indexed, Access.CO_WRITE, Map.of())).close();
    }
  }

  @Test
  void writesNothingBesideRowsOfAnotherSaltOrWidth() {
    Map<String, String> salted = Map.of("saltWidth", "1", "saltBuckets", "20");
    mayWrite = true;
    try (ForeignServer server = new ForeignServer(foreign, Layouts.of("opentsdb", salted))) {
      server.write(batch("a", 40, NOW));
      for (Map<String, String> wrong :
          List.of(
              Map.of("saltWidth", "1", "saltBuckets", "10"),
              Map.of("saltWidth", "1", "saltBuckets", "40"),
              Map.<String, String>of(),
              Map.of("saltWidth", "1", "saltBuckets", "20", "metricWidth", "4"))) {
        Layout layout = Layouts.of("opentsdb", wrong);
        assertThatThrownBy(() -> open(attached(layout, Access.CO_WRITE, Map.of())))
            .as("%s", wrong)
            .isInstanceOf(InvalidConfigException.class)
            .hasMessageContaining("sampled rows of table 'tsdb'")
            .hasMessageContaining("'varve attach' shows which parameters fit");
      }
      open(attached(Layouts.of("opentsdb", salted), Access.CO_WRITE, Map.of())).close();
    }
  }

  @Test
  void writesNothingIntoAKeyspaceThatKairosDbHasTooFewTablesIn() {
    Layout legacy = Layouts.of("kairosdb", Map.of("unit", "legacy"));
    mayWrite = true;
    try (ForeignServer server = new ForeignServer(foreign, legacy)) {
      server.write(batch("a", 2, NOW));
      foreign.drop("row_keys");
      foreign.drop("row_key_time_index");
      assertThatThrownBy(() -> open(attached(legacy, Access.CO_WRITE, Map.of())))
          .isInstanceOf(InvalidConfigException.class)
          .hasMessageContaining(
              "the keyspace has no table row_keys, row_key_time_index, which KairosDB creates since 1.2");
      mayWrite = false;
      // The refused attempt has saved nothing.
      open(attached(legacy, Access.READ_ONLY, Map.of())).close();
    }
  }

  private static double refreshes(Engine engine) {
    return engine.figures().getOrDefault("catalog_refreshes_total{dataset=\"main\"}", 0.0);
  }

  @Test
  void looksEveryUidUpOnce() {
    Layout layout = TestEngine.layout("opentsdb");
    BatchBuilder batch = new BatchBuilder();
    for (int i = 0; i < 1200; i++) {
      GroupKey key = GroupKey.of("m", Tags.of("host", "h" + i % 300, "dc", "d" + i % 5));
      batch.add(key, NOW - i / 300 * HOUR, new Value.Real(i));
    }
    AtomicLong reads = new AtomicLong();
    try (ForeignServer server = new ForeignServer(foreign, layout)) {
      server.write(batch.build());
      foreign =
          new WatchedTables(
              foreign,
              (spec, plan) -> {
                if (spec.name().equals("tsdb-uid")) {
                  reads.incrementAndGet();
                }
              });
      try (Engine engine = open(attached(layout, Access.READ_ONLY, Map.of()))) {
        await().atMost(Duration.ofSeconds(20)).until(() -> refreshes(engine) > 3);
        assertThat(engine.defaultDataset().catalog().seriesCount()).isEqualTo(300);
        assertThat(reads).hasValue(1 + 2 + 300 + 5);
      }
    }
  }

  @Test
  void readsTheIndexOfKairosDbAPageAtATime() {
    Layout layout = TestEngine.layout("kairosdb");
    try (ForeignServer server = new ForeignServer(foreign, layout)) {
      server.write(batch("a", 20, NOW));
      foreign =
          new WatchedTables(
              foreign,
              (spec, plan) -> {
                if (spec.name().startsWith("row_keys")) {
                  assertThat(plan.limits().cells()).isLessThanOrEqualTo(10_000);
                }
              });
      try (Engine engine = open(attached(layout, Access.READ_ONLY, Map.of()))) {
        await().atMost(Duration.ofSeconds(20)).until(() -> refreshes(engine) > 3);
        assertThat(engine.defaultDataset().catalog().seriesCount()).isEqualTo(20);
      }
    }
  }

  @Test
  void searchesAgainSoonAfterASearchThatFailed() {
    Layout layout = TestEngine.layout("opentsdb");
    DatasetConfig config =
        attached(layout, Access.READ_ONLY, Map.of())
            .with(new Refresh(Duration.ofMillis(50), Duration.ofDays(1)));
    AtomicLong failures = new AtomicLong();
    try (ForeignServer server = new ForeignServer(foreign, layout)) {
      server.write(batch("a", 2, NOW));
      try (Engine engine = open(config)) {
        await().atMost(Duration.ofSeconds(20)).until(engine.defaultDataset()::isCatalogComplete);
      }
      server.write(batch("b", 2, NOW));
      foreign =
          new WatchedTables(
              foreign,
              (spec, plan) -> {
                if (spec.name().equals("tsdb") && failures.incrementAndGet() == 1) {
                  throw new StoreException("a region moves");
                }
              });
      try (Engine engine = open(config)) {
        await()
            .atMost(Duration.ofSeconds(20))
            .until(() -> engine.defaultDataset().catalog().seriesCount() == 4);
      }
      assertThat(failures).hasValueGreaterThan(1);
    }
  }

  @Test
  void refusesAKeyWhoseUidIsWrongAndKeepsTheOthers() {
    Layout layout = TestEngine.layout("opentsdb");
    mayWrite = true;
    try (ForeignServer server = new ForeignServer(foreign, layout)) {
      server.write(batch("a", 1, NOW));
      MutationBatch edit = new MutationBatch();
      edit.put(Bytes.utf8("bad"), 0, Bytes.utf8("metrics"), 1, Bytes.fromHex("0001"));
      TableSpec uids = layout.tables().get(1);
      try (Table table = foreign.open(uids, Store.OpenMode.READ_WRITE)) {
        assertThat(table.apply(edit, Durability.SYNCED)).isEmpty();
      }
      try (Engine engine = open(attached(layout, Access.CO_WRITE, Map.of()))) {
        BatchBuilder both = new BatchBuilder();
        both.add(GroupKey.of("bad", Tags.of("host", "x")), NOW, new Value.Real(1));
        both.add(GroupKey.of("m", Tags.of("host", "x")), NOW, new Value.Real(2));
        WriteResult result = engine.defaultDataset().write(both.build());

        assertThat(result.accepted()).isOne();
        assertThat(result.rejections())
            .singleElement()
            .satisfies(rejection -> {
              assertThat(rejection.refusal().rule()).isEqualTo("opentsdb.damaged");
              assertThat(rejection.refusal().message())
                  .contains("bad", "cannot be written", "on 2 bytes, and metricWidth is 3");
            });
      }
    }
  }

  @Test
  void refusesToAttachWhatIsNotThereOrOtherwiseMade() {
    Layout kairosDb = TestEngine.layout("kairosdb");
    assertThatThrownBy(() -> open(attached(kairosDb, Access.READ_ONLY, Map.of())))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("the store has no table 'data_points' to attach");

    Layout seconds = Layouts.of("kairosdb", Map.of("unit", "seconds"));
    try (ForeignServer server = new ForeignServer(foreign, kairosDb)) {
      server.write(batch("a", 1, NOW));
      assertThatThrownBy(() -> open(attached(seconds, Access.READ_ONLY, Map.of())))
          .isInstanceOf(InvalidConfigException.class)
          .hasMessageContaining("the keyspace has row_time_unit MILLISECONDS");
    }
  }

  @Test
  void countsATableThatOnlyLaterVersionsMakeAsEmpty() {
    Layout layout = Layouts.of("kairosdb", Map.of("unit", "legacy"));
    try (ForeignServer server = new ForeignServer(foreign, layout)) {
      server.write(batch("a", 2, NOW));
      foreign.drop("spec");
      foreign.drop("tag_indexed_row_keys");
      try (Engine engine = open(attached(layout, Access.READ_ONLY, Map.of()))) {
        Dataset dataset = engine.defaultDataset();
        await().atMost(Duration.ofSeconds(20)).until(dataset::isCatalogComplete);
        assertThat(TestEngine.read(dataset, ALL)).hasSize(2);
      }
    }
  }

  @Test
  void namesWhatContradictsItself() {
    Layout layout = TestEngine.layout("opentsdb");
    DatasetConfig sameHome =
        attached(layout, Access.READ_ONLY, Map.of("tsdbb", "x", "tsdb", "tsdb-uid"))
            .with(
                new Attached(Access.READ_ONLY, Map.of("tsdbb", "x", "tsdb", "tsdb-uid"), FOREIGN));
    List<PeriodConfig> periods = new ArrayList<>(sameHome.periods());
    periods.add(new PeriodConfig(Instant.parse("2100-01-01T00:00:00Z"), List.of(layout, layout)));
    DatasetConfig odd =
        sameHome.withPeriods(periods).with(new Refresh(Duration.ZERO, Duration.ofSeconds(1)));

    assertThatThrownBy(() -> open(odd))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("refresh PT0S is not positive")
        .hasMessageContaining("does not write companions")
        .hasMessageContaining("a later period would never be written")
        .hasMessageContaining("nothing is written to its store, but its home is in that store")
        .hasMessageContaining("layout 'opentsdb' has no table 'tsdbb'; it has: tsdb, tsdb-uid")
        .hasMessageContaining("two tables of layout 'opentsdb' have one name: tsdb-uid, tsdb-uid");
  }
}
