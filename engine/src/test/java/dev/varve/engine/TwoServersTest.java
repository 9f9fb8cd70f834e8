package dev.varve.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.varve.engine.NameTable.Renamed;
import dev.varve.engine.TestEngine.Sample;
import dev.varve.engine.config.DatasetConfig;
import dev.varve.engine.config.DatasetConfig.PeriodConfig;
import dev.varve.engine.config.DatasetConfig.Refresh;
import dev.varve.engine.config.EngineConfig;
import dev.varve.engine.error.InvalidConfigException;
import dev.varve.engine.error.QueryRefusedException;
import dev.varve.engine.error.WriteFailedException;
import dev.varve.engine.heat.HeatMap;
import dev.varve.engine.request.ReadGuard;
import dev.varve.engine.request.ReadRequest;
import dev.varve.layout.Layout;
import dev.varve.layout.registry.Layouts;
import dev.varve.model.Batch;
import dev.varve.model.BatchBuilder;
import dev.varve.model.Bytes;
import dev.varve.model.GroupKey;
import dev.varve.model.Selector;
import dev.varve.model.Series;
import dev.varve.model.TagFilter;
import dev.varve.model.Tags;
import dev.varve.model.TimeRange;
import dev.varve.model.Value;
import dev.varve.store.Durability;
import dev.varve.store.MutationBatch;
import dev.varve.store.RowOutcome;
import dev.varve.store.RowOutcome.Status;
import dev.varve.store.Store.OpenMode;
import dev.varve.store.Table;
import dev.varve.store.TableSpec;
import dev.varve.store.memory.MemoryStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Two servers on one store that never communicate directly. */
class TwoServersTest {
  private static final Duration SOON = Duration.ofSeconds(20);
  private static final ReadRequest ALL = ReadRequest.of(Selector.metric("m"), TimeRange.ALL);
  private static final long NOW = TestEngine.START_MICROS / 1000;
  private static final long YEAR = 365L * 24 * 3_600_000;

  @TempDir Path directory;

  private final MemoryStore cells = new MemoryStore();
  private final AtomicBoolean companionsFail = new AtomicBoolean();
  private final AtomicBoolean markersRejected = new AtomicBoolean();
  private final Server a = new Server("a");
  private final Server b = new Server("b");

  @AfterEach
  void close() {
    a.close();
    b.close();
    cells.close();
  }

  /** A store that is not embedded, like the distributed ones. */
  private final class Shared extends StoreAround {
    private final Server server;

    private Shared(Server server) {
      super(cells);
      this.server = server;
    }

    @Override
    public boolean isEmbedded() {
      return false;
    }

    @Override
    public Table open(TableSpec spec, OpenMode mode) {
      if (spec.name().startsWith("main.")) {
        Runnable action = server.whenPeriodsOpen;
        server.whenPeriodsOpen = () -> {};
        action.run();
      }
      Table table = super.open(spec, mode);
      if (spec.name().equals(".main.markers")) {
        return new Failing(table, markersRejected, new RowOutcome(Status.REJECTED, "too large"));
      }
      return spec.name().startsWith("main.0-1.")
          ? new Failing(table, companionsFail, new RowOutcome(Status.UNKNOWN, "no answer"))
          : table;
    }
  }

  private static final class Failing extends TableAround {
    private final AtomicBoolean when;
    private final RowOutcome outcome;

    private Failing(Table table, AtomicBoolean when, RowOutcome outcome) {
      super(table);
      this.when = when;
      this.outcome = outcome;
    }

    @Override
    public List<RowOutcome> apply(MutationBatch batch, Durability durability) {
      if (!when.get()) {
        return super.apply(batch, durability);
      }
      List<RowOutcome> outcomes = new ArrayList<>();
      for (int first = 0; first < batch.size(); first = batch.mutationEnd(first)) {
        outcomes.add(outcome);
      }
      return outcomes;
    }
  }

  /** Writes are announced before they are made, so another server must not read too early. */
  @Test
  void aServerThatIsSlowToOpenSeesWhatWasWrittenMeanwhile() {
    Dataset first = a.open(config("buckets"));
    first.write(one("old", NOW, 1));
    b.whenPeriodsOpen =
        () -> {
          first.write(one("new", NOW, 2));
          b.micros.addAndGet(300_000_000);
          a.micros.addAndGet(300_000_000);
        };
    Dataset second = b.open(config("buckets"));
    await()
        .atMost(SOON)
        .untilAsserted(() ->
            assertThat(TestEngine.read(second, ALL))
                .isEqualTo(TestEngine.read(first, ALL))
                .hasSize(2));
  }

  @Test
  void aChangedNameReachesTheOtherServer() {
    Dataset first = a.open(config("opentsdb"));
    Dataset second = b.open(config("opentsdb"));
    first.write(one("old", NOW, 1));
    first.write(one("other", NOW, 1));
    await().atMost(SOON).until(() -> TestEngine.read(second, ALL).size() == 2);
    second.write(one("old", NOW + 1000, 2));

    assertThat(first.originals().rename(NameTable.Part.TAG_VALUE, "none", "new"))
        .isEqualTo(new Renamed.Unknown());
    assertThat(first.originals().rename(NameTable.Part.TAG_VALUE, "old", "other"))
        .isInstanceOf(Renamed.Taken.class);
    assertThat(first.originals().rename(NameTable.Part.TAG_VALUE, "old", "new"))
        .isInstanceOf(Renamed.Done.class);
    assertThat(samples(first)).isEqualTo(Map.of("new", 2, "other", 1));
    await()
        .atMost(SOON)
        .untilAsserted(() -> {
          assertThat(samples(second)).isEqualTo(Map.of("new", 2, "other", 1));
          assertThat(second.catalog().seriesCount()).isEqualTo(2);
        });

    // The old name comes back with another UID. Between servers clocks decide what was later.
    b.micros.addAndGet(10_000_000);
    second.write(one("old", NOW + 2000, 3));
    first.write(one("new", NOW + 3000, 4));
    for (Dataset dataset : List.of(first, second)) {
      await()
          .atMost(SOON)
          .untilAsserted(
              () -> assertThat(samples(dataset)).isEqualTo(Map.of("old", 1, "new", 3, "other", 1)));
    }
    a.close();
    assertThat(samples(a.open(config("opentsdb"))))
        .isEqualTo(Map.of("old", 1, "new", 3, "other", 1));
  }

  /** Returns the number of samples by host. */
  private static Map<String, Integer> samples(Dataset dataset) {
    Map<String, Integer> samples = new HashMap<>();
    TestEngine.read(dataset, ALL)
        .forEach((series, found) ->
            samples.put(String.valueOf(series.key().tags().get("host")), found.size()));
    return samples;
  }

  @Test
  void aServerWhoseDirectoryWasCopiedStopsWriting() throws IOException {
    Dataset first = a.open(config("buckets"));
    Files.createDirectories(directory.resolve("b"));
    Files.copy(directory.resolve("a/server-id"), directory.resolve("b/server-id"));
    Dataset second = b.open(config("buckets"));
    first.write(one("x", NOW, 1));
    second.write(one("y", NOW, 1));
    for (Dataset dataset : List.of(first, second)) {
      await()
          .atMost(SOON)
          .untilAsserted(() ->
              assertThatThrownBy(() -> dataset.write(one("z", NOW, 1)))
                  .isInstanceOf(WriteFailedException.class)
                  .hasMessageContaining("remove file 'server-id'"));
    }
    assertThat(TestEngine.read(first, ALL)).as("what is still read").isNotEmpty();
  }

  @Test
  void nothingIsAcceptedWhoseMarkerTheStoreRejects() {
    Dataset first = a.open(config("buckets", "tall-narrow"));
    markersRejected.set(true);
    assertThatThrownBy(() -> first.write(one("x", NOW, 1)))
        .isInstanceOf(WriteFailedException.class)
        .hasMessageContaining("too large");
    markersRejected.set(false);
    assertThat(first.write(one("x", NOW, 1)).accepted()).isEqualTo(1);
  }

  @Test
  void aPeriodIsAddedWithTimeForTheOthersToSeeIt() {
    a.open(config("buckets"));
    assertThatThrownBy(() -> b.open(withPeriod(config("buckets"), NOW + 10_000)))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("at %d ms at the earliest", NOW + 120_000);
    assertThat(b.open(withPeriod(config("buckets"), NOW + 120_000)).config().periods()).hasSize(2);
  }

  /** Each server counts keys of its own writes; a heat map of either shows those of both. */
  @Test
  void keyCountsOfTheServersAddUp() {
    Dataset first = a.open(config("buckets"));
    Dataset second = b.open(config("buckets"));
    for (int i = 0; i < 30; i++) {
      first.write(one("x", NOW + i, 1));
    }
    for (int i = 0; i < 12; i++) {
      second.write(one("y", NOW + i, 1));
    }
    for (Server server : List.of(a, b)) {
      server.micros.addAndGet(60_000_000);
    }
    List.of(first, second).forEach(dataset -> dataset.parts().heat().endSlices());
    assertThat(writes(first)).isEqualTo(42);
    assertThat(writes(second)).isEqualTo(42);
  }

  private static long writes(Dataset dataset) {
    String table =
        dataset.usage().heatMaps().tables().stream()
            .filter(HeatMaps.MappedTable::data)
            .findFirst()
            .orElseThrow()
            .name();
    HeatMap.Request request =
        new HeatMap.Request(NOW - 60_000, NOW + 120_000, Bytes.EMPTY, null, 4, 3);
    HeatMap map = dataset.usage().heatMaps().map(table, request, ReadGuard.NONE).map();
    long writes = 0;
    for (int row = 0; row < map.rows().size(); row++) {
      writes += map.total(row).writes();
    }
    return writes;
  }

  private static DatasetConfig withPeriod(DatasetConfig config, long from) {
    List<PeriodConfig> periods = new ArrayList<>(config.periods());
    Layout layout = Layouts.of("tall-narrow", Map.of());
    periods.add(new PeriodConfig(Instant.ofEpochMilli(from), List.of(layout)));
    return new DatasetConfig(
            "main", config.store(), periods, null, config.duplicates(), Set.of(), false)
        .with(config.refresh());
  }

  private final class Server implements AutoCloseable {
    private final String name;
    private final AtomicLong micros = new AtomicLong(TestEngine.START_MICROS);
    private @Nullable Engine engine;
    private Runnable whenPeriodsOpen = () -> {};

    private Server(String name) {
      this.name = name;
    }

    private Dataset open(DatasetConfig dataset) {
      EngineConfig config =
          new EngineConfig(
              directory.resolve(name),
              EngineConfig.DEFAULT_MEMORY,
              List.of(dataset),
              dataset.name());
      Engine opened = Engine.open(config, (kind, path, memory) -> new Shared(this), micros::get);
      engine = opened;
      return opened.defaultDataset();
    }

    private double figure(String figure) {
      return Objects.requireNonNull(Objects.requireNonNull(engine).figures().get(figure));
    }

    @Override
    public void close() {
      if (engine != null) {
        engine.close();
      }
    }
  }

  private static DatasetConfig config(String... layouts) {
    List<Layout> all = new ArrayList<>();
    for (String layout : layouts) {
      all.add(Layouts.of(layout, Map.of()));
    }
    return TestEngine.dataset("main", all.toArray(Layout[]::new))
        .with(new Refresh(Duration.ofMillis(100), Duration.ofDays(1)));
  }

  private static Batch one(String host, long time, double value) {
    return new BatchBuilder()
        .add(GroupKey.of("m", Tags.of("host", host)), time, new Value.Real(value))
        .build();
  }

  @ParameterizedTest
  @ValueSource(strings = {"buckets", "tall-narrow", "kairosdb", "opentsdb", "heroic"})
  void eachSeesWhatTheOtherWrites(String layout) {
    Dataset first = a.open(config(layout));
    Dataset second = b.open(config(layout));
    Model model = new Model();
    for (int round = 0; round < 3; round++) {
      for (Dataset writer : List.of(first, second)) {
        String host = (writer.equals(first) ? "a" : "b") + round;
        Batch batch = one(host, NOW, round);
        assertThat(writer.write(batch).refused()).isZero();
        model.write(batch);
      }
      await()
          .atMost(SOON)
          .untilAsserted(() -> {
            assertThat(TestEngine.read(first, ALL)).isEqualTo(model.all());
            assertThat(TestEngine.read(second, ALL)).isEqualTo(model.all());
          });
    }
    // A sample far outside of the extent that the reader knows.
    Batch late = one("a0", NOW + YEAR, 99);
    first.write(late);
    model.write(late);
    TimeRange then = new TimeRange(NOW + YEAR, NOW + YEAR + 1);
    ReadRequest request = ReadRequest.of(Selector.metric("m"), then);
    await()
        .atMost(SOON)
        .untilAsserted(() ->
            assertThat(TestEngine.read(second, request))
                .isEqualTo(model.read(then, series -> true)));
  }

  /** The known extent of a series ended days ago; the other server has written a current sample. */
  @ParameterizedTest
  @ValueSource(strings = {"buckets", "tall-narrow", "kairosdb", "opentsdb", "heroic"})
  void theNewestSampleOfAKnownSeriesIsSeenAtOnce(String layout) {
    Dataset first = a.open(config(layout));
    long before = NOW - YEAR / 36;
    first.write(one("s", before, 1));
    first.write(one("lively", NOW, 1));
    Refresh late = new Refresh(Duration.ofHours(1), Duration.ofDays(1));
    Dataset second = b.open(config(layout).with(late));
    first.write(one("s", NOW, 2));
    ReadRequest both =
        ReadRequest.of(
            new Selector(List.of(new TagFilter.Equal("host", "s"))),
            new TimeRange(before, NOW + 1));
    assertThat(TestEngine.read(second, both).values())
        .containsExactly(
            List.of(new Sample(before, new Value.Real(1)), new Sample(NOW, new Value.Real(2))));
  }

  @Test
  void manyWritersOnBothLoseNothing() throws Exception {
    Dataset first = a.open(config("opentsdb"));
    Dataset second = b.open(config("opentsdb"));
    Model model = new Model();
    List<Callable<Object>> writers = new ArrayList<>();
    CyclicBarrier start = new CyclicBarrier(8);
    for (int writer = 0; writer < 8; writer++) {
      Dataset into = writer % 2 == 0 ? first : second;
      int number = writer;
      for (int i = 0; i < 30; i++) {
        model.write(one("own" + number + "-" + i % 10, NOW + i, i));
        model.write(one("shared" + i % 10, NOW + 1000L * number + i, i));
      }
      writers.add(() -> {
        start.await();
        for (int i = 0; i < 30; i++) {
          into.write(one("own" + number + "-" + i % 10, NOW + i, i));
          into.write(one("shared" + i % 10, NOW + 1000L * number + i, i));
        }
        return number;
      });
    }
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (Future<Object> future : threads.invokeAll(writers)) {
        future.get();
      }
    }

    await()
        .atMost(SOON)
        .untilAsserted(() -> {
          assertThat(TestEngine.read(first, ALL)).isEqualTo(model.all());
          assertThat(TestEngine.read(second, ALL)).isEqualTo(model.all());
        });
    assertNoUidIsGivenTwice();
  }

  /**
   * Names and UIDs of each kind must refer to each other. A UID that lost a race may be left over.
   */
  private void assertNoUidIsGivenTwice() {
    TableSpec spec = Layouts.of("opentsdb", Map.of()).tables().get(1).named("main.tsdb-uid");
    MutationBatch uids;
    try (Table table = cells.open(spec, OpenMode.READ_ONLY)) {
      uids = ForeignServer.cells(table);
    }
    Map<String, String> nameOfUid = new HashMap<>();
    Set<String> given = new HashSet<>();
    for (int i = 0; i < uids.size(); i++) {
      if (uids.cells().family(i) == 1) {
        nameOfUid.put(
            uids.cells().qualifier(i) + "/" + uids.cells().row(i), uids.cells().value(i).hex());
      }
    }
    for (int i = 0; i < uids.size(); i++) {
      if (uids.cells().family(i) == 0 && uids.cells().row(i).length() > 1) {
        String uid = uids.cells().qualifier(i) + "/" + uids.cells().value(i);
        assertThat(given.add(uid)).as(uid).isTrue();
        assertThat(nameOfUid).containsEntry(uid, uids.cells().row(i).hex());
      }
    }
    assertThat(given).hasSizeGreaterThan(90);
  }

  /**
   * Uses a layout that keeps stamps. Of other cells, a memory store keeps the last one it received.
   */
  @Test
  void theLaterClockWins() {
    Dataset first = a.open(config("amended"));
    Dataset second = b.open(config("amended"));
    b.micros.addAndGet(5_000_000);
    second.write(one("x", NOW, 2));
    first.write(one("x", NOW, 1));
    Series series = GroupKey.of("m", Tags.of("host", "x")).field(Series.DEFAULT_FIELD);

    await()
        .atMost(SOON)
        .untilAsserted(() ->
            assertThat(TestEngine.read(first, ALL))
                .isEqualTo(Map.of(series, List.of(new Sample(NOW, new Value.Real(2))))));
    a.micros.addAndGet(6_000_000);
    first.write(one("x", NOW, 3));
    assertThat(TestEngine.read(second, ALL).get(series))
        .containsExactly(new Sample(NOW, new Value.Real(3)));
  }

  @Test
  void bothMakeTheDatasetAtOnce() throws Exception {
    for (int round = 0; round < 5; round++) {
      List<String> layouts = List.of("buckets", round % 2 == 0 ? "buckets" : "tall-narrow");
      CyclicBarrier start = new CyclicBarrier(2);
      int refused = 0;
      try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
        List<Future<Dataset>> opened = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
          Server server = i == 0 ? a : b;
          String layout = layouts.get(i);
          opened.add(
              threads.submit(() -> {
                start.await();
                return server.open(config(layout));
              }));
        }
        for (Future<Dataset> future : opened) {
          try {
            future.get().write(one("x", NOW, 1));
          } catch (ExecutionException e) {
            assertThat(e.getCause())
                .isInstanceOf(InvalidConfigException.class)
                .hasMessageContaining("dataset 'main' was made with layout of period 0");
            refused++;
          }
        }
      }
      assertThat(refused).isEqualTo(round % 2);
      a.close();
      b.close();
      cells.tables().forEach(cells::drop);
    }
  }

  @Test
  void aServerThatDiedWhileItMadeADatasetIsNotWaitedForForEver() {
    a.open(config("buckets"));
    a.close();
    // The first server has left nothing but its claim.
    TableSpec spec = TestEngine.homeSpec(".main.dataset", "d");
    try (Table table = cells.open(spec, OpenMode.READ_WRITE)) {
      MutationBatch before = ForeignServer.cells(table);
      MutationBatch delete = new MutationBatch();
      for (int i = 0; i < before.size(); i++) {
        if (!before.cells().qualifier(i).toUtf8().equals("maker")) {
          delete.deleteColumn(before.cells().row(i), 0, before.cells().qualifier(i), TimeRange.ALL);
        }
      }
      assertThat(table.apply(delete, Durability.SYNCED)).isEmpty();
    }

    assertThat(b.open(config("buckets")).write(one("x", NOW, 1)).accepted()).isEqualTo(1);
  }

  @Test
  void eachKeepsAMarkAndAnIdOfItsOwn() {
    Dataset first = a.open(config("buckets"));
    b.open(config("buckets")).write(one("x", NOW, 1));
    a.micros.addAndGet(900_000_000);
    first.write(one("x", NOW, 2));
    a.close();
    b.close();
    a.micros.addAndGet(-900_000_000);

    Dataset again = a.open(config("buckets"));
    assertThat(a.figure("stamp_drift_seconds")).isBetween(899.0, 903.0);
    b.open(config("buckets"));
    assertThat(b.figure("stamp_drift_seconds")).isLessThan(1.0);
    again.write(one("x", NOW, 3));
    assertThat(TestEngine.read(again, ALL).values().iterator().next())
        .containsExactly(new Sample(NOW, new Value.Real(3)));
  }

  @Test
  void theMarkersOfADeadServerAreReplayedAfterATime() {
    DatasetConfig together = config("buckets", "tall-narrow");
    Dataset first = a.open(together);
    Dataset second = b.open(together);
    companionsFail.set(true);
    first.write(one("x", NOW, 1));
    await().atMost(SOON).until(() -> markers(b) == 1);
    companionsFail.set(false);
    a.engine = null;
    assertThat(TestEngine.read(second, ALL)).hasSize(1);

    b.micros.addAndGet(601_000_000);
    await().atMost(SOON).until(() -> markers(b) == 0);
    ReadRequest instant = ReadRequest.of(Selector.metric("m"), new TimeRange(NOW, NOW + 1));
    assertThat(TestEngine.read(second, instant)).hasSize(1);
    TableSpec spec = Layouts.of("tall-narrow", Map.of()).tables().getFirst();
    try (Table companion = cells.open(spec.named("main.0-1." + spec.name()), OpenMode.READ_ONLY)) {
      assertThat(ForeignServer.cells(companion).size()).isPositive();
    }
  }

  private static double markers(Server server) {
    return server.figure("write_markers{dataset=\"main\"}");
  }

  @Test
  void refusesWhatBelongsToAPeriodThatOnlyTheOtherKnows() {
    DatasetConfig plain = config("buckets");
    Dataset first = a.open(plain);
    long border = NOW + 120_000;
    List<PeriodConfig> periods = new ArrayList<>(plain.periods());
    periods.add(
        new PeriodConfig(
            Instant.ofEpochMilli(border), List.of(Layouts.of("tall-narrow", Map.of()))));
    Dataset second =
        b.open(
            new DatasetConfig(
                    "main", plain.store(), periods, null, plain.duplicates(), Set.of(), false)
                .with(plain.refresh()));
    a.micros.addAndGet(61_000_000);
    await().atMost(SOON).until(() -> first.write(one("x", border, 1)).refused() == 1);
    assertThat(first.write(one("x", border - 1, 1)).accepted()).isEqualTo(1);
    assertThat(TestEngine.read(first, ALL)).hasSize(1);
    assertThat(second.write(one("x", border, 2)).accepted()).isEqualTo(1);

    a.micros.addAndGet(61_000_000);
    assertThatThrownBy(() -> first.read(ALL))
        .isInstanceOf(QueryRefusedException.class)
        .hasMessageContaining("that another server has added");
  }

  @Test
  void aSecondProcessOnOneDirectoryIsAnotherServer() throws IOException {
    Dataset first = a.open(config("buckets"));
    String id = Files.readString(directory.resolve("a").resolve("server-id"));
    try (Server second = new Server("a")) {
      second.open(config("buckets")).write(one("x", NOW, 1));
      await().atMost(SOON).until(() -> TestEngine.read(first, ALL).size() == 1);
    }
    assertThat(id).matches("[0-9a-f]{16}\n");
    assertThat(Files.readString(directory.resolve("a").resolve("server-id"))).isEqualTo(id);
  }

  @Test
  void deletesWhatWasToldLongAgo() {
    Dataset first = a.open(config("buckets"));
    b.open(config("buckets"));
    for (int i = 0; i < 5; i++) {
      first.write(one("x" + i, NOW, i));
    }
    TableSpec spec = TestEngine.homeSpec(".main.changes", "c");
    try (Table changes = cells.open(spec, OpenMode.READ_ONLY)) {
      assertThat(ForeignServer.cells(changes).size()).isEqualTo(5);
      b.micros.addAndGet(2 * 3600 * 1_000_000L);
      await().atMost(SOON).until(() -> ForeignServer.cells(changes).size() == 0);
    }
  }
}
