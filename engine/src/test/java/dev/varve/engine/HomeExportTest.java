package dev.varve.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.engine.config.DatasetConfig;
import dev.varve.engine.config.EngineConfig;
import dev.varve.engine.home.AttributeTable;
import dev.varve.engine.home.ClockTable;
import dev.varve.engine.home.Home;
import dev.varve.engine.home.HomeExport;
import dev.varve.engine.home.IdentityTable.CatalogState;
import dev.varve.engine.home.ServerId;
import dev.varve.engine.home.ServerIdFile;
import dev.varve.engine.periods.OpenDataset;
import dev.varve.engine.request.ReadGuard;
import dev.varve.model.BatchBuilder;
import dev.varve.model.GroupKey;
import dev.varve.model.MetricMetadata;
import dev.varve.model.Selector;
import dev.varve.model.Tags;
import dev.varve.store.CellCursor;
import dev.varve.store.MutationBatch;
import dev.varve.store.ReadPlan;
import dev.varve.store.ResumeToken;
import dev.varve.store.Store;
import dev.varve.store.StoreException;
import dev.varve.store.Table;
import dev.varve.store.TableSpec;
import dev.varve.store.memory.MemoryStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
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
    return engine(store, TestEngine.START_MICROS);
  }

  private Engine engine(Store store, long micros) {
    DatasetConfig config = TestEngine.dataset("main", TestEngine.layout("buckets"));
    return Engine.open(
        new EngineConfig(directory.resolve("data"), 32L << 20, List.of(config), "main"),
        (name, path, memory) -> store,
        () -> micros);
  }

  private static void write(Dataset dataset, double value) {
    BatchBuilder batch = new BatchBuilder();
    batch.group(GroupKey.of("cpu", Tags.of("host", "a"))).add("value", 1, value);
    assertThat(dataset.write(batch.build()).refused()).isZero();
  }

  private static void write(Dataset dataset, Path file) throws IOException {
    OpenDataset open = dataset.parts().open();
    HomeExport.write(open.home(), open.marks(), "main", file);
  }

  @BeforeEach
  void export() throws IOException {
    file = directory.resolve("main.home");
    try (Engine engine = engine(new MemoryStore())) {
      Dataset dataset = engine.defaultDataset();
      write(dataset, 1.0);
      dataset.catalog().describe(List.of(SAID));
      write(dataset, file);
    }
  }

  @Test
  void aRestoredHomeHasSeriesAndMetadata() throws IOException {
    MemoryStore store = new MemoryStore();
    long cells = HomeExport.restore(store, "main", SERVER, file);
    assertThat(cells).isGreaterThan(5);
    // A restore that was killed before it ended is run again.
    assertThat(HomeExport.restore(store, "main", SERVER, file)).isEqualTo(cells);
    try (Engine engine = engine(new StoreAround(store))) {
      Dataset dataset = engine.defaultDataset();
      assertThat(dataset.catalog().metadata(null, 9, ReadGuard.NONE)).containsExactly(SAID);
      assertThat(
              dataset
                  .catalog()
                  .find(List.of(Selector.metric("cpu")), null, ReadGuard.NONE)
                  .stream())
          .hasSize(1);
      dataset.catalog().describe(List.of(new MetricMetadata("cpu", "counter", "", "Another.")));
    }
    assertThatThrownBy(() -> HomeExport.restore(store, "main", SERVER, file))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("has another home of dataset 'main', which is not overwritten");
  }

  /** A store that several servers share, so that each has a mark of the clock. */
  private static final class Shared extends StoreAround {
    private Shared(MemoryStore store) {
      super(store);
    }

    @Override
    public boolean isEmbedded() {
      return false;
    }
  }

  /** The table of the marks is lost with the store; the clock was set back meanwhile. */
  @Test
  void aServerWhoseClockIsBehindWritesLaterThanWhatWasRestored() throws IOException {
    ServerId other = new ServerId(9);
    Path exported = directory.resolve("shared.home");
    ServerId server;
    try (ServerIdFile id = new ServerIdFile(directory.resolve("data"))) {
      server = id.id();
    }
    long mark;
    try (MemoryStore store = new MemoryStore()) {
      try (ClockTable clock = new ClockTable(store, other)) {
        clock.reach(123, 0);
      }
      try (Engine engine = engine(new Shared(store))) {
        OpenDataset open = engine.defaultDataset().parts().open();
        engine.defaultDataset().catalog().describe(List.of(SAID));
        mark = open.marks().mark();
        write(engine.defaultDataset(), exported);
      }
    }
    try (MemoryStore store = new MemoryStore()) {
      HomeExport.restore(new Shared(store), "main", server, exported);
      assertThat(marks(store, server, other)).containsExactly(mark, 123L);
      long behind = TestEngine.START_MICROS - TimeUnit.HOURS.toMicros(1);
      try (Engine engine = engine(new Shared(store), behind)) {
        assertThat(engine.defaultDataset().parts().open().stamps(1)).isGreaterThan(mark);
      }
    }
    try (MemoryStore store = new MemoryStore()) {
      ServerId newcomer = new ServerId(11);
      HomeExport.restore(new Shared(store), "main", newcomer, exported);
      assertThat(marks(store, server, other, newcomer)).containsExactly(mark, 123L, mark);
    }
  }

  private static List<Long> marks(Store store, ServerId... servers) {
    List<Long> marks = new ArrayList<>();
    for (ServerId server : servers) {
      try (ClockTable clock = new ClockTable(store, server)) {
        marks.add(clock.mark());
      }
    }
    return marks;
  }

  /** A rebuild may end after series were read that it has added since. */
  @Test
  void saysNoLaterStateOfTheCatalogThanThatBeforeTheSeries() throws IOException {
    Path during = directory.resolve("during.home");
    AtomicReference<Runnable> meanwhile = new AtomicReference<>(() -> {});
    Store store =
        new StoreAround(new MemoryStore()) {
          @Override
          public Table open(TableSpec spec, OpenMode mode) {
            return spec.name().equals(".main.series")
                ? new Watched(super.open(spec, mode), meanwhile)
                : super.open(spec, mode);
          }
        };
    try (Engine engine = engine(store)) {
      OpenDataset open = engine.defaultDataset().parts().open();
      open.home().identity().catalogState(CatalogState.LOST, open.stamps(1));
      meanwhile.set(
          () -> open.home().identity().catalogState(CatalogState.COMPLETE, open.stamps(1)));
      write(engine.defaultDataset(), during);
      assertThat(open.home().identity().catalogState().complete()).isTrue();
    }
    try (MemoryStore other = new MemoryStore()) {
      HomeExport.restore(other, "main", SERVER, during);
      try (Home home = Home.open(other, "main", SERVER)) {
        assertThat(home.identity().catalogState().complete()).isFalse();
      }
    }
  }

  /** Does something whenever a read of the table begins. */
  private static final class Watched extends TableAround {
    private final AtomicReference<Runnable> meanwhile;

    private Watched(Table table, AtomicReference<Runnable> meanwhile) {
      super(table);
      this.meanwhile = meanwhile;
    }

    @Override
    public CellCursor read(ReadPlan plan, @Nullable ResumeToken resume) {
      meanwhile.get().run();
      return super.read(plan, resume);
    }
  }

  @Test
  void writesNothingOfAFileThatIsDamagedNewerOrOfAnotherDataset() throws IOException {
    byte[] whole = Files.readAllBytes(file);
    for (int length = 0; length < whole.length; length += 37) {
      Files.write(file, Arrays.copyOf(whole, length));
      assertRefused("main", "'" + file + "' ");
    }
    for (int flipped = 12; flipped < whole.length; flipped += 11) {
      byte[] damaged = whole.clone();
      damaged[flipped] ^= 4;
      Files.write(file, damaged);
      assertRefused("main", "'" + file + "' ");
    }
    Files.write(file, Arrays.copyOf(whole, whole.length + 1));
    assertRefused("main", "goes on after its end");
    byte[] newer = whole.clone();
    newer["varve home".length() + 2]++;
    Files.write(file, newer);
    assertRefused("main", "has format 3, and this version of Varve reads 1 to 2");
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
          .hasMessageContaining("as 'varve restore homes --replace main' does");
      assertThat(Home.made(store, "main")).isNull();
    }
  }

  @Test
  void replacesTheHomeOfOneDatasetAndDropsNoOtherTable() throws IOException {
    try (MemoryStore store = new MemoryStore()) {
      try (Home other = Home.open(store, "other", SERVER)) {
        assertThat(other.tables()).hasSize(9);
      }
      List<String> others = store.tables();
      try (Engine engine = engine(new StoreAround(store))) {
        write(engine.defaultDataset(), 2.0);
        engine
            .defaultDataset()
            .catalog()
            .describe(List.of(new MetricMetadata("cpu", "counter", "", "Another.")));
      }
      byte[] whole = Files.readAllBytes(file);
      Files.write(file, Arrays.copyOf(whole, whole.length - 1));
      assertThatThrownBy(() -> HomeExport.replace(store, "main", SERVER, file))
          .isInstanceOf(IOException.class);
      // A damaged file replaces nothing.
      assertThat(Home.made(store, "main")).isNotNull();
      Files.write(file, whole);
      assertThat(HomeExport.replace(store, "main", SERVER, file)).isGreaterThan(5);
      assertThat(store.tables()).containsAll(others).contains("main.buckets");
      try (Engine engine = engine(new StoreAround(store))) {
        assertThat(engine.defaultDataset().catalog().metadata(null, 9, ReadGuard.NONE))
            .containsExactly(SAID);
      }
    }
  }
}
