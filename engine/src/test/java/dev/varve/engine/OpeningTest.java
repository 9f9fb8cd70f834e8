package dev.varve.engine;

import static dev.varve.engine.TestEngine.dataset;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.engine.config.DatasetConfig;
import dev.varve.engine.config.EngineConfig;
import dev.varve.engine.error.InvalidConfigException;
import dev.varve.engine.request.ReadRequest;
import dev.varve.layout.Layout;
import dev.varve.layout.registry.Layouts;
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
import dev.varve.store.Store;
import dev.varve.store.StoreException;
import dev.varve.store.Table;
import dev.varve.store.TableSpec;
import dev.varve.store.memory.MemoryStore;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Opening tables that record the parameters with which they were created. */
class OpeningTest {
  private static final GroupKey KEY = GroupKey.of("m", Tags.of("host", "a"));

  @TempDir Path directory;

  @Test
  void aNewKeyspaceOfKairosDbIsToldItsUnitOnce() {
    try (TestEngine engine = new TestEngine(kairosDb("seconds"))) {
      engine.put(KEY, 0, new Value.Int64(1));
      engine.restart();
      engine.put(KEY, 1000, new Value.Int64(2));

      ReadRequest all = ReadRequest.of(Selector.metric("m"), TimeRange.ALL);
      assertThat(engine.read(all).get(KEY.field("value"))).hasSize(2);
    }
  }

  @Test
  void aKeyspaceOfAnotherUnitIsNotOpened() {
    try (TestEngine engine = new TestEngine(kairosDb("milliseconds")).around(OpeningTest::legacy)) {
      assertThatThrownBy(engine::engine)
          .isInstanceOf(InvalidConfigException.class)
          .hasMessageContaining("dataset 'main', layout 'kairosdb'")
          .hasMessageContaining("unit should be legacy, but is milliseconds");
    }
  }

  /**
   * Threads start only after everything that can fail. Each store call of an open fails in turn.
   */
  @Test
  void anOpeningThatFailsLeavesNoThreadBehind() {
    DatasetConfig dataset =
        dataset("half-open", Layouts.all("companion", Map.of()).toArray(Layout[]::new));
    EngineConfig config =
        new EngineConfig(directory, EngineConfig.DEFAULT_MEMORY, List.of(dataset), "half-open");
    try (Store cells = new MemoryStore()) {
      open(config, new FailingOnce(cells, 0)).close();
      int failing = 0;
      boolean isOpen = false;
      while (!isOpen) {
        failing++;
        FailingOnce store = new FailingOnce(cells, failing);
        try (Engine engine = open(config, store)) {
          isOpen = engine.datasets().size() == 1;
        } catch (StoreException e) {
          assertThat(e).hasMessage("no answer");
        }
        assertThat(LiveThreads.named("half-open")).as("after call %d failed", failing).isEmpty();
      }
      assertThat(failing).as("calls of an opening").isGreaterThan(5);
    }
  }

  private static Engine open(EngineConfig config, Store store) {
    return Engine.open(config, (kind, path, memory) -> store, () -> TestEngine.START_MICROS);
  }

  /** A shared store on which the read with a given number fails. */
  private static final class FailingOnce extends StoreAround {
    private final AtomicInteger left;

    private FailingOnce(Store store, int failing) {
      super(store);
      this.left = new AtomicInteger(failing);
    }

    @Override
    public boolean isEmbedded() {
      return false;
    }

    @Override
    public Table open(TableSpec spec, OpenMode mode) {
      return new TableAround(super.open(spec, mode)) {
        @Override
        public CellCursor read(ReadPlan plan, @Nullable ResumeToken resume) {
          if (left.getAndDecrement() == 1) {
            throw new StoreException("no answer");
          }
          return super.read(plan, resume);
        }
      };
    }
  }

  /** Writes what KairosDB before 1.3 leaves: a metric and an empty spec table. */
  private static Store legacy(Store store) {
    TableSpec spec =
        Layouts.of("kairosdb", Map.of()).tables().stream()
            .filter(table -> table.name().equals("string_index"))
            .findFirst()
            .orElseThrow();
    TableSpec named =
        new TableSpec("main.string_index", spec.families(), spec.timeUnit(), spec.partitioning());
    try (Table table = store.open(named, Store.OpenMode.CREATE_IF_ABSENT)) {
      MutationBatch batch = new MutationBatch();
      batch.put(Bytes.utf8("metric_names"), 0, Bytes.utf8("m"), 1, Bytes.fromHex("00"));
      table.apply(batch, Durability.SYNCED);
    }
    return store;
  }

  private static DatasetConfig kairosDb(String unit) {
    return dataset("main", Layouts.of("kairosdb", Map.of("unit", unit)));
  }
}
