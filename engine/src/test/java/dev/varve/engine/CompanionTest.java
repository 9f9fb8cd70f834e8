package dev.varve.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.varve.engine.PowerLossStore.Fate;
import dev.varve.engine.TestEngine.Sample;
import dev.varve.engine.config.DatasetConfig;
import dev.varve.engine.config.EngineConfig;
import dev.varve.engine.error.WriteFailedException;
import dev.varve.engine.home.MarkerTable;
import dev.varve.engine.home.MarkerTable.Marker;
import dev.varve.engine.home.MarkerTable.Written;
import dev.varve.engine.request.PointExplanation;
import dev.varve.engine.request.QueryExplanation;
import dev.varve.engine.request.ReadRequest;
import dev.varve.engine.request.WriteResult;
import dev.varve.layout.Layout;
import dev.varve.layout.registry.Layouts;
import dev.varve.model.Batch;
import dev.varve.model.BatchBuilder;
import dev.varve.model.Bytes;
import dev.varve.model.GroupKey;
import dev.varve.model.Selector;
import dev.varve.model.Series;
import dev.varve.model.TagFilter;
import dev.varve.model.Tags;
import dev.varve.model.TimeRange;
import dev.varve.model.Value;
import dev.varve.store.CellBatch;
import dev.varve.store.CellCursor;
import dev.varve.store.Durability;
import dev.varve.store.FamilySelect;
import dev.varve.store.MutationBatch;
import dev.varve.store.ReadPlan;
import dev.varve.store.RowOutcome;
import dev.varve.store.Slice;
import dev.varve.store.Store;
import dev.varve.store.Table;
import dev.varve.store.TableSpec;
import dev.varve.store.memory.MemoryStore;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CompanionTest {
  private static final long DAY = 86_400_000L;
  private static final long START = 19_000 * DAY;
  private static final String COMPANION_TABLE = "main.0-1.";

  @TempDir Path directory;

  private final TestEngine engine =
      new TestEngine(
          TestEngine.dataset("main", Layouts.all("companion", Map.of()).toArray(Layout[]::new)));

  @AfterEach
  void close() {
    engine.close();
  }

  @Test
  void readsTheLayoutThatIsCheaperAndTheAnswersAgree() {
    Batch batch = batch(200, 30);
    engine.write(batch);
    Model model = new Model();
    model.write(batch);

    ReadRequest oneHost =
        ReadRequest.of(
            Selector.metric("m", new TagFilter.Equal("host", "h7")),
            new TimeRange(START, START + 30 * DAY));
    ReadRequest oneDay =
        ReadRequest.of(Selector.metric("m"), new TimeRange(START + 5 * DAY, START + 6 * DAY));
    assertThat(layoutOf(oneHost)).isEqualTo("promoted");
    assertThat(layoutOf(oneDay)).isEqualTo("by-time");
    assertThat(engine.read(oneHost))
        .isEqualTo(
            model.read(oneHost.times(), series -> "h7".equals(series.key().tags().get("host"))));
    assertThat(engine.read(oneDay)).isEqualTo(model.read(oneDay.times(), series -> true));
  }

  @Test
  void saysWhyTheOtherLayoutLost() {
    engine.write(batch(200, 30));

    QueryExplanation explained =
        engine
            .dataset()
            .explain(
                ReadRequest.of(
                    Selector.metric("m"), new TimeRange(START + 5 * DAY, START + 6 * DAY)),
                false);
    assertThat(explained.reads().getFirst().lost())
        .singleElement()
        .asString()
        .startsWith("promoted: costs ");
  }

  @Test
  void acknowledgesByThePrimaryAndRepairsTheCompanionLater() {
    Batch batch = batch(20, 3);
    engine.dataset();
    engine
        .store()
        .fates((write, table) -> table.startsWith(COMPANION_TABLE) ? Fate.NOT_APPLIED : Fate.WELL);
    assertThat(engine.write(batch).accepted()).isEqualTo(batch.sampleCount());
    Model model = new Model();
    model.write(batch);

    ReadRequest oneDay =
        ReadRequest.of(Selector.metric("m"), new TimeRange(START + DAY, START + 2 * DAY));
    assertThat(markers()).isEqualTo(1);
    assertThat(layoutOf(oneDay)).isEqualTo("promoted");
    assertThat(engine.read(oneDay)).isEqualTo(model.read(oneDay.times(), series -> true));

    engine.store().fates((write, table) -> Fate.WELL);
    await().atMost(Duration.ofSeconds(20)).until(() -> markers() == 0);
    assertThat(companionAnswer(oneDay)).isEqualTo(model.read(oneDay.times(), series -> true));
  }

  /**
   * An index cell that did not reach the companion is written again by the next write of its row,
   * also if nobody has repaired the first write yet.
   */
  @Test
  void writesAnIndexCellAgainThatDidNotReachTheCompanion() {
    Thread writer = Thread.currentThread();
    AtomicBoolean down = new AtomicBoolean(true);
    GroupKey key = GroupKey.of("m", Tags.of("host", "a"));
    try (TestEngine indexed =
        new TestEngine(
            TestEngine.dataset(
                "main", TestEngine.layout("buckets"), TestEngine.layout("kairosdb")))) {
      indexed.dataset();
      indexed
          .store()
          .fates((write, table) ->
              table.startsWith(COMPANION_TABLE)
                      && (down.get() || !Thread.currentThread().equals(writer))
                  ? Fate.NOT_APPLIED
                  : Fate.WELL);
      indexed.put(key, START, new Value.Real(1));
      down.set(false);
      indexed.put(key, START + 1, new Value.Real(2));
      assertThat(indexed.engine().figures())
          .as("the first write alone is to be repaired")
          .containsEntry("write_markers{dataset=\"main\"}", 1.0);
      for (String table : List.of("row_keys", "data_points")) {
        assertThat(cells(indexed, COMPANION_TABLE + table)).as(table).isPositive();
      }
    }
  }

  private static int cells(TestEngine engine, String name) {
    int cells = 0;
    try (Table table = engine.store().openAgain(name)) {
      List<FamilySelect> families =
          IntStream.range(0, table.spec().families().size()).mapToObj(FamilySelect::all).toList();
      CellBatch page = new CellBatch();
      try (CellCursor cursor =
          table.read(ReadPlan.of(List.of(Slice.partition(Bytes.EMPTY)), families), null)) {
        while (cursor.next(page)) {
          cells += page.size();
        }
      }
    }
    return cells;
  }

  /** A write that reaches the primary after its timeout reaches the companion, too. */
  @Test
  void copiesWhatArrivedLate() {
    AtomicLong micros = new AtomicLong(TestEngine.START_MICROS);
    DatasetConfig dataset =
        TestEngine.dataset("main", Layouts.all("companion", Map.of()).toArray(Layout[]::new));
    EngineConfig config =
        new EngineConfig(directory, EngineConfig.DEFAULT_MEMORY, List.of(dataset), "main");
    try (LateStore store = new LateStore(new MemoryStore());
        Engine distant = Engine.open(config, (kind, path, memory) -> store, micros::get)) {
      distant.defaultDataset().write(batch(20, 3));
      Batch late =
          new BatchBuilder()
              .add(GroupKey.of("m", Tags.of("host", "h1")), START + DAY + 7, new Value.Real(99))
              .build();
      store.isLate(true);
      assertThatThrownBy(() -> distant.defaultDataset().write(late))
          .isInstanceOf(WriteFailedException.class);
      store.isLate(false);
      await()
          .during(Duration.ofSeconds(3))
          .atMost(Duration.ofSeconds(30))
          .until(() -> markers(distant) == 1);
      store.arrive();
      micros.addAndGet(61_000_000);
      await().atMost(Duration.ofSeconds(20)).until(() -> markers(distant) == 0);

      ReadRequest oneDay =
          ReadRequest.of(Selector.metric("m"), new TimeRange(START + DAY, START + 2 * DAY));
      assertThat(distant.defaultDataset().explain(oneDay, false).reads().getFirst().layout())
          .isEqualTo("by-time");
      assertThat(TestEngine.read(distant.defaultDataset(), oneDay).values())
          .contains(List.of(new Sample(START + DAY + 7, new Value.Real(99))));
    }
  }

  /** A shared store on which writes to the primary arrive late. */
  private static final class LateStore extends StoreAround {
    private final List<Runnable> waiting = new ArrayList<>();
    private boolean late;

    private LateStore(Store store) {
      super(store);
    }

    private synchronized void isLate(boolean now) {
      late = now;
    }

    private synchronized void arrive() {
      waiting.forEach(Runnable::run);
    }

    @Override
    public boolean isEmbedded() {
      return false;
    }

    @Override
    public Table open(TableSpec spec, OpenMode mode) {
      Table around = super.open(spec, mode);
      boolean isPrimary = !spec.name().startsWith(".") && !spec.name().startsWith(COMPANION_TABLE);
      return !isPrimary
          ? around
          : new TableAround(around) {
            @Override
            public List<RowOutcome> apply(MutationBatch batch, Durability durability) {
              synchronized (LateStore.this) {
                if (!late) {
                  return super.apply(batch, durability);
                }
                MutationBatch copy = new MutationBatch();
                for (int edit = 0; edit < batch.size(); edit++) {
                  copy.addFrom(batch, edit);
                }
                waiting.add(() -> super.apply(copy, durability));
                return List.of(new RowOutcome(RowOutcome.Status.UNKNOWN, "no answer"));
              }
            }
          };
    }
  }

  private static double markers(Engine engine) {
    return engine.figures().getOrDefault("write_markers{dataset=\"main\"}", Double.NaN);
  }

  /** A damaged row blocks only its own marker; the dataset still opens. */
  @Test
  void repairsWhatIsAfterARowThatIsDamaged() {
    engine.dataset();
    engine
        .store()
        .fates((write, table) -> table.startsWith(COMPANION_TABLE) ? Fate.NOT_APPLIED : Fate.WELL);
    Batch damaged = batch(1, 1);
    assertThat(engine.write(damaged).accepted()).isEqualTo(1);
    PointExplanation cell =
        engine.dataset().explain(damaged).stream()
            .filter(one -> one.layout().equals("promoted"))
            .findFirst()
            .orElseThrow();
    engine.damage("main.by_tag", cell.row(), Bytes.fromHex("ff"));
    GroupKey other = GroupKey.of("other", Tags.of("host", "a"));
    engine.put(other, START, new Value.Real(1));
    assertThat(markers()).isEqualTo(2);

    engine.store().fates((write, table) -> Fate.WELL);
    engine.restart();
    assertThat(markers()).isEqualTo(1);
    assertThat(engine.read(ReadRequest.of(Selector.metric("other"), TimeRange.ALL))).hasSize(1);
  }

  @Test
  void repairsAfterALossOfPowerBetweenPrimaryAndCompanion() {
    for (int seed = 0; seed < 30; seed++) {
      try (TestEngine one =
          new TestEngine(
              TestEngine.dataset(
                  "main", Layouts.all("companion", Map.of()).toArray(Layout[]::new)))) {
        one.dataset();
        one.store()
            .fates(
                (write, table) -> table.startsWith(COMPANION_TABLE) ? Fate.POWER_LOSS : Fate.WELL);
        Batch batch = batch(20, 3);
        try {
          one.write(batch);
        } catch (WriteFailedException e) {
          // The write was not acknowledged; parts of it may have been applied.
        }
        one.losePower(new Random(seed));

        ReadRequest all = ReadRequest.of(Selector.metric("m"), TimeRange.ALL);
        assertThat(
                one.engine().figures().getOrDefault("write_markers{dataset=\"main\"}", Double.NaN))
            .isZero();
        Map<Series, List<Sample>> ofPrimary = one.read(all);
        for (int day = 0; day < 3; day++) {
          ReadRequest oneDay =
              ReadRequest.of(
                  Selector.metric("m"), new TimeRange(START + day * DAY, START + (day + 1) * DAY));
          Model primary = new Model();
          ofPrimary.forEach((series, samples) ->
              samples.forEach(sample -> primary.write(series, sample.time(), sample.value())));
          assertThat(one.read(oneDay)).isEqualTo(primary.read(oneDay.times(), series -> true));
        }
      }
    }
  }

  @Test
  void aMarkerOfAPeriodThatThisServerLacksIsLeftToTheOthers() {
    GroupKey key = GroupKey.of("m", Tags.of("host", "h"));
    engine.write(batch(3, 1));
    try (Table markers = engine.store().openAgain(".main.markers")) {
      MutationBatch edit = new MutationBatch();
      MarkerTable.put(edit, new Marker(null, 5, List.of(new Written(7, key, TimeRange.ALL))));
      assertThat(markers.apply(edit, Durability.SYNCED)).isEmpty();
    }
    engine.restart();
    engine.write(batch(3, 1));
    assertThat(engine.engine().figures()).containsEntry("write_markers{dataset=\"main\"}", 1.0);
  }

  @Test
  void refusesWhatOneOfTheLayoutsCannotHold() {
    TestEngine mixed =
        new TestEngine(
            TestEngine.dataset("main", TestEngine.layout("buckets"), TestEngine.layout("heroic")));
    GroupKey key = GroupKey.of("m", Tags.of("host", "a"));
    try (mixed) {
      Batch batch =
          new BatchBuilder()
              .add(key, START, new Value.Real(1))
              .add(key, START + 1, new Value.Text("no double"))
              .add(key, START + 2, new Value.Real(3))
              .build();
      WriteResult result = mixed.write(batch);

      assertThat(result.accepted()).isEqualTo(2);
      assertThat(result.rejections())
          .singleElement()
          .satisfies(rejection -> {
            assertThat(rejection.time()).isEqualTo(START + 1);
            assertThat(rejection.refusal().rule()).startsWith("heroic.");
          });
      assertThat(mixed.read(ReadRequest.of(Selector.metric("m"), TimeRange.ALL)))
          .isEqualTo(
              Map.of(
                  key.field("value"),
                  List.of(
                      new Sample(START, new Value.Real(1)),
                      new Sample(START + 2, new Value.Real(3)))));
    }
  }

  private double markers() {
    return engine.engine().figures().getOrDefault("write_markers{dataset=\"main\"}", Double.NaN);
  }

  private Map<Series, List<Sample>> companionAnswer(ReadRequest request) {
    assertThat(layoutOf(request)).isEqualTo("by-time");
    return engine.read(request);
  }

  private String layoutOf(ReadRequest request) {
    return engine.dataset().explain(request, false).reads().getFirst().layout();
  }

  private static Batch batch(int hosts, int days) {
    BatchBuilder batch = new BatchBuilder();
    for (int host = 0; host < hosts; host++) {
      GroupKey key = GroupKey.of("m", Tags.of("host", "h" + host));
      for (int day = 0; day < days; day++) {
        batch.add(key, START + day * DAY + 7, new Value.Real(host + day / 8.0));
      }
    }
    return batch.build();
  }
}
