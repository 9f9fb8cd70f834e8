package dev.varve.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.varve.engine.TestEngine.Sample;
import dev.varve.engine.config.DatasetConfig;
import dev.varve.engine.config.EngineConfig;
import dev.varve.engine.error.OverloadedException;
import dev.varve.engine.request.ReadRequest;
import dev.varve.engine.request.WriteResult;
import dev.varve.layout.Layout;
import dev.varve.layout.registry.Layouts;
import dev.varve.model.BatchBuilder;
import dev.varve.model.GroupKey;
import dev.varve.model.Selector;
import dev.varve.model.Series;
import dev.varve.model.Tags;
import dev.varve.model.TimeRange;
import dev.varve.model.Value;
import dev.varve.store.Store;
import dev.varve.store.contract.FaultyStore;
import dev.varve.store.memory.MemoryStore;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * While a store does not answer, the engine holds no more memory than documented and refuses
 * writes. Once the store answers again, the engine recovers by itself.
 */
class SilentStoreTest {
  private static final String DATASET = "silent";
  private static final int WRITERS = 24;
  private static final int TEXT = 480_000;

  /** Bytes that an engine with minimum memory admits. */
  private static final double ADMITTED = 16 << 20;

  private static final Duration FOREVER = Duration.ofHours(1);

  @TempDir Path directory;

  @ParameterizedTest
  @ValueSource(strings = {"buckets", "companion"})
  void refusesWritersWhileNothingIsAnsweredAndGoesOnAfterwards(String layout) throws Exception {
    try (Store cells = new MemoryStore()) {
      FaultyStore store = new FaultyStore(cells, 1);
      try (Engine engine = open(layout, store);
          ExecutorService writers = Executors.newVirtualThreadPerTaskExecutor()) {
        put(engine, "before");
        store.fallSilent(FOREVER);
        AtomicInteger refused = new AtomicInteger();
        Queue<Integer> acknowledged = new ConcurrentLinkedQueue<>();
        List<Future<?>> all = new ArrayList<>();
        for (int writer = 0; writer < WRITERS; writer++) {
          int number = writer;
          all.add(
              writers.submit(() -> {
                try {
                  put(engine, "h" + number, "x".repeat(TEXT));
                  acknowledged.add(number);
                } catch (OverloadedException e) {
                  assertThat(e).hasMessageContaining("bytes of writes are under way");
                  refused.incrementAndGet();
                }
              }));
        }
        try {
          await()
              .atMost(Duration.ofSeconds(30))
              .until(() -> refused.get() + inside(engine) == WRITERS);
          assertThat(refused).as("writers that were refused").hasPositiveValue();
          assertThat(acknowledged).isEmpty();
          assertThat(figure(engine, "write_bytes_under_way"))
              .as("bytes under way")
              .isGreaterThan(0)
              .isLessThanOrEqualTo(ADMITTED);
        } finally {
          store.speakAgain();
        }
        waitFor(all);
        assertThat(acknowledged).hasSize(WRITERS - refused.get());
        assertThat(figure(engine, "write_bytes_under_way")).isZero();
        put(engine, "after");
        Map<Series, List<Sample>> read =
            TestEngine.read(
                engine.defaultDataset(), ReadRequest.of(Selector.metric("m"), TimeRange.ALL));
        acknowledged.forEach(number ->
            assertThat(read.get(key("h" + number).field(Series.DEFAULT_FIELD))).hasSize(1));
        assertThat(store.unansweredCalls()).isZero();
      }
      assertThat(store.openCursors()).isZero();
      assertThat(LiveThreads.named(DATASET)).isEmpty();
    }
  }

  /** Returns the number of writers that wait for the store. All have the same size. */
  private static int inside(Engine engine) {
    double each = Math.ceil((248 + 2.0 * TEXT) / 1024) * 1024;
    return (int) Math.round(figure(engine, "write_bytes_under_way") / each);
  }

  private static void waitFor(List<Future<?>> all) throws InterruptedException {
    for (Future<?> one : all) {
      try {
        one.get();
      } catch (ExecutionException e) {
        throw new AssertionError("a writer failed", e.getCause());
      }
    }
  }

  private Engine open(String layout, Store store) {
    DatasetConfig dataset =
        TestEngine.dataset(DATASET, Layouts.all(layout, Map.of()).toArray(Layout[]::new));
    EngineConfig config = new EngineConfig(directory, 0, List.of(dataset), DATASET);
    return Engine.open(
        config, (kind, path, memory) -> store, () -> System.currentTimeMillis() * 1000);
  }

  private static void put(Engine engine, String host) {
    put(engine, host, "short");
  }

  private static void put(Engine engine, String host, String text) {
    WriteResult result =
        engine
            .defaultDataset()
            .write(
                new BatchBuilder()
                    .add(key(host), 1_700_000_000_000L, new Value.Text(text))
                    .build());
    assertThat(result.accepted()).isEqualTo(1);
  }

  private static GroupKey key(String host) {
    return GroupKey.of("m", Tags.of("host", host));
  }

  private static double figure(Engine engine, String name) {
    return Objects.requireNonNull(engine.figures().get(name));
  }
}
