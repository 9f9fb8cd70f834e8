package dev.varve.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.engine.config.DatasetConfig;
import dev.varve.engine.config.EngineConfig;
import dev.varve.engine.home.AttributeTable;
import dev.varve.engine.home.Home;
import dev.varve.engine.home.HomeExport;
import dev.varve.engine.home.ServerId;
import dev.varve.engine.request.ReadGuard;
import dev.varve.model.BatchBuilder;
import dev.varve.model.GroupKey;
import dev.varve.model.MetricMetadata;
import dev.varve.model.Selector;
import dev.varve.model.Tags;
import dev.varve.store.MutationBatch;
import dev.varve.store.Store;
import dev.varve.store.StoreException;
import dev.varve.store.memory.MemoryStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The export of a home; TwoServersIT has it on a real store. */
class HomeExportTest {
  private static final MetricMetadata SAID = new MetricMetadata("cpu", "gauge", "", "What it is.");
  private static final ServerId SERVER = new ServerId(7);

  @TempDir Path directory;
  private Path file;

  private Engine engine(Store store) {
    DatasetConfig config = TestEngine.dataset("main", TestEngine.layout("buckets"));
    return Engine.open(
        new EngineConfig(directory.resolve("data"), 32L << 20, List.of(config), "main"),
        (name, path, memory) -> store,
        () -> TestEngine.START_MICROS);
  }

  @BeforeEach
  void export() throws IOException {
    file = directory.resolve("main.home");
    try (Engine engine = engine(new MemoryStore())) {
      Dataset dataset = engine.defaultDataset();
      BatchBuilder batch = new BatchBuilder();
      batch.group(GroupKey.of("cpu", Tags.of("host", "a"))).add("value", 1, 1.0);
      assertThat(dataset.write(batch.build()).refused()).isZero();
      dataset.catalog().describe(List.of(SAID));
      HomeExport.write(dataset.parts().open().home(), "main", file);
    }
  }

  @Test
  void aRestoredHomeHasSeriesAndMetadata() throws IOException {
    MemoryStore store = new MemoryStore();
    assertThat(HomeExport.restore(store, "main", SERVER, file)).isGreaterThan(5);
    assertThatThrownBy(() -> HomeExport.restore(store, "main", SERVER, file))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("has a home of dataset 'main', which is not overwritten");
    try (Engine engine = engine(store)) {
      Dataset dataset = engine.defaultDataset();
      assertThat(dataset.catalog().metadata(null, 9, ReadGuard.NONE)).containsExactly(SAID);
      assertThat(
              dataset
                  .catalog()
                  .find(List.of(Selector.metric("cpu")), null, ReadGuard.NONE)
                  .stream())
          .hasSize(1);
    }
  }

  @Test
  void writesNothingOfAFileThatIsDamagedNewerOrOfAnotherDataset() throws IOException {
    byte[] whole = Files.readAllBytes(file);
    for (int length = 0; length < whole.length; length += 37) {
      Files.write(file, Arrays.copyOf(whole, length));
      assertRefused("main", "");
    }
    Files.write(file, Arrays.copyOf(whole, whole.length + 1));
    assertRefused("main", "goes on after its end");
    byte[] newer = whole.clone();
    newer["varve home".length() + 2]++;
    Files.write(file, newer);
    assertRefused("main", "has form 2, and this version of Varve reads 1");
    Files.write(file, whole);
    assertRefused("other", "is the home of dataset 'main', not 'other'");
  }

  private void assertRefused(String dataset, String reason) {
    try (MemoryStore store = new MemoryStore()) {
      assertThatThrownBy(() -> HomeExport.restore(store, dataset, SERVER, file))
          .isInstanceOf(IOException.class)
          .satisfies(e -> assertThat(String.valueOf(e.getMessage())).contains(reason));
      assertThat(store.tables()).isEmpty();
    }
  }

  @Test
  void saysThatOtherCellsWereThere() {
    try (MemoryStore store = new MemoryStore()) {
      try (Home home = Home.open(store, "main", SERVER)) {
        MutationBatch other = new MutationBatch();
        AttributeTable.put(other, new MetricMetadata("mem", "gauge", "", ""), 1);
        home.attributes().apply(other);
      }
      assertThatThrownBy(() -> HomeExport.restore(store, "main", SERVER, file))
          .hasMessageContaining(
              "'.main.attributes' has other cells than were restored, 3 instead of 2")
          .hasMessageContaining("drop the tables '.main.*' first");
      assertThat(Home.made(store, "main")).isNull();
    }
  }
}
