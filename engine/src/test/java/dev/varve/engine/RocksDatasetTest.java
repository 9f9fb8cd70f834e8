package dev.varve.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.engine.config.DatasetConfig;
import dev.varve.engine.config.DatasetConfig.StoreConfig;
import dev.varve.engine.config.EngineConfig;
import dev.varve.engine.error.InvalidConfigException;
import dev.varve.engine.request.ReadRequest;
import dev.varve.layout.registry.Layouts;
import dev.varve.model.Batch;
import dev.varve.model.BatchBuilder;
import dev.varve.model.GroupKey;
import dev.varve.model.Selector;
import dev.varve.model.Series;
import dev.varve.model.Tags;
import dev.varve.model.TimeRange;
import dev.varve.model.Value;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Datasets on disk, which survive restarts. */
class RocksDatasetTest {
  private static final ReadRequest ALL = ReadRequest.of(Selector.metric("m"), TimeRange.ALL);

  @TempDir Path directory;

  private Engine open(DatasetConfig... datasets) {
    return Engine.open(
        new EngineConfig(directory, 32L << 20, List.of(datasets), datasets[0].name()));
  }

  private static DatasetConfig dataset(String name, String layout, Map<String, String> options) {
    DatasetConfig plain = DatasetConfig.of(name, Layouts.of(layout, Map.of()));
    return new DatasetConfig(
        name,
        new StoreConfig("rocksdb", options),
        plain.periods(),
        null,
        plain.duplicates(),
        plain.resources(),
        false);
  }

  @ParameterizedTest
  @ValueSource(strings = {"buckets", "heroic", "kairosdb", "opentsdb", "tall-narrow"})
  void isThereAgainAfterARestart(String layout) {
    Random random = new Random(5);
    Model model = new Model();
    DatasetConfig config = dataset("main", layout, Map.of());
    for (int life = 0; life < 3; life++) {
      try (Engine engine = open(config)) {
        assertThat(TestEngine.read(engine.defaultDataset(), ALL)).isEqualTo(model.all());
        Batch batch = batch(random, 200);
        assertThat(engine.defaultDataset().write(batch).refused()).isZero();
        model.write(batch);
      }
    }
    try (Engine engine = open(config)) {
      assertThat(TestEngine.read(engine.defaultDataset(), ALL)).isEqualTo(model.all());
      assertThat(engine.figures()).containsKey("store_memtable_bytes{store=\"rocksdb\"}");
    }
  }

  @Test
  void givesADatasetWithOtherOptionsAStoreOfItsOwnAndFindsItThere() {
    DatasetConfig one = dataset("one", "buckets", Map.of());
    DatasetConfig two = dataset("two", "buckets", Map.of("compression", "zstd"));
    try (Engine engine = open(one, two)) {
      engine.dataset("two").write(batch(new Random(1), 10));
    }
    assertThat(directory.resolve("rocksdb")).isDirectory();
    assertThat(directory.resolve("rocksdb-two")).isDirectory();

    try (Engine engine = open(one, dataset("two", "buckets", Map.of()))) {
      assertThat(TestEngine.read(engine.dataset("two"), ALL)).isNotEmpty();
    }
    DatasetConfig odd = dataset("one", "buckets", Map.of("compression", "none"));
    assertThatThrownBy(() -> open(dataset("other", "buckets", Map.of()), odd))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("dataset 'one' shares a store with other datasets")
        .hasMessageEndingWith("the same compression");
  }

  /**
   * Many small concurrent writers: everything is stored exactly once, and reads continue meanwhile.
   */
  @Test
  void takesManyWritersAtOnce() throws Exception {
    int writers = 16;
    int rounds = 40;
    try (Engine engine = open(dataset("main", "buckets", Map.of()));
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Dataset dataset = engine.defaultDataset();
      CountDownLatch start = new CountDownLatch(1);
      List<Future<?>> done = new ArrayList<>();
      for (int writer = 0; writer < writers; writer++) {
        GroupKey own = GroupKey.of("m", Tags.of("writer", "w" + writer));
        GroupKey shared = GroupKey.of("m", Tags.of("writer", "all"));
        int number = writer;
        done.add(
            threads.submit(() -> {
              start.await();
              for (int round = 0; round < rounds; round++) {
                BatchBuilder batch = new BatchBuilder();
                batch.add(own, round, new Value.Real(round));
                batch.add(shared, 1000L * number + round, new Value.Int64(number));
                assertThat(dataset.write(batch.build()).accepted()).isEqualTo(2);
                assertThat(TestEngine.read(dataset, ALL).get(own.field("value")))
                    .hasSize(round + 1);
              }
              return number;
            }));
      }
      start.countDown();
      for (Future<?> future : done) {
        future.get();
      }

      Map<Series, List<TestEngine.Sample>> read = TestEngine.read(dataset, ALL);
      assertThat(read).hasSize(writers + 1);
      assertThat(read.get(GroupKey.of("m", Tags.of("writer", "all")).field("value")))
          .hasSize(writers * rounds);
    }
  }

  private static Batch batch(Random random, int samples) {
    BatchBuilder batch = new BatchBuilder();
    for (int i = 0; i < samples; i++) {
      GroupKey key = GroupKey.of("m", Tags.of("host", "h" + random.nextInt(5)));
      long time = 1_699_999_200_000L + 600_000L * random.nextInt(1000);
      batch.add(key, time, new Value.Real(random.nextInt(100)));
    }
    return batch.build();
  }
}
