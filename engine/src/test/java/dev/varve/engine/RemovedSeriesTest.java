package dev.varve.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.engine.PowerLossStore.Fate;
import dev.varve.engine.TestEngine.Sample;
import dev.varve.engine.catalog.SeriesIdentity;
import dev.varve.engine.catalog.SeriesIndex;
import dev.varve.engine.error.WriteFailedException;
import dev.varve.engine.progress.Deletion;
import dev.varve.engine.request.ReadGuard;
import dev.varve.engine.request.ReadRequest;
import dev.varve.engine.write.SampleBatch;
import dev.varve.engine.write.SeriesHandle;
import dev.varve.model.Attribute;
import dev.varve.model.BatchBuilder;
import dev.varve.model.Bytes;
import dev.varve.model.GroupKey;
import dev.varve.model.Kind;
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
import dev.varve.store.MutationBatch.Edit;
import dev.varve.store.ReadPlan;
import dev.varve.store.RowOutcome;
import dev.varve.store.Slice;
import dev.varve.store.Store;
import dev.varve.store.StoreException;
import dev.varve.store.Table;
import dev.varve.store.TableSpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Series whose last sample a delete has removed. */
class RemovedSeriesTest {
  private static final long START = 1_699_999_200_000L;
  private static final Selector ALL = Selector.metric("m");
  private static final Selector ALICE = Selector.metric("m", new TagFilter.Equal("user", "alice"));
  private static final GroupKey OF_ALICE = GroupKey.of("m", Tags.of("user", "alice"));
  private static final GroupKey OF_BOB = GroupKey.of("m", Tags.of("user", "bob"));
  private static final Duration LONG = Duration.ofSeconds(20);

  private static TestEngine engine(String layout) {
    return new TestEngine(TestEngine.dataset("main", TestEngine.stored(layout)));
  }

  private static long at(TestEngine engine, long place) {
    long second = engine.dataset().resolution().perSecond();
    return (START / 1000 + place) * second;
  }

  private static void put(TestEngine engine, GroupKey key, int place) {
    engine.put(key, at(engine, place), new Value.Real(place));
  }

  private static void delete(TestEngine engine, Selector selector, TimeRange times)
      throws InterruptedException {
    Deletion deletion = engine.dataset().deletes().begin(selector, times);
    assertThat(deletion.await(LONG)).as("%s", deletion.progress()).isTrue();
  }

  private static List<String> users(TestEngine engine) {
    Catalog catalog = engine.dataset().catalog();
    List<String> users = catalog.labelValues("user", ALL).sorted().toList();
    Stream<String> listed =
        engine
            .dataset()
            .catalog()
            .series(ALL, null)
            .map(one -> String.valueOf(one.key().tags().get("user")));
    assertThat(listed.distinct().sorted()).isEqualTo(users);
    assertThat(catalog.firstValues("user", "", 10, ReadGuard.NONE)).isEqualTo(users);
    return users;
  }

  private static List<Long> times(TestEngine engine, GroupKey key) {
    Map<Series, List<Sample>> read = engine.read(ReadRequest.of(ALL, TimeRange.ALL));
    return read.getOrDefault(key.field(Series.DEFAULT_FIELD), List.of()).stream()
        .map(Sample::time)
        .toList();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"blocks", "buckets", "heroic", "kairosdb", "opentsdb", "entity", "companion"})
  void goesWithItsLabelsAndComesBackWithASample(String layout) throws InterruptedException {
    try (TestEngine engine = engine(layout)) {
      put(engine, OF_ALICE, 1);
      put(engine, OF_ALICE, 2);
      put(engine, OF_BOB, 1);
      delete(engine, ALICE, new TimeRange(at(engine, 0), at(engine, 2)));
      assertThat(users(engine)).as("with a sample left").containsExactly("alice", "bob");

      delete(engine, ALICE, new TimeRange(at(engine, 2), at(engine, 3)));
      assertThat(users(engine)).as("without a sample").containsExactly("bob");
      assertThat(tablesNaming(engine, "alice")).isEmpty();

      put(engine, OF_ALICE, 3);
      assertThat(times(engine, OF_ALICE)).containsExactly(at(engine, 3));
      engine.restart();
      assertThat(users(engine)).as("written again").containsExactly("alice", "bob");
      assertThat(times(engine, OF_ALICE)).containsExactly(at(engine, 3));
      assertThat(times(engine, OF_BOB)).containsExactly(at(engine, 1));

      delete(engine, ALL, TimeRange.ALL);
      engine.restart();
      assertThat(users(engine)).as("without anything").isEmpty();
      assertThat(tablesNaming(engine, "bob")).isEmpty();
    }
  }

  /** Returns the tables with a cell that has a text. UIDs keep names. */
  private static List<String> tablesNaming(TestEngine engine, String text) {
    List<String> naming = new ArrayList<>();
    for (String name : engine.store().tables()) {
      try (Table table = engine.store().openAgain(name)) {
        if (!name.endsWith(".tsdb-uid") && names(table, text)) {
          naming.add(name);
        }
      }
    }
    return naming;
  }

  private static boolean names(Table table, String text) {
    List<FamilySelect> families = new ArrayList<>();
    for (int family = 0; family < table.spec().families().size(); family++) {
      families.add(FamilySelect.all(family));
    }
    ReadPlan plan = ReadPlan.of(List.of(Slice.rows(Bytes.EMPTY, Bytes.EMPTY, null)), families);
    String sought = Bytes.utf8(text).hex();
    CellBatch page = new CellBatch();
    try (CellCursor cursor = table.read(plan, null)) {
      while (cursor.next(page)) {
        for (int cell = 0; cell < page.size(); cell++) {
          if (Stream.of(page.row(cell), page.qualifier(cell), page.value(cell))
              .anyMatch(bytes -> bytes.hex().contains(sought))) {
            return true;
          }
        }
      }
    }
    return false;
  }

  @Test
  void staysWithAnAttribute() throws InterruptedException {
    try (TestEngine engine = engine("entity")) {
      put(engine, OF_ALICE, 1);
      Attribute attribute = new Attribute(OF_ALICE, "owner", null, new Value.Text("x"));
      assertThat(engine.write(new BatchBuilder().add(attribute).build()).refused()).isZero();
      delete(engine, ALICE, TimeRange.ALL);
      assertThat(users(engine)).containsExactly("alice");
      engine.restart();
      assertThat(engine.dataset().attributes(ALICE, TimeRange.ALL)).containsExactly(attribute);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"heroic", "opentsdb"})
  void staysWithAnAttributeLongAfterItsSamples(String layout) throws InterruptedException {
    try (TestEngine engine = engine(layout)) {
      put(engine, OF_ALICE, 1);
      long later = at(engine, Duration.ofDays(400).toSeconds());
      String name = layout.equals("heroic") ? "distribution" : "histogram";
      Attribute attribute = new Attribute(OF_ALICE, name, later, new Value.Raw(Bytes.utf8("x")));
      assertThat(engine.write(new BatchBuilder().add(attribute).build()).refused()).isZero();
      delete(engine, ALICE, TimeRange.ALL);
      assertThat(users(engine)).containsExactly("alice");
      engine.restart();
      assertThat(engine.dataset().attributes(ALICE, TimeRange.ALL)).containsExactly(attribute);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"blocks", "buckets", "kairosdb"})
  void isThereWithWhatIsWrittenWhileItGoes(String layout) throws Exception {
    try (TestEngine engine = engine(layout);
        ExecutorService writers = Executors.newVirtualThreadPerTaskExecutor()) {
      put(engine, OF_BOB, 1);
      int place = 1;
      for (int round = 0; round < 60; round++) {
        put(engine, OF_ALICE, place);
        Deletion deletion = engine.dataset().deletes().begin(ALICE, TimeRange.ALL);
        List<Long> written = new ArrayList<>();
        List<Future<?>> writes = new ArrayList<>();
        for (int write = 0; write < 1 + round % 3; write++) {
          int at = ++place;
          written.add(at(engine, at));
          writes.add(writers.submit(() -> put(engine, OF_ALICE, at)));
        }
        await(writes);
        assertThat(deletion.await(LONG)).as("%s", deletion.progress()).isTrue();
        if (round % 20 == 19) {
          engine.restart();
        }
        assertThat(users(engine)).as("round %d", round).containsExactly("alice", "bob");
        assertThat(times(engine, OF_ALICE)).as("round %d", round).isEqualTo(written);
        place++;
      }
    }
  }

  private static void await(List<Future<?>> writes) throws InterruptedException {
    for (Future<?> write : writes) {
      try {
        write.get();
      } catch (ExecutionException e) {
        throw new AssertionError("a write failed", e);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"blocks", "buckets", "cell-per-event", "kairosdb", "companion"})
  void goesAfterAPowerLossAtAnyWriteOfTheDelete(String layout) throws InterruptedException {
    Random random = new Random(7);
    int kept = 0;
    while (goesAfterAPowerLoss(layout, kept, false, random)) {
      goesAfterAPowerLoss(layout, kept, true, random);
      kept++;
    }
    assertThat(kept).as("writes of the delete").isGreaterThan(3);
  }

  /**
   * Loses power during a delete.
   *
   * @param kept how many writes of the delete the store still answers
   * @param again whether the series is written again before the delete ends
   * @return whether the delete had not ended
   */
  private static boolean goesAfterAPowerLoss(String layout, int kept, boolean again, Random random)
      throws InterruptedException {
    try (TestEngine engine = engine(layout)) {
      put(engine, OF_ALICE, 1);
      put(engine, OF_BOB, 1);
      // Otherwise the delete waits for blocks until the store works again.
      engine.seal();
      int end = engine.store().writes() + kept;
      engine.store().fates((write, table) -> write < end ? Fate.WELL : Fate.POWER_LOSS);
      boolean accepted = startDelete(engine);
      boolean lost = engine.store().isLost();
      engine.losePower(random);
      List<Long> written = new ArrayList<>();
      if (again) {
        put(engine, OF_ALICE, 2);
        written.add(at(engine, 2));
      }
      for (Deletion one : engine.dataset().deletes().pending()) {
        assertThat(one.await(LONG)).as("%s", one.progress()).isTrue();
      }
      if (!accepted && times(engine, OF_ALICE).contains(at(engine, 1))) {
        written.addFirst(at(engine, 1));
      }
      checkAlice(engine, written);
      engine.restart();
      checkAlice(engine, written);
      return lost;
    }
  }

  /** Returns whether a delete is accepted, once it has ended or the power is lost. */
  private static boolean startDelete(TestEngine engine) {
    try {
      Deletion deletion = engine.dataset().deletes().begin(ALICE, TimeRange.ALL);
      Awaitility.await()
          .pollDelay(Duration.ZERO)
          .pollInterval(Duration.ofMillis(1))
          .until(() -> deletion.await(Duration.ZERO) || engine.store().isLost());
      return true;
    } catch (StoreException | WriteFailedException e) {
      assertThat(engine.store().isLost()).as(e.getMessage()).isTrue();
      return false;
    }
  }

  private static void checkAlice(TestEngine engine, List<Long> written) {
    assertThat(times(engine, OF_ALICE)).isEqualTo(written);
    assertThat(times(engine, OF_BOB)).containsExactly(at(engine, 1));
    assertThat(users(engine))
        .isEqualTo(written.isEmpty() ? List.of("bob") : List.of("alice", "bob"));
    assertThat(tablesNaming(engine, "alice").isEmpty()).isEqualTo(written.isEmpty());
  }

  @Test
  void takesNoSampleByItsOldHandle() throws InterruptedException {
    try (TestEngine engine = engine("blocks")) {
      put(engine, OF_ALICE, 1);
      SeriesHandle old = handle(engine);
      SampleBatch early = samples(engine, old, 2);
      delete(engine, ALICE, TimeRange.ALL);
      SampleBatch late = Objects.requireNonNull(engine.dataset().newSamples(bytes -> {}));
      late.begin(old);
      late.add(at(engine, 3), Double.doubleToRawLongBits(3));
      assertThat(late.end()).as("whether the old handle takes a sample").isFalse();
      assertThat(late.isEmpty()).isTrue();
      assertThat(engine.dataset().handle(OF_ALICE, Series.DEFAULT_FIELD, Kind.DOUBLE)).isNull();

      // What was gathered before the series went brings it back.
      assertThat(engine.dataset().write(early).accepted()).isOne();
      assertThat(users(engine)).containsExactly("alice");
      assertThat(engine.dataset().write(samples(engine, handle(engine), 4)).accepted()).isOne();
      assertThat(times(engine, OF_ALICE)).containsExactly(at(engine, 2), at(engine, 4));
      engine.restart();
      assertThat(times(engine, OF_ALICE)).containsExactly(at(engine, 2), at(engine, 4));
    }
  }

  /** Writers forget a key once the handle of its last field is kept, and look it up again. */
  @Test
  void givesHandlesOfAllFieldsInAnyOrder() {
    try (TestEngine engine = engine("blocks")) {
      Dataset dataset = engine.dataset();
      BatchBuilder batch = new BatchBuilder();
      batch.add(OF_ALICE, "first", at(engine, 1), new Value.Real(1));
      batch.add(OF_ALICE, "last", at(engine, 1), new Value.Real(2));
      assertThat(dataset.write(batch.build()).accepted()).isEqualTo(2);
      for (String field : List.of("last", "first", "last")) {
        assertThat(dataset.handle(OF_ALICE, field, Kind.DOUBLE)).as(field).isNotNull();
        assertThat(cached(dataset)).as("nobody keeps the handle of " + field).isOne();
      }
      for (String field : List.of("last", "first", "last")) {
        assertThat(dataset.handle(OF_ALICE, field, Kind.DOUBLE)).as(field).isNotNull();
        dataset.handleKept(OF_ALICE, field, Kind.DOUBLE);
        assertThat(cached(dataset)).as("after " + field).isEqualTo(field.equals("last") ? 0 : 1);
      }
      assertThat(dataset.handle(OF_ALICE, "last", Kind.INT64)).isNull();
    }
  }

  private static double cached(Dataset dataset) {
    return Objects.requireNonNull(dataset.parts().writer().figures().get("write_keys_cached"));
  }

  private static SeriesHandle handle(TestEngine engine) {
    SeriesHandle handle = engine.dataset().handle(OF_ALICE, Series.DEFAULT_FIELD, Kind.DOUBLE);
    assertThat(handle).isNotNull();
    return handle;
  }

  private static SampleBatch samples(TestEngine engine, SeriesHandle handle, int place) {
    SampleBatch samples = Objects.requireNonNull(engine.dataset().newSamples(bytes -> {}));
    samples.begin(handle);
    samples.add(at(engine, place), Double.doubleToRawLongBits(place));
    assertThat(samples.end()).isTrue();
    return samples;
  }

  @Test
  void leavesItsNumberToNoOtherSeries() throws InterruptedException {
    try (TestEngine engine = engine("blocks")) {
      put(engine, OF_BOB, 1);
      put(engine, OF_ALICE, 1);
      int end = engine.dataset().parts().open().index().numbers().size();
      delete(engine, ALICE, TimeRange.ALL);
      engine.restart();
      GroupKey other = GroupKey.of("n", Tags.of("user", "carol"));
      put(engine, other, 1);
      SeriesIndex index = engine.dataset().parts().open().index();
      int number = index.find(SeriesIdentity.of(other));
      assertThat(index.numbers().find(number, Series.DEFAULT_FIELD)).isEqualTo(end);
    }
  }

  @Test
  void goesOnceTheStoreOfTheHomeWorksAgain() throws InterruptedException {
    AtomicBoolean stuck = new AtomicBoolean(true);
    try (TestEngine engine = engine("kairosdb").around(store -> stuckHome(store, stuck))) {
      put(engine, OF_ALICE, 1);
      Deletion deletion = engine.dataset().deletes().begin(ALICE, TimeRange.ALL);
      Awaitility.await().until(() -> deletion.progress().problem() != null);
      put(engine, OF_BOB, 1);
      assertThat(users(engine)).containsExactly("bob");
      stuck.set(false);
      assertThat(deletion.await(LONG)).as("%s", deletion.progress()).isTrue();
      engine.restart();
      assertThat(users(engine)).containsExactly("bob");
      assertThat(tablesNaming(engine, "alice")).isEmpty();
    }
  }

  /** The search has read the rows of a series, and keeps what it has found after they are gone. */
  @ParameterizedTest
  @ValueSource(strings = {"blocks", "buckets"})
  void isNotAddedBySearchesThatReadItsRowsBefore(String layout) throws Exception {
    HeldReads reads = new HeldReads(thread -> thread.getName().equals("search"));
    try (TestEngine engine =
        engine(layout).around(store -> new WatchedStore(store, reads::around))) {
      put(engine, OF_ALICE, 1);
      put(engine, OF_BOB, 1);
      engine.seal();
      reads.arm();
      CompletableFuture<?> searched = new CompletableFuture<>();
      Thread.ofPlatform()
          .name("search")
          .start(() -> {
            try {
              engine.dataset().maintenance().rebuildCatalog(progress -> {});
              searched.complete(null);
            } catch (RuntimeException e) {
              searched.completeExceptionally(e);
            }
          });
      assertThat(reads.await()).isTrue();
      Deletion deletion = engine.dataset().deletes().begin(ALICE, TimeRange.ALL);
      Awaitility.await().until(() -> deletion.progress().samples() == 1);
      assertThat(deletion.await(Duration.ofSeconds(1))).as("ended during the search").isFalse();
      reads.release();
      assertThat(deletion.await(LONG)).as("%s", deletion.progress()).isTrue();
      searched.get(20, TimeUnit.SECONDS);
      assertThat(users(engine)).containsExactly("bob");
      engine.restart();
      assertThat(users(engine)).containsExactly("bob");
    }
  }

  /** Returns a store whose deletes in the home's table of series fail while it is stuck. */
  private static Store stuckHome(Store around, AtomicBoolean stuck) {
    return new StoreAround(around) {
      @Override
      public Table open(TableSpec spec, OpenMode mode) {
        Table table = super.open(spec, mode);
        return spec.name().equals(".main.series")
            ? new TableAround(table) {
              @Override
              public List<RowOutcome> apply(MutationBatch batch, Durability durability) {
                for (int edit = 0; edit < batch.size(); edit++) {
                  if (stuck.get() && batch.edit(edit) != Edit.PUT) {
                    throw new StoreException("the store is stuck");
                  }
                }
                return super.apply(batch, durability);
              }
            }
            : table;
      }
    };
  }
}
