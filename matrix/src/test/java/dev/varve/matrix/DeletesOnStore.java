package dev.varve.matrix;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.engine.Dataset;
import dev.varve.engine.EngineLives;
import dev.varve.engine.config.DatasetConfig;
import dev.varve.engine.config.EngineConfig;
import dev.varve.engine.error.QueryRefusedException;
import dev.varve.engine.progress.DeleteCount;
import dev.varve.engine.progress.Deletion;
import dev.varve.engine.request.ReadGuard;
import dev.varve.engine.request.ReadRequest;
import dev.varve.engine.request.RunCursor;
import dev.varve.layout.StorageLayout;
import dev.varve.layout.registry.Layouts;
import dev.varve.model.BatchBuilder;
import dev.varve.model.GroupKey;
import dev.varve.model.Resolution;
import dev.varve.model.Run;
import dev.varve.model.Selector;
import dev.varve.model.TagFilter;
import dev.varve.model.Tags;
import dev.varve.model.TimeRange;
import dev.varve.model.Value;
import dev.varve.store.Store;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;

/**
 * Tests that a dataset of one layout on one store equals a map while samples are written, deleted
 * and written again, and while the engine is restarted and killed. A layout that cannot delete on
 * the store says so.
 *
 * <p>Once the deletes are done, an embedded store has the series with samples and no others.
 *
 * <p>{@code -Dvarve.deletes.store.operations=1000} sets how many operations there are, {@code
 * -Dvarve.deletes.embedded.operations=5000} how many on an embedded store, and {@code
 * -Dvarve.deletes.seed=12} which. Of many operations, fewer are restarts.
 */
final class DeletesOnStore {
  private static final int OPERATIONS = Integer.getInteger("varve.deletes.store.operations", 12);
  private static final int EMBEDDED_OPERATIONS =
      Integer.getInteger("varve.deletes.embedded.operations", OPERATIONS);

  /** Operations from which on restarts are rare: they take longer than all else. */
  private static final int MANY = 50;

  private static final long SEED = Long.getLong("varve.deletes.seed", 11);
  private static final long START_SECONDS = 1_699_000_000;
  private static final int STEPS = 60;
  private static final int HOSTS = 3;
  private static final List<String> METRICS = List.of("cpu", "mem");

  /**
   * Layouts whose cell times are sample times. On HBase, a delete marker would hide samples that
   * are written again.
   */
  private static final Set<String> WITHOUT_STAMPS =
      Set.of("cell-per-event", "entity", "entity-ranges");

  private final Store store;
  private final Path directory;
  private final List<StorageLayout> layouts;
  private final String name;
  private final boolean hasNoStamps;
  private final int operations;
  private final Map<Line, TreeMap<Long, Value>> model = new HashMap<>();
  private final Random random = new Random(SEED);

  /** A series of the story. */
  private record Line(String metric, String host) {}

  DeletesOnStore(Store store, Path directory, String layout) {
    this.store = store;
    this.directory = directory.resolve("deletes-" + layout);
    this.layouts = Layouts.stored(layout, Map.of());
    this.name = "x-" + layout;
    this.hasNoStamps = WITHOUT_STAMPS.contains(layout);
    this.operations = store.isEmbedded() ? EMBEDDED_OPERATIONS : OPERATIONS;
  }

  void check() throws InterruptedException {
    try (EngineLives lives = lives()) {
      write(lives.engine().dataset(name));
      if (!deletes(lives.engine().dataset(name))) {
        return;
      }
      for (int i = 0; i < operations; i++) {
        switch (random.nextInt(operations < MANY ? 10 : 50)) {
          case 0 -> lives.stop();
          case 1 -> lives.kill();
          default -> {
            if (random.nextBoolean()) {
              write(lives.engine().dataset(name));
            } else {
              delete(lives.engine().dataset(name));
            }
          }
        }
        assertThat(read(lives.engine().dataset(name)))
            .as("after %d operations", i + 1)
            .isEqualTo(expected());
      }
      checkAtTheEnd(lives.engine().dataset(name));
      lives.stop();
      assertThat(lives.engine().dataset(name).deletes().pending()).isEmpty();
      checkAtTheEnd(lives.engine().dataset(name));
    }
  }

  private void checkAtTheEnd(Dataset dataset) throws InterruptedException {
    for (Deletion one : dataset.deletes().pending()) {
      assertThat(one.await(Duration.ofMinutes(2))).as("%s", one.progress()).isTrue();
    }
    assertThat(read(dataset)).as("once the deletes are done").isEqualTo(expected());
    if (store.isEmbedded()) {
      for (String metric : METRICS) {
        assertThat(dataset.catalog().labelValues("host", Selector.metric(metric)))
            .as("series of %s once the deletes are done", metric)
            .containsExactlyInAnyOrderElementsOf(
                expected().keySet().stream()
                    .filter(line -> line.metric().equals(metric))
                    .map(Line::host)
                    .toList());
      }
    }
  }

  /** Returns whether the dataset deletes; checks how it refuses otherwise. */
  private boolean deletes(Dataset dataset) {
    boolean refuses = store.kind().equals("hbase") && hasNoStamps;
    if (refuses) {
      assertThatThrownBy(() -> dataset.deletes().begin(Selector.metric("cpu"), TimeRange.ALL))
          .isInstanceOf(QueryRefusedException.class)
          .hasMessageContaining("cannot delete on store 'hbase'");
    }
    return !refuses;
  }

  private EngineLives lives() {
    DatasetConfig dataset =
        new DatasetConfig(
            name,
            new DatasetConfig.StoreConfig(store.kind(), Map.of()),
            List.of(new DatasetConfig.PeriodConfig(Instant.MIN, layouts)),
            null,
            DatasetConfig.Duplicates.LAST,
            Set.of(),
            false);
    return new EngineLives(
        new EngineConfig(directory, RunningStore.MEMORY, List.of(dataset), name), store);
  }

  private void write(Dataset dataset) {
    BatchBuilder batch = new BatchBuilder();
    for (int i = 0; i < 40; i++) {
      Line line = new Line(metric(), host());
      long time = time(random.nextInt(STEPS));
      Value value = new Value.Real(random.nextInt(1000) / 8.0);
      batch.add(key(line), time, value);
      model.computeIfAbsent(line, one -> new TreeMap<>()).put(time, value);
    }
    assertThat(dataset.write(batch.build()).refused()).isZero();
  }

  private void delete(Dataset dataset) throws InterruptedException {
    int from = random.nextInt(STEPS);
    int to = from + random.nextInt(1, STEPS);
    TimeRange times = random.nextInt(4) == 0 ? TimeRange.ALL : new TimeRange(time(from), time(to));
    Selector selector = selector();
    long series = 0;
    long deleted = 0;
    for (Map.Entry<Line, TreeMap<Long, Value>> one : model.entrySet()) {
      if (matches(selector, one.getKey())) {
        long ofSeries = one.getValue().keySet().stream().filter(times::contains).count();
        series += ofSeries == 0 ? 0 : 1;
        deleted += ofSeries;
      }
    }
    assertThat(dataset.deletes().count(selector, times, ReadGuard.NONE))
        .as("dry run of %s in %s", selector, times)
        .isEqualTo(new DeleteCount(series, deleted));
    Deletion deletion = dataset.deletes().begin(selector, times);
    model.forEach((line, samples) -> {
      if (matches(selector, line)) {
        samples.keySet().removeIf(times::contains);
      }
    });
    // Where cells have no stamps, the next write would be refused meanwhile.
    if (random.nextBoolean() || hasNoStamps) {
      assertThat(deletion.await(Duration.ofMinutes(2))).as("%s", deletion.progress()).isTrue();
    }
  }

  /** Returns the selector of one series, of all series of a metric, or of a host's. */
  private Selector selector() {
    TagFilter host = new TagFilter.Equal("host", host());
    return switch (random.nextInt(6)) {
      case 0 -> Selector.metric(metric());
      case 1 -> new Selector(List.of(host));
      default -> Selector.metric(metric(), host);
    };
  }

  private static boolean matches(Selector selector, Line line) {
    return selector.filters().stream()
        .allMatch(filter ->
            filter instanceof TagFilter.Equal equal
                && (equal.name().equals("host") ? line.host() : line.metric())
                    .equals(equal.value()));
  }

  private String metric() {
    return METRICS.get(random.nextInt(METRICS.size()));
  }

  private String host() {
    return "h" + random.nextInt(HOSTS);
  }

  private static GroupKey key(Line line) {
    return GroupKey.of(
        line.metric(),
        Tags.of("host", line.host(), "exchange", "x", "symbol", "s", "region", "r", "meter", "m"));
  }

  private long time(int step) {
    return Resolution.SECONDS.convert(START_SECONDS + step * 600L, layouts.getFirst().resolution());
  }

  private Map<Line, Map<Long, Value>> expected() {
    Map<Line, Map<Long, Value>> expected = new HashMap<>();
    model.forEach((line, samples) -> {
      if (!samples.isEmpty()) {
        expected.put(line, samples);
      }
    });
    return expected;
  }

  private static Map<Line, Map<Long, Value>> read(Dataset dataset) {
    Map<Line, Map<Long, Value>> found = new HashMap<>();
    for (String metric : METRICS) {
      ReadRequest request = ReadRequest.of(Selector.metric(metric), TimeRange.ALL);
      try (RunCursor cursor = dataset.read(request)) {
        for (Run run = cursor.next(); run != null; run = cursor.next()) {
          String host = String.valueOf(run.series().key().tags().get("host"));
          Map<Long, Value> samples =
              found.computeIfAbsent(new Line(metric, host), one -> new TreeMap<>());
          for (int i = 0; i < run.samples().size(); i++) {
            samples.put(run.samples().time(i), run.samples().value(i));
          }
        }
      }
    }
    return found;
  }
}
