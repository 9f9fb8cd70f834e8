package dev.varve.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.engine.config.DatasetConfig;
import dev.varve.engine.config.DatasetConfig.Access;
import dev.varve.engine.config.DatasetConfig.Attached;
import dev.varve.engine.config.EngineConfig;
import dev.varve.engine.request.WriteResult;
import dev.varve.model.Batch;
import dev.varve.model.BatchBuilder;
import dev.varve.model.Bytes;
import dev.varve.model.GroupKey;
import dev.varve.model.Tags;
import dev.varve.model.Value;
import dev.varve.store.Store;
import dev.varve.store.Table;
import dev.varve.store.TableSpec;
import dev.varve.store.Upkeep;
import dev.varve.store.memory.MemoryStore;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The upkeep that stores receive for the tables created in them. */
class UpkeepTest {
  private static final long DAY = 24 * 3_600_000L;
  private static final long NOW = TestEngine.START_MICROS / 1000;
  private static final Duration MONTH = Duration.ofDays(30);

  @TempDir Path directory;

  private final Map<String, Upkeep> told = new TreeMap<>();

  private final class Listening extends StoreAround {
    private final boolean embedded;

    private Listening(Store store, boolean embedded) {
      super(store);
      this.embedded = embedded;
    }

    @Override
    public boolean isEmbedded() {
      return embedded;
    }

    @Override
    public Table open(TableSpec spec, OpenMode mode) {
      told.put(spec.name(), spec.upkeep());
      return super.open(spec, mode);
    }
  }

  private static DatasetConfig dataset(String layout) {
    return TestEngine.withRetention(TestEngine.dataset("main", TestEngine.layout(layout)), MONTH);
  }

  private WriteResult write(String layout, boolean embedded, Batch batch) {
    return write(new MemoryStore(), dataset(layout), embedded, batch);
  }

  private WriteResult write(Store cells, DatasetConfig dataset, boolean embedded, Batch batch) {
    EngineConfig config =
        new EngineConfig(directory, EngineConfig.DEFAULT_MEMORY, List.of(dataset), "main");
    try (cells;
        Engine engine =
            Engine.open(
                config,
                (kind, path, memory) -> new Listening(cells, embedded),
                () -> TestEngine.START_MICROS)) {
      return engine.defaultDataset().write(batch);
    }
  }

  private static Batch at(long... times) {
    BatchBuilder batch = new BatchBuilder();
    for (long time : times) {
      batch.add(GroupKey.of("m", Tags.of("host", "a")), time, new Value.Real(1));
    }
    return batch.build();
  }

  @Test
  void samplesExpireLaterThanTheyAreKeptAndNothingElseDoes() {
    write("kairosdb", false, at(NOW));

    assertThat(told.get("main.data_points"))
        .isEqualTo(new Upkeep(MONTH.plusDays(2), Duration.ofDays(21), List.of()));
    told.remove("main.data_points");
    assertThat(told.remove(".main.changes")).isNotNull();
    assertThat(told.values()).containsOnly(Upkeep.NONE);
  }

  @Test
  void samplesInTablesOfOthersExpireToo() {
    Store cells = new MemoryStore();
    TestEngine.layout("kairosdb")
        .tables()
        .forEach(spec -> cells.open(spec, Store.OpenMode.CREATE_IF_ABSENT).close());
    write(cells, dataset("kairosdb").with(Attached.of(Access.CO_WRITE)), false, at(NOW));

    assertThat(Objects.requireNonNull(told.remove("data_points")).retention())
        .isEqualTo(MONTH.plusDays(2));
    assertThat(told.remove(".main.changes")).isNotNull();
    assertThat(told.values()).containsOnly(Upkeep.NONE);
  }

  @Test
  void tablesWithoutATimeNeverExpire() {
    write("heroic", false, at(NOW));

    assertThat(told.get("main.metrics"))
        .isEqualTo(new Upkeep(null, Duration.ofMillis(1L << 32), List.of()));
  }

  @Test
  void aSaltSplitsTheTableFromTheStart() {
    write("salted", false, at(NOW));

    List<Bytes> splits = Objects.requireNonNull(told.get("main.salted")).splits();
    assertThat(splits).isSorted().hasSizeBetween(1, 63).doesNotHaveDuplicates();
  }

  @Test
  void samplesThatTheStoreWouldRemoveTooEarlyAreRefused() {
    assertThat(write("kairosdb", false, at(NOW - 29 * DAY, NOW + DAY - 1)).refused()).isZero();
    WriteResult result = write("kairosdb", false, at(NOW, NOW + DAY));

    assertThat(result.accepted()).isEqualTo(1);
    assertThat(result.rejections().getFirst().refusal().rule()).isEqualTo("retention.ahead");
    assertThat(write("kairosdb", true, at(NOW + 400 * DAY)).refused()).isZero();
    assertThat(Objects.requireNonNull(told.get("main.data_points")).retention()).isNull();
  }
}
