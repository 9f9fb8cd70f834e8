package dev.varve.matrix;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.varve.devstores.DevStore;
import dev.varve.engine.Dataset;
import dev.varve.engine.Engine;
import dev.varve.engine.Snapshots;
import dev.varve.engine.backup.BackupFolder;
import dev.varve.engine.backup.BackupJob;
import dev.varve.engine.backup.Restore;
import dev.varve.engine.config.DatasetConfig;
import dev.varve.engine.config.DatasetConfig.PeriodConfig;
import dev.varve.engine.config.DatasetConfig.Refresh;
import dev.varve.engine.config.DatasetConfig.StoreConfig;
import dev.varve.engine.config.EngineConfig;
import dev.varve.engine.request.ReadGuard;
import dev.varve.engine.request.ReadRequest;
import dev.varve.engine.request.RunCursor;
import dev.varve.layout.registry.Layouts;
import dev.varve.model.Batch;
import dev.varve.model.BatchBuilder;
import dev.varve.model.GroupKey;
import dev.varve.model.MetricMetadata;
import dev.varve.model.Run;
import dev.varve.model.Selector;
import dev.varve.model.Tags;
import dev.varve.model.TimeRange;
import dev.varve.model.Value;
import dev.varve.store.Store;
import dev.varve.store.StoreProviders;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Two servers on real stores that never talk to each other. Each sees what the other writes within
 * the documented default time.
 */
class TwoServersIT {
  private static final Duration STATED = Refresh.DEFAULTS.within();
  private static final long NOW = 1_699_999_200_000L;
  private static final long YEAR = 365L * 24 * 3_600_000;

  /** The native layout of each store, and one of Varve's own. */
  private static final Map<String, List<String>> LAYOUTS =
      Map.of(
          "bigtable", List.of("heroic", "buckets"),
          "hbase", List.of("opentsdb", "buckets"),
          "cassandra", List.of("kairosdb", "buckets"));

  @TempDir private static Path directory;
  private static List<DevStore> stores;

  /** The written samples, by dataset and by the host of the only metric. */
  private final Map<String, Map<String, NavigableMap<Long, Value>>> model = new TreeMap<>();

  @BeforeAll
  static void startStores() {
    stores = RealStores.all();
  }

  private static final class Server implements AutoCloseable {
    private final String name;
    private Engine engine;

    private Server(String name) {
      this.name = name;
      this.engine = open(name);
    }

    private static Engine open(String name) {
      List<DatasetConfig> datasets = new ArrayList<>();
      for (DevStore store : stores) {
        for (String layout : LAYOUTS.getOrDefault(store.kind(), List.of())) {
          datasets.add(
              new DatasetConfig(
                  store.kind() + "-" + layout,
                  new StoreConfig(store.kind(), store.options()),
                  List.of(new PeriodConfig(Instant.MIN, List.of(Layouts.of(layout, Map.of())))),
                  null,
                  DatasetConfig.Duplicates.LAST,
                  Set.of(),
                  false));
        }
      }
      return Engine.open(
          new EngineConfig(
              directory.resolve(name), RunningStore.MEMORY, datasets, datasets.getFirst().name()));
    }

    private void restart() {
      engine.close();
      engine = open(name);
    }

    private Map<String, Map<String, NavigableMap<Long, Value>>> read(TimeRange times) {
      Map<String, Map<String, NavigableMap<Long, Value>>> found = new TreeMap<>();
      engine.datasets().forEach(dataset -> found.put(dataset.name(), hosts(dataset, times)));
      return found;
    }

    @Override
    public void close() {
      engine.close();
    }
  }

  private static Map<String, NavigableMap<Long, Value>> hosts(Dataset dataset, TimeRange times) {
    Map<String, NavigableMap<Long, Value>> found = new HashMap<>();
    try (RunCursor cursor = dataset.read(ReadRequest.of(Selector.metric("m"), times))) {
      for (Run run = cursor.next(); run != null; run = cursor.next()) {
        NavigableMap<Long, Value> samples =
            found.computeIfAbsent(run.series().key().tags().get("host"), host -> new TreeMap<>());
        for (int i = 0; i < run.samples().size(); i++) {
          samples.put(run.samples().time(i), run.samples().value(i));
        }
      }
    }
    return found;
  }

  /** Writes one sample into every dataset. */
  private void write(Server server, String host, long time, double value) {
    for (Dataset dataset : server.engine.datasets()) {
      assertThat(dataset.write(one(host, time, value)).rejections()).isEmpty();
      model
          .computeIfAbsent(dataset.name(), name -> new HashMap<>())
          .computeIfAbsent(host, name -> new TreeMap<>())
          .put(time, new Value.Real(value));
    }
  }

  private static Batch one(String host, long time, double value) {
    return new BatchBuilder()
        .add(GroupKey.of("m", Tags.of("host", host)), time, new Value.Real(value))
        .build();
  }

  /** Waits until both see everything, at most for the documented time. */
  private void awaitBoth(Server a, Server b, TimeRange times) {
    await()
        .atMost(STATED)
        .pollInterval(Duration.ofMillis(200))
        .untilAsserted(() -> {
          assertThat(a.read(times)).as("read by a").isEqualTo(within(times));
          assertThat(b.read(times)).as("read by b").isEqualTo(within(times));
        });
  }

  private Map<String, Map<String, NavigableMap<Long, Value>>> within(TimeRange times) {
    Map<String, Map<String, NavigableMap<Long, Value>>> some = new TreeMap<>();
    model.forEach((dataset, hosts) -> {
      Map<String, NavigableMap<Long, Value>> ofDataset = new HashMap<>();
      hosts.forEach((host, samples) -> {
        NavigableMap<Long, Value> left = new TreeMap<>(samples);
        left.keySet().removeIf(time -> !times.contains(time));
        if (!left.isEmpty()) {
          ofDataset.put(host, left);
        }
      });
      some.put(dataset, ofDataset);
    });
    return some;
  }

  @Test
  void seeEachOther() throws Exception {
    try (Server a = new Server("a");
        Server b = new Server("b")) {
      // Both write new series at once.
      write(a, "by-a", NOW, 1);
      write(b, "by-b", NOW, 2);
      awaitBoth(a, b, TimeRange.ALL);

      // Samples of known series are visible at once, and the last write to an instant wins.
      write(b, "by-a", NOW + 1000, 3);
      write(a, "by-b", NOW, 4);
      write(b, "by-a", NOW, 5);
      assertThat(a.read(TimeRange.ALL)).isEqualTo(model);
      assertThat(b.read(TimeRange.ALL)).isEqualTo(model);

      // One server stops after it wrote far outside of the times that the other knows for a series.
      write(a, "by-b", NOW + YEAR, 6);
      a.engine.close();
      write(b, "meanwhile", NOW, 7);
      write(b, "by-a", NOW + 2000, 8);
      write(b, "by-a", NOW + 1000, 9);
      // After its restart it sees what was written meanwhile.
      a.restart();
      assertThat(a.read(TimeRange.ALL)).isEqualTo(model);
      write(a, "after", NOW, 10);
      awaitBoth(a, b, TimeRange.closed(NOW + YEAR, NOW + YEAR));
      awaitBoth(a, b, TimeRange.ALL);

      compactByOne(a, b);
      writeOneInstantAtOnce(a, b);
    }
  }

  /**
   * One server deletes cells by compaction. The other no longer sees these cells, and no sample is
   * lost.
   */
  private void compactByOne(Server a, Server b) {
    Dataset dataset = a.engine.dataset("hbase-opentsdb");
    ReadRequest all = ReadRequest.of(Selector.metric("m"), TimeRange.ALL);
    assertThat(dataset.maintenance().compact(all, now -> {}, () -> false).deleted()).isPositive();
    assertThat(b.read(TimeRange.ALL)).isEqualTo(model);
  }

  /** Both servers write one instant at once. Both then read the same value, one of the two. */
  private static void writeOneInstantAtOnce(Server a, Server b) throws Exception {
    for (int round = 0; round < 5; round++) {
      long time = NOW + 100_000 + 1000L * round;
      CyclicBarrier start = new CyclicBarrier(2);
      try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
        List<Future<?>> writers = new ArrayList<>();
        for (Server server : List.of(a, b)) {
          double value = server == a ? 100 : 200;
          writers.add(
              threads.submit(() -> {
                for (Dataset dataset : server.engine.datasets()) {
                  start.await();
                  dataset.write(one("by-a", time, value));
                }
                return null;
              }));
        }
        for (Future<?> writer : writers) {
          writer.get();
        }
      }
    }
    TimeRange times = new TimeRange(NOW + 100_000, NOW + 200_000);
    Map<String, Map<String, NavigableMap<Long, Value>>> found = a.read(times);
    assertThat(b.read(times)).isEqualTo(found);
    found
        .values()
        .forEach(hosts ->
            assertThat(hosts.getOrDefault("by-a", new TreeMap<>()).values())
                .hasSize(5)
                .isSubsetOf(new Value.Real(100), new Value.Real(200)));
  }

  private static EngineConfig lost(DevStore store, Path data) {
    DatasetConfig dataset =
        new DatasetConfig(
            "lost",
            new StoreConfig(store.kind(), store.options()),
            List.of(new PeriodConfig(Instant.MIN, List.of(Layouts.of("buckets", Map.of())))),
            null,
            DatasetConfig.Duplicates.LAST,
            Set.of(),
            false);
    return new EngineConfig(data, RunningStore.MEMORY, List.of(dataset), "lost");
  }

  /** The tables of samples are there, as the store's own backup restores them. */
  @ParameterizedTest
  @ValueSource(strings = {"bigtable", "hbase", "cassandra"})
  void aHomeComesBackFromABackup(String kind) throws Exception {
    DevStore of =
        stores.stream().filter(store -> store.kind().equals(kind)).findFirst().orElseThrow();
    Path place = Files.createDirectory(directory.resolve("home-in-" + kind));
    Path data = place.resolve("backed-up");
    Path backups = place.resolve("backups");
    MetricMetadata said = new MetricMetadata("m", "gauge", "seconds", "What it is.");
    try (Engine engine = Engine.open(lost(of, data))) {
      Dataset dataset = engine.defaultDataset();
      assertThat(dataset.write(one("kept", NOW, 1)).rejections()).isEmpty();
      dataset.catalog().describe(List.of(said));
      dataset.services().put("notes", "of", "m", "one");
      new BackupJob(backups, Map.of(), 0)
          .run(engine.snapshots().source(), (files, bytes, total) -> {});
    }
    Path restored = place.resolve("restored");
    try (BackupFolder folder = BackupFolder.forReading(backups)) {
      new Restore(folder, folder.find(null), restored).run((files, bytes, total) -> {});
    }
    try (Engine engine = Engine.open(lost(of, place.resolve("later")))) {
      MetricMetadata later = new MetricMetadata("later", "gauge", "", "");
      engine.defaultDataset().catalog().describe(List.of(later));
    }
    List<Snapshots.RestoredHome> homes = new ArrayList<>();
    assertThatThrownBy(() -> Snapshots.restoreHomes(lost(of, restored), homes::add))
        .hasMessageContaining("has another home of dataset 'lost', which is not overwritten");
    try (Store store = StoreProviders.of(of.kind()).open(data, RunningStore.MEMORY, of.options())) {
      // As in a store that was restored from the tables of samples alone.
      store.drop(".clock");
      assertThat(Snapshots.replaceHome(lost(of, restored), "lost", homes::add)).isEqualTo(1);
      assertThat(store.tables()).contains("lost.buckets", ".clock");
    }
    assertThat(Snapshots.restoreHomes(lost(of, restored), homes::add)).isEqualTo(1);
    assertThat(homes).hasSize(2);
    assertThat(homes.removeFirst()).isEqualTo(homes.getFirst());
    assertThat(homes).singleElement().satisfies(home -> assertThat(home.cells()).isGreaterThan(5));
    try (Engine engine = Engine.open(lost(of, restored))) {
      Dataset dataset = engine.defaultDataset();
      assertThat(dataset.isCatalogComplete()).isTrue();
      assertThat(hosts(dataset, TimeRange.ALL))
          .containsOnlyKeys("kept")
          .containsEntry("kept", new TreeMap<>(Map.of(NOW, new Value.Real(1))));
      assertThat(dataset.catalog().metadata("m", 1, ReadGuard.NONE)).containsExactly(said);
      assertThat(dataset.services().putIf("notes", "of", "m", "one", "two")).isTrue();
    }
    try (BackupFolder folder = BackupFolder.forReading(backups)) {
      assertThat(folder.verify(folder.find(null), (files, bytes, total) -> {})).isEmpty();
    }
  }
}
