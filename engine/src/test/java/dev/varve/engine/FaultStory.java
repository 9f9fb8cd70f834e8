package dev.varve.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;
import static org.awaitility.Awaitility.await;

import dev.varve.engine.config.DatasetConfig;
import dev.varve.engine.config.DatasetConfig.Refresh;
import dev.varve.engine.config.EngineConfig;
import dev.varve.engine.error.WriteFailedException;
import dev.varve.engine.request.ReadRequest;
import dev.varve.engine.request.WriteResult;
import dev.varve.layout.Layout;
import dev.varve.layout.registry.Layouts;
import dev.varve.model.Batch;
import dev.varve.model.BatchBuilder;
import dev.varve.model.GroupKey;
import dev.varve.model.Resolution;
import dev.varve.model.Selector;
import dev.varve.model.Series;
import dev.varve.model.TagFilter;
import dev.varve.model.Tags;
import dev.varve.model.TimeRange;
import dev.varve.model.Value;
import dev.varve.store.FamilySpec;
import dev.varve.store.Store;
import dev.varve.store.StoreException;
import dev.varve.store.TableSpec;
import dev.varve.store.TimeUse;
import dev.varve.store.contract.FaultyStore;
import dev.varve.store.contract.FaultyStore.Faults;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Random operations on a dataset whose store is slow, throttles, returns partial answers, and loses
 * answers and connections: writes, full and partial reads, compactions, restarts. Every read is
 * checked against a {@link FaultModel}. The seed determines the operations and the faults.
 */
public final class FaultStory implements AutoCloseable {
  /** Number of series written. */
  public static final int SERIES = 6;

  private static final long START_SECONDS = 1_700_000_000;
  private static final int INSTANTS = 40;
  private static final int INSTANT_SECONDS = 3700;
  private static final int BATCH_MAX = 8;
  private static final int TRIES = 200;

  /** Maximum number of cursors that background threads may have open at any time. */
  private static final int CURSORS_BEHIND = 7;

  /** The store falls silent for a few operations once in this many. */
  private static final int SILENT_ONE_IN = 60;

  private static final Duration CALL_TIMEOUT = Duration.ofMillis(1);

  /**
   * Maximum number of cells of the dataset's identity and of each series: its key, fields and
   * extents.
   */
  private static final int CELLS_OF_A_DATASET = 20;

  private static final int CELLS_OF_A_SERIES = 40;

  /** Maximum number of announcements in the hour for which they are kept. */
  private static final int CELLS_OF_CHANGES = 200;

  private final Random random;
  private final List<Layout> layouts;
  private final DatasetConfig dataset;
  private final Path directory;
  private final PassingTime time;
  private final CountedStore cells;
  private final FaultyStore store;
  private final boolean compacts;
  private final FaultModel model = new FaultModel();
  private @Nullable Engine engine;
  private int operations;
  private int written;
  private int failed;
  private int acknowledged;

  /**
   * Creates a story.
   *
   * @param name name of a new dataset
   * @param cells the store without faults, which outlives the story
   * @param directory directory of the engine
   */
  public FaultStory(
      String layout, String name, long seed, Store cells, Path directory, PassingTime time) {
    this.random = new Random(seed);
    this.layouts = Layouts.all(layout, Map.of());
    this.dataset =
        TestEngine.dataset(name, layouts.toArray(Layout[]::new))
            .with(new Refresh(Duration.ofMillis(50), Duration.ofDays(1)));
    this.directory = directory;
    this.time = time;
    this.compacts = layouts.stream().anyMatch(one -> one.compaction().isPresent());
    this.cells = new CountedStore(cells);
    this.store = new FaultyStore(this.cells, seed);
    store.faults(keepsEventTimes() ? Faults.OFTEN.withoutLate() : Faults.OFTEN);
  }

  /**
   * Returns whether cell times are event times. Two cells of the same time then have no order, so a
   * write that arrives late would win.
   */
  private boolean keepsEventTimes() {
    return layouts.stream()
        .flatMap(layout -> layout.tables().stream())
        .map(TableSpec::families)
        .flatMap(List::stream)
        .map(FamilySpec::time)
        .anyMatch(use -> use == TimeUse.DATA);
  }

  /** Runs a number of operations. */
  public void run(int count) {
    for (int i = 0; i < count; i++) {
      step();
    }
  }

  private void step() {
    operations++;
    if (time.pass(random)) {
      store.settle();
    }
    if (random.nextInt(SILENT_ONE_IN) == 0) {
      inSilence();
    }
    int kind = random.nextInt(100);
    if (kind < 70) {
      write();
    } else if (kind < 80) {
      check(everything());
    } else if (kind < 98) {
      check(something());
    } else if (kind < 99 && compacts) {
      compact();
    } else {
      restart();
    }
    assertThat(store.openCursors())
        .as("cursors that nobody closed")
        .isLessThanOrEqualTo(CURSORS_BEHIND);
  }

  /**
   * Runs operations while the store does not answer: the outcomes of writes are unknown, and reads
   * fail.
   */
  private void inSilence() {
    Engine open = engine();
    store.fallSilent(CALL_TIMEOUT);
    try {
      for (int i = random.nextInt(3); i >= 0; i--) {
        if (random.nextInt(3) > 0) {
          write();
        } else {
          readInVain(open);
        }
      }
    } finally {
      store.speakAgain();
    }
  }

  /** Reads while the store is silent. An answer that needs no store must be correct. */
  private void readInVain(Engine open) {
    ReadRequest request = something();
    try {
      model.check(request, TestEngine.read(open.defaultDataset(), request));
    } catch (StoreException e) {
      assertThat(e.getMessage()).isNotBlank();
    }
  }

  private Engine engine() {
    Engine open = engine;
    if (open == null) {
      EngineConfig config =
          new EngineConfig(
              directory, EngineConfig.DEFAULT_MEMORY, List.of(dataset), dataset.name());
      open = again(() -> Engine.open(config, (kind, path, memory) -> store, time::micros));
      engine = open;
    }
    return open;
  }

  /** Retries until work succeeds; the store succeeds often enough. */
  private <T> T again(Supplier<T> work) {
    for (int attempt = 0; attempt < TRIES; attempt++) {
      try {
        return work.get();
      } catch (StoreException | WriteFailedException e) {
        assertThat(e.getMessage()).isNotBlank();
      }
    }
    return fail("failed %d times", TRIES);
  }

  /** Closes the engine; the next operation opens it. */
  private void restart() {
    engine().close();
    engine = null;
    assertThat(store.openCursors()).as("cursors that nobody closed").isZero();
  }

  private void compact() {
    again(() ->
        engine().defaultDataset().maintenance().compact(everything(), progress -> {}, () -> false));
  }

  private void write() {
    FaultModel.Samples samples = new FaultModel.Samples();
    BatchBuilder batch = new BatchBuilder();
    int size = 1 + random.nextInt(BATCH_MAX);
    for (int i = 0; i < size; i++) {
      GroupKey key = key();
      long at = instant(random.nextInt(INSTANTS));
      Value value = new Value.Real(++written + 0.5);
      batch.add(key, at, value);
      samples.add(key.field(Series.DEFAULT_FIELD), at, value);
    }
    model.note(samples, write(batch.build()));
  }

  private boolean write(Batch batch) {
    try {
      WriteResult result = engine().defaultDataset().write(batch);
      assertThat(result.refused()).as("%s", result.rejections()).isZero();
      acknowledged++;
      return true;
    } catch (WriteFailedException e) {
      failed++;
      return false;
    }
  }

  private GroupKey key() {
    return GroupKey.of(
        "m" + random.nextInt(2),
        Tags.of(
            "host", "h" + random.nextInt(SERIES / 2),
            "exchange", "x",
            "symbol", "s",
            "region", "r",
            "meter", "m"));
  }

  private long instant(int number) {
    return Resolution.SECONDS.convert(
        START_SECONDS + (long) INSTANT_SECONDS * number, layouts.getFirst().resolution());
  }

  private static ReadRequest everything() {
    return ReadRequest.of(
        new Selector(List.of(new TagFilter.Prefix(Series.NAME_LABEL, "m"))), TimeRange.ALL);
  }

  /** Returns a request for one metric, usually of one host, in some time range. */
  private ReadRequest something() {
    String metric = "m" + random.nextInt(2);
    TagFilter host = new TagFilter.Equal("host", "h" + random.nextInt(SERIES / 2));
    int from = random.nextInt(INSTANTS);
    TimeRange times =
        new TimeRange(instant(from), instant(from + 1 + random.nextInt(INSTANTS - from)));
    ReadRequest inTime =
        ReadRequest.of(
            random.nextInt(4) == 0 ? Selector.metric(metric) : Selector.metric(metric, host),
            times);
    return random.nextBoolean() ? inTime : inTime.with(ReadRequest.Order.SERIES_BY_SERIES);
  }

  private void check(ReadRequest request) {
    model.check(request, again(() -> TestEngine.read(engine().defaultDataset(), request)));
  }

  /**
   * Ends the story. Without faults everything is read, before and after a restart. Nothing may be
   * left over: no cursor, thread, marker or queued byte. The size of the home must match what was
   * written.
   */
  public void end() {
    store.faults(Faults.NONE);
    store.settle();
    check(everything());
    restart();
    Engine last = engine();
    check(everything());
    if (layouts.size() > 1) {
      time.leap();
    }
    assertThat(figure(last, "write_bytes_under_way")).isZero();
    await()
        .atMost(Duration.ofSeconds(20))
        .until(() -> figure(last, "write_markers{dataset=\"" + dataset.name() + "\"}") == 0);
    assertThat(figure(last, "catalog_series{dataset=\"" + dataset.name() + "\"}"))
        .isLessThanOrEqualTo(SERIES);
    assertThat(store.faultCount()).as("faults").isGreaterThan(operations / 50);
    assertThat(acknowledged).as("acknowledged, failed were %d", failed).isGreaterThan(failed);
    restart();
    assertThat(LiveThreads.named(dataset.name())).as("threads that nobody ended").isEmpty();
    homeIsSmall();
  }

  private void homeIsSmall() {
    String home = "." + dataset.name() + ".";
    assertThat(cells.cells(home + "markers")).as("markers").isZero();
    assertThat(cells.cells(home + "dataset")).as("dataset").isLessThan(CELLS_OF_A_DATASET);
    assertThat(cells.cells(home + "series")).as("series").isLessThan(SERIES * CELLS_OF_A_SERIES);
    assertThat(cells.cells(home + "changes")).as("changes").isLessThan(CELLS_OF_CHANGES);
  }

  /** Counts the cells that the story has left in a table. */
  public int cells(String table) {
    return cells.cells(table);
  }

  private static double figure(Engine engine, String name) {
    return Objects.requireNonNull(engine.figures().get(name));
  }

  @Override
  public void close() {
    if (engine != null) {
      engine.close();
      engine = null;
    }
  }
}
