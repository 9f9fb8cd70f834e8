package dev.varve.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.engine.config.DatasetConfig;
import dev.varve.engine.config.EngineConfig;
import dev.varve.layout.Layout;
import dev.varve.model.Batch;
import dev.varve.model.BatchBuilder;
import dev.varve.model.GroupKey;
import dev.varve.model.Tags;
import dev.varve.model.Value;
import dev.varve.store.Durability;
import dev.varve.store.MutationBatch;
import dev.varve.store.Power;
import dev.varve.store.RowOutcome;
import dev.varve.store.Store;
import dev.varve.store.Table;
import dev.varve.store.TableSpec;
import dev.varve.store.memory.MemoryStore;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Samples that expire: which cells are written with a lifetime, and which datasets support it. */
class LifetimeTest {
  private static final Duration LIFETIME = Duration.ofHours(1);

  @TempDir Path directory;

  /** Tables and lifetimes of the batches written with expiry. */
  private final List<String> told = new ArrayList<>();

  /** A store that records lifetimes of cells but does not expire them. */
  private final class Ending extends StoreAround {
    private Ending(Store store) {
      super(store);
    }

    @Override
    public Table open(TableSpec spec, OpenMode mode) {
      return new EndingTable(super.open(spec, mode));
    }
  }

  private final class EndingTable extends TableAround implements Power.Expiry {
    private EndingTable(Table table) {
      super(table);
    }

    @Override
    public List<RowOutcome> apply(MutationBatch batch, Durability durability, Duration lifetime) {
      told.add("%s of %s".formatted(lifetime, spec().name()));
      return apply(batch, durability);
    }

    @Override
    public <P extends Power> Optional<P> power(Class<P> power) {
      return power == Power.Expiry.class ? Optional.of(power.cast(this)) : super.power(power);
    }
  }

  private Engine open(Store store, String... layouts) {
    DatasetConfig dataset =
        TestEngine.dataset(
            "main", Arrays.stream(layouts).map(TestEngine::layout).toArray(Layout[]::new));
    return Engine.open(
        new EngineConfig(directory, EngineConfig.DEFAULT_MEMORY, List.of(dataset), "main"),
        (kind, path, memory) -> store,
        () -> TestEngine.START_MICROS);
  }

  private static Batch batch() {
    return new BatchBuilder()
        .add(
            GroupKey.of("m", Tags.of("host", "a")),
            TestEngine.START_MICROS / 1000,
            new Value.Real(1))
        .build();
  }

  @Test
  void reachesTheSamplesAndNotWhatListsThem() {
    try (Store cells = new MemoryStore();
        Engine engine = open(new Ending(cells), "kairosdb")) {
      Dataset dataset = engine.defaultDataset();
      assertThat(dataset.endsSamples()).isTrue();
      assertThat(dataset.write(batch(), LIFETIME).accepted()).isOne();
      assertThat(told).containsExactly("PT1H of main.data_points");

      assertThat(dataset.write(batch()).accepted()).isOne();
      assertThat(told).hasSize(1);
    }
  }

  @Test
  void isGivenByNoStoreThatKeepsWhatItHas() {
    try (Store cells = new MemoryStore();
        Engine engine = open(new StoreAround(cells), "kairosdb")) {
      assertThat(engine.defaultDataset().endsSamples()).isFalse();
    }
  }

  @Test
  void isNotGivenWhereCompanionsAreRepairedFromCells() {
    try (Store cells = new MemoryStore();
        Engine engine = open(new Ending(cells), "buckets", "heroic")) {
      assertThat(engine.defaultDataset().endsSamples()).isFalse();
    }
  }
}
