package dev.varve.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.engine.config.EngineConfig;
import dev.varve.engine.request.ReadGuard;
import dev.varve.layout.registry.Layouts;
import dev.varve.model.MetricMetadata;
import dev.varve.store.Durability;
import dev.varve.store.MutationBatch;
import dev.varve.store.RowOutcome;
import dev.varve.store.Store;
import dev.varve.store.Table;
import dev.varve.store.TableSpec;
import dev.varve.store.memory.MemoryStore;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Metadata of metrics is stored in the home, for all servers on the store. */
class MetadataTest {
  private static final MetricMetadata UP = new MetricMetadata("up", "gauge", "", "Is it up?");
  private static final MetricMetadata REQUESTS =
      new MetricMetadata("requests", "counter", "requests", "Requests.");

  @TempDir Path directory;
  private final MemoryStore cells = new MemoryStore();
  private final AtomicInteger writes = new AtomicInteger();

  @AfterEach
  void close() {
    cells.close();
  }

  /** A store that outlives its engines and counts writes of metadata. */
  private final class Shared extends StoreAround {
    private Shared() {
      super(cells);
    }

    @Override
    public boolean isEmbedded() {
      return false;
    }

    @Override
    public Table open(TableSpec spec, Store.OpenMode mode) {
      Table table = super.open(spec, mode);
      return spec.name().equals(".main.attributes") ? new Counting(table) : table;
    }
  }

  private final class Counting extends TableAround {
    private Counting(Table table) {
      super(table);
    }

    @Override
    public List<RowOutcome> apply(MutationBatch batch, Durability durability) {
      writes.incrementAndGet();
      return super.apply(batch, durability);
    }
  }

  private Engine open(String server) {
    return Engine.open(
        new EngineConfig(
            directory.resolve(server),
            EngineConfig.DEFAULT_MEMORY,
            List.of(TestEngine.dataset("main", Layouts.of("buckets", Map.of()))),
            "main"),
        (kind, path, memory) -> new Shared(),
        () -> TestEngine.START_MICROS);
  }

  @Test
  void isThereAfterARestartAndForOtherServers() {
    try (Engine first = open("a");
        Engine second = open("b")) {
      first.defaultDataset().catalog().describe(List.of(UP, REQUESTS));
      assertThat(second.defaultDataset().catalog().metadata(null, 10, ReadGuard.NONE))
          .containsExactly(REQUESTS, UP);
      assertThat(second.defaultDataset().catalog().metadata("up", 10, ReadGuard.NONE))
          .containsExactly(UP);
      assertThat(second.defaultDataset().catalog().metadata("other", 10, ReadGuard.NONE)).isEmpty();
      assertThat(second.defaultDataset().catalog().metadata(null, 1, ReadGuard.NONE))
          .containsExactly(REQUESTS);
      assertThat(second.defaultDataset().catalog().metadata(null, 0, ReadGuard.NONE)).isEmpty();
    }
    try (Engine again = open("a")) {
      assertThat(again.defaultDataset().catalog().metadata(null, 10, ReadGuard.NONE))
          .containsExactly(REQUESTS, UP);
    }
  }

  @Test
  void writesOnlyWhatChanged() {
    try (Engine engine = open("a")) {
      Dataset dataset = engine.defaultDataset();
      dataset.catalog().describe(List.of(UP, REQUESTS));
      dataset.catalog().describe(List.of(UP));
      dataset.catalog().describe(List.of(REQUESTS, UP));
      dataset.catalog().describe(List.of(new MetricMetadata("up", MetricMetadata.UNKNOWN, "", "")));
      assertThat(writes).hasValue(1);
      dataset.catalog().describe(List.of(new MetricMetadata("up", "counter", "", "")));
      assertThat(writes).hasValue(2);
      assertThat(dataset.catalog().metadata("up", 1, ReadGuard.NONE))
          .containsExactly(new MetricMetadata("up", "counter", "", "Is it up?"));
    }
  }

  @Test
  void cutsLongTextsAndPassesOverNamesThatAreNone() {
    try (Engine engine = open("a")) {
      Dataset dataset = engine.defaultDataset();
      dataset
          .catalog()
          .describe(
              List.of(
                  new MetricMetadata("", "gauge", "", ""),
                  new MetricMetadata("n".repeat(2_000), "gauge", "", ""),
                  new MetricMetadata("long", "gauge", "", "x".repeat(4_095) + "\ud83d\ude00")));
      assertThat(dataset.catalog().metadata(null, 10, ReadGuard.NONE))
          .containsExactly(new MetricMetadata("long", "gauge", "", "x".repeat(4_095)));
    }
  }
}
