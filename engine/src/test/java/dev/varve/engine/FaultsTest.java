package dev.varve.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;
import static org.awaitility.Awaitility.await;

import dev.varve.engine.DatasetConfig.Refresh;
import dev.varve.engine.TestEngine.Sample;
import dev.varve.layout.Layout;
import dev.varve.layout.Layouts;
import dev.varve.model.Batch;
import dev.varve.model.BatchBuilder;
import dev.varve.model.GroupKey;
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
import dev.varve.store.memory.MemoryStore;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * On a store that is slow, throttles, answers in part, loses answers and connections, a dataset
 * acknowledges nothing that is not there, and of two samples of an instant gives the later.
 *
 * <p>{@code -Dvarve.faults.operations=100000} makes it long, {@code -Dvarve.faults.seed=N} another.
 */
class FaultsTest {
  private static final int OPERATIONS = Integer.getInteger("varve.faults.operations", 200);
  private static final long SEED = Long.getLong("varve.faults.seed", 3);
  private static final long START_SECONDS = 1_700_000_000;
  private static final int SERIES = 6;
  private static final int INSTANTS = 40;
  private static final int TRIES = 200;

  @TempDir Path directory;

  static Stream<String> layouts() {
    return Layouts.list().stream().map(Layouts.Entry::name);
  }

  @ParameterizedTest
  @MethodSource("layouts")
  void acknowledgesNothingThatIsNotThere(String layout) {
    try (Store cells = new MemoryStore();
        Life life = new Life(layout, cells)) {
      for (int operation = 0; operation < OPERATIONS; operation++) {
        life.step();
      }
      life.end();
    } catch (RuntimeException | AssertionError e) {
      throw new AssertionError("seed " + SEED + ", layout " + layout + ": " + e.getMessage(), e);
    }
  }

  /** What may be read of one series and instant. */
  private static final class Allowed {
    private @Nullable Value acknowledged;

    /** Values of later writes that nobody knows the end of. */
    private final Set<Value> maybe = new HashSet<>();
  }

  private final class Life implements AutoCloseable {
    private final Random random = new Random(SEED);
    private final Set<Thread> before = Thread.getAllStackTraces().keySet();
    private final AtomicLong micros = new AtomicLong(TestEngine.START_MICROS);
    private final List<Layout> layouts;
    private final DatasetConfig dataset;
    private final FaultyStore store;
    private final Faults faults;
    private final Map<Series, Map<Long, Allowed>> model = new HashMap<>();
    private @Nullable Engine engine;
    private int written;
    private int failed;
    private int acknowledged;

    private Life(String layout, Store cells) {
      this.layouts = Layouts.all(layout, Map.of());
      this.dataset =
          TestEngine.dataset("main", layouts.toArray(Layout[]::new))
              .with(new Refresh(Duration.ofMillis(200), Duration.ofDays(1)));
      this.store = new FaultyStore(cells, SEED);
      this.faults = keepsEventTimes() ? Faults.OFTEN.withoutLate() : Faults.OFTEN;
      store.faults(faults);
    }

    /** Of two cells of one event's time none is the later: what arrives late would stand. */
    private boolean keepsEventTimes() {
      return layouts.stream()
          .flatMap(layout -> layout.tables().stream())
          .map(TableSpec::families)
          .flatMap(List::stream)
          .map(FamilySpec::time)
          .anyMatch(time -> time == TimeUse.DATA);
    }

    private Engine engine() {
      Engine open = engine;
      if (open == null) {
        EngineConfig config =
            new EngineConfig(directory, EngineConfig.DEFAULT_MEMORY, List.of(dataset), "main");
        open = again(() -> Engine.open(config, (kind, path, memory) -> store, micros::get));
        engine = open;
      }
      return open;
    }

    /** Tries until it does not fail; the store does well often enough. */
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

    private void step() {
      micros.addAndGet(1 + random.nextInt(20_000));
      int kind = random.nextInt(100);
      if (kind < 70) {
        write();
      } else if (kind < 98) {
        read(again(() -> TestEngine.read(engine().defaultDataset(), everything())));
      } else {
        restart();
      }
      assertThat(store.openCursors()).as("cursors that nobody closed").isLessThan(8);
    }

    private void restart() {
      engine().close();
      engine = null;
      assertThat(store.openCursors()).as("cursors that nobody closed").isZero();
    }

    private void write() {
      Map<Series, Map<Long, List<Value>>> samples = new HashMap<>();
      BatchBuilder batch = new BatchBuilder();
      int size = 1 + random.nextInt(8);
      for (int i = 0; i < size; i++) {
        GroupKey key = key();
        long time =
            dev.varve.model.Resolution.SECONDS.convert(
                START_SECONDS + 3700L * random.nextInt(INSTANTS), layouts.getFirst().resolution());
        Value value = new Value.Real(++written + 0.5);
        batch.add(key, time, value);
        samples
            .computeIfAbsent(key.field(Series.DEFAULT_FIELD), s -> new HashMap<>())
            .computeIfAbsent(time, t -> new ArrayList<>())
            .add(value);
      }
      boolean done = write(batch.build());
      samples.forEach(
          (series, times) -> times.forEach((time, values) -> note(series, time, values, done)));
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

    /** Of a batch that failed in part any value may stand, of one that did not the last does. */
    private void note(Series series, long time, List<Value> values, boolean done) {
      Allowed allowed =
          model
              .computeIfAbsent(series, s -> new HashMap<>())
              .computeIfAbsent(time, t -> new Allowed());
      if (done) {
        allowed.acknowledged = values.getLast();
        allowed.maybe.clear();
      } else {
        allowed.maybe.addAll(values);
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

    private static ReadRequest everything() {
      return ReadRequest.of(
          new Selector(List.of(new TagFilter.Prefix(Series.NAME_LABEL, "m"))), TimeRange.ALL);
    }

    private void read(Map<Series, List<Sample>> found) {
      Map<Series, Map<Long, Value>> byTime = new HashMap<>();
      found.forEach((series, samples) -> {
        Map<Long, Value> times = byTime.computeIfAbsent(series, s -> new HashMap<>());
        long last = Long.MIN_VALUE;
        for (Sample sample : samples) {
          assertThat(sample.time()).as("order of times").isGreaterThan(last);
          last = sample.time();
          times.put(sample.time(), sample.value());
        }
      });
      model.forEach((series, times) ->
          times.forEach((time, allowed) -> {
            Value value = byTime.getOrDefault(series, Map.of()).get(time);
            if (value == null) {
              assertThat(allowed.acknowledged).as("%s at %d is missing", series, time).isNull();
            } else if (!value.equals(allowed.acknowledged)) {
              assertThat(allowed.maybe).as("%s at %d", series, time).contains(value);
            }
          }));
      byTime.forEach((series, times) ->
          assertThat(model.getOrDefault(series, Map.of()).keySet()).containsAll(times.keySet()));
    }

    /** With the store well again everything is read, and nothing is left over. */
    private void end() {
      store.faults(Faults.NONE);
      store.settle();
      read(TestEngine.read(engine().defaultDataset(), everything()));
      restart();
      Engine last = engine();
      read(TestEngine.read(last.defaultDataset(), everything()));
      assertThat(figure(last, "write_bytes_under_way")).isZero();
      await()
          .atMost(Duration.ofSeconds(20))
          .until(() -> figure(last, "write_markers{dataset=\"main\"}") == 0);
      assertThat(figure(last, "catalog_series{dataset=\"main\"}")).isLessThanOrEqualTo(SERIES);
      assertThat(store.faultCount()).as("faults").isGreaterThan(OPERATIONS / 50);
      assertThat(acknowledged).as("acknowledged, failed were %d", failed).isGreaterThan(failed);
      restart();
      List<String> left = new ArrayList<>();
      for (Thread thread : Thread.getAllStackTraces().keySet()) {
        // Those of the scheduler of virtual threads, and of the wait above, end when they like.
        boolean ofOthers = thread.getName().matches("(ForkJoinPool|VirtualThread|awaitility).*");
        if (!before.contains(thread) && !ofOthers) {
          left.add(thread.getName());
        }
      }
      assertThat(left).as("threads that nobody ended").isEmpty();
    }

    private static double figure(Engine engine, String name) {
      return Objects.requireNonNull(engine.figures().get(name));
    }

    @Override
    public void close() {
      if (engine != null) {
        engine.close();
      }
    }
  }
}
