package dev.varve.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.varve.engine.TestEngine.Sample;
import dev.varve.engine.delete.DeleteJobs;
import dev.varve.engine.error.OverloadedException;
import dev.varve.engine.error.QueryRefusedException;
import dev.varve.engine.progress.DeleteCount;
import dev.varve.engine.progress.Deletion;
import dev.varve.engine.progress.DeletionProgress.State;
import dev.varve.engine.request.ReadGuard;
import dev.varve.engine.request.ReadRequest;
import dev.varve.layout.registry.Layouts;
import dev.varve.model.Batch;
import dev.varve.model.BatchBuilder;
import dev.varve.model.GroupKey;
import dev.varve.model.Selector;
import dev.varve.model.Series;
import dev.varve.model.TagFilter;
import dev.varve.model.Tags;
import dev.varve.model.TimeRange;
import dev.varve.model.Value;
import dev.varve.store.Capabilities;
import dev.varve.store.Durability;
import dev.varve.store.MutationBatch;
import dev.varve.store.MutationBatch.Edit;
import dev.varve.store.RowOutcome;
import dev.varve.store.Store;
import dev.varve.store.StoreException;
import dev.varve.store.Table;
import dev.varve.store.TableSpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Deletes whose samples cannot be removed yet, and deletes that are refused. */
class DeletesTest {
  private static final long START = 1_699_999_200_000L;
  private static final GroupKey KEY = GroupKey.of("m", Tags.of("host", "a"));
  private static final Selector ALL = Selector.metric("m");
  private static final Duration LONG = Duration.ofSeconds(20);

  private final AtomicBoolean stuck = new AtomicBoolean(true);

  /** A store that fails to delete cells of layouts while it is stuck. */
  private final class Stuck extends StoreAround {
    private Stuck(Store store) {
      super(store);
    }

    @Override
    public Table open(TableSpec spec, OpenMode mode) {
      Table table = super.open(spec, mode);
      return spec.name().startsWith(".") ? table : new StuckTable(table);
    }
  }

  private final class StuckTable extends TableAround {
    private StuckTable(Table table) {
      super(table);
    }

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

  private TestEngine engine(String layout) {
    TestEngine engine =
        new TestEngine(TestEngine.dataset("main", TestEngine.layout(layout))).around(Stuck::new);
    BatchBuilder batch = new BatchBuilder();
    for (int i = 0; i < 10; i++) {
      batch.add(KEY, at(engine, i), new Value.Real(i));
    }
    assertThat(engine.write(batch.build()).refused()).isZero();
    return engine;
  }

  private static long at(TestEngine engine, int place) {
    return START / 1000 * engine.dataset().resolution().perSecond()
        + place * engine.dataset().resolution().perSecond();
  }

  private static TimeRange times(TestEngine engine, int from, int to) {
    return new TimeRange(at(engine, from), at(engine, to));
  }

  private static List<Double> values(TestEngine engine) {
    List<Double> values = new ArrayList<>();
    for (List<Sample> samples : engine.read(ReadRequest.of(ALL, TimeRange.ALL)).values()) {
      samples.forEach(sample -> values.add(((Value.Real) sample.value()).value()));
    }
    return values;
  }

  private static Double[] numbers(long... values) {
    return LongStream.of(values).mapToObj(value -> (double) value).toArray(Double[]::new);
  }

  @ParameterizedTest
  @ValueSource(strings = {"buckets", "kairosdb", "opentsdb", "amended", "newest-first"})
  void hidesAtOnceAndKeepsWhatIsWrittenLater(String layout) throws InterruptedException {
    try (TestEngine engine = engine(layout)) {
      Deletion deletion = engine.dataset().deletes().begin(ALL, times(engine, 2, 9));
      assertThat(values(engine)).containsExactly(numbers(0, 1, 9));
      engine.put(KEY, at(engine, 4), new Value.Real(42));
      assertThat(values(engine)).containsExactly(numbers(0, 1, 42, 9));
      await().until(() -> deletion.progress().problem() != null);
      assertThat(deletion.progress().problem()).contains("the store is stuck");

      engine.restart();
      assertThat(values(engine)).as("after a restart").containsExactly(numbers(0, 1, 42, 9));
      Deletion again = engine.dataset().deletes().pending().getFirst();
      stuck.set(false);
      assertThat(again.id()).isEqualTo(deletion.id());
      assertThat(again.await(LONG)).isTrue();
      assertThat(again.progress().state()).isEqualTo(State.DONE);
      assertThat(values(engine)).containsExactly(numbers(0, 1, 42, 9));
      assertThat(engine.dataset().deletes().pending()).isEmpty();
    }
  }

  @Test
  void keepsWritesOutOfDeletedTimesWhereCellsHaveNoStamps() throws InterruptedException {
    try (TestEngine engine = engine("cell-per-event")) {
      Deletion deletion = engine.dataset().deletes().begin(ALL, times(engine, 2, 9));
      assertThat(values(engine)).containsExactly(numbers(0, 1, 9));
      engine.put(KEY, at(engine, 1), new Value.Real(11));
      assertThatThrownBy(() -> engine.put(KEY, at(engine, 4), new Value.Real(42)))
          .isInstanceOf(OverloadedException.class)
          .hasMessageContaining("a delete of times");
      Batch ofNewField =
          new BatchBuilder().add(KEY, "new", at(engine, 5), new Value.Real(43)).build();
      assertThatThrownBy(() -> engine.write(ofNewField)).isInstanceOf(OverloadedException.class);
      stuck.set(false);
      assertThat(deletion.await(LONG)).isTrue();
      engine.put(KEY, at(engine, 4), new Value.Real(42));
      assertThat(values(engine)).containsExactly(numbers(0, 11, 42, 9));
    }
  }

  /** Series that are written together share a column of times in the row of one of them. */
  @Test
  void leavesTheTimesThatBlocksOfOtherSeriesShare() throws InterruptedException {
    stuck.set(false);
    long[] steps = {0, 7, 9, 30, 31, 80, 95, 96, 97, 200};
    try (TestEngine engine =
        new TestEngine(TestEngine.dataset("main", Layouts.stored("blocks", Map.of()).getFirst()))) {
      BatchBuilder batch = new BatchBuilder();
      for (int host = 0; host < 5; host++) {
        for (long step : steps) {
          GroupKey key = GroupKey.of("m", Tags.of("host", "h" + host));
          batch.add(key, START + 1000 * step, new Value.Real(host + step));
        }
      }
      assertThat(engine.write(batch.build()).refused()).isZero();
      engine.seal();
      for (int host = 0; host < 4; host++) {
        Selector one = Selector.metric("m", new TagFilter.Equal("host", "h" + host));
        long to = host == 1 ? START + 50_000 : Long.MAX_VALUE;
        Deletion deletion = engine.dataset().deletes().begin(one, new TimeRange(START, to));
        assertThat(deletion.await(LONG)).as("%s", deletion.progress()).isTrue();
      }
      assertThat(values(engine)).hasSize(15).contains(numbers(4, 11, 13, 34, 35, 84, 99, 100, 101));
      engine.restart();
      assertThat(values(engine)).hasSize(15).contains(numbers(81, 96, 97, 98, 201, 204));
    }
  }

  @Test
  void returnsWhatACancelledDeleteHasNotRemoved() {
    try (TestEngine engine = engine("buckets")) {
      Deletion deletion = engine.dataset().deletes().begin(ALL, TimeRange.ALL);
      assertThat(values(engine)).isEmpty();
      deletion.cancel();
      assertThat(deletion.progress().state()).isEqualTo(State.CANCELLED);
      assertThat(values(engine)).hasSize(10);
      engine.restart();
      assertThat(values(engine)).hasSize(10);
      assertThat(engine.dataset().deletes().pending()).isEmpty();
    }
  }

  @Test
  void countsExactlyWhatItWouldHide() {
    try (TestEngine engine = engine("buckets")) {
      GroupKey other = GroupKey.of("m", Tags.of("host", "b"));
      engine.put(other, at(engine, 3), new Value.Real(7));
      engine.put(other, at(engine, 3), new Value.Real(8));
      assertThat(engine.dataset().deletes().count(ALL, times(engine, 3, 5), ReadGuard.NONE))
          .isEqualTo(new DeleteCount(2, 3));
      assertThat(values(engine)).hasSize(11);
      engine.dataset().deletes().begin(ALL, times(engine, 3, 5));
      assertThat(engine.dataset().deletes().count(ALL, times(engine, 3, 5), ReadGuard.NONE))
          .isEqualTo(new DeleteCount(0, 0));
      assertThat(engine.engine().figures())
          .containsEntry("deletes_standing{dataset=\"main\"}", 1.0);
    }
  }

  @Test
  void refusesByName() {
    try (TestEngine engine = engine("buckets")) {
      Dataset dataset = engine.dataset();
      assertThatThrownBy(() -> dataset.deletes().begin(new Selector(List.of()), TimeRange.ALL))
          .isInstanceOf(QueryRefusedException.class)
          .hasMessageContaining("selects every series");
      Selector bad = Selector.metric("m", new TagFilter.Regex("host", "("));
      assertThatThrownBy(() -> dataset.deletes().begin(bad, TimeRange.ALL))
          .isInstanceOf(QueryRefusedException.class);
      Selector large = Selector.metric("m", new TagFilter.Equal("host", "x".repeat(70_000)));
      assertThatThrownBy(() -> dataset.deletes().begin(large, TimeRange.ALL))
          .hasMessageContaining("at most 16,384 are possible");
      assertThat(dataset.deletes().pending()).isEmpty();
      assertThat(values(engine)).hasSize(10);
    }
  }

  @Test
  void refusesWhereTheStoreWouldHideLaterSamples() {
    try (TestEngine engine =
        new TestEngine(TestEngine.dataset("main", TestEngine.layout("cell-per-event")))
            .around(Masking::new)) {
      engine.put(KEY, at(engine, 1), new Value.Real(1));
      assertThatThrownBy(() -> engine.dataset().deletes().begin(ALL, TimeRange.ALL))
          .isInstanceOf(QueryRefusedException.class)
          .hasMessageContaining("layout 'cell-per-event' of dataset 'main' cannot delete on store");
    }
  }

  /** A store whose deletes hide later puts with older times. */
  private static final class Masking extends StoreAround {
    private Masking(Store store) {
      super(store);
    }

    @Override
    public Capabilities capabilities(TableSpec spec) {
      Capabilities is = super.capabilities(spec);
      return new Capabilities(
          is.cellTimes(), Capabilities.Deletes.MASK_OLDER, is.order(), is.limits(), is.powers());
    }
  }

  @Test
  void keepsWhatWasWrittenAfterACompactionOfTheRow() throws InterruptedException {
    stuck.set(false);
    try (TestEngine engine = engine("opentsdb")) {
      engine.micros.addAndGet(Duration.ofDays(400).toNanos() / 1000);
      engine
          .dataset()
          .maintenance()
          .compact(ReadRequest.of(ALL, TimeRange.ALL), progress -> {}, () -> false);
      engine.put(KEY, at(engine, 4), new Value.Real(42));
      Deletion deletion = engine.dataset().deletes().begin(ALL, times(engine, 5, 9));
      assertThat(deletion.await(LONG)).isTrue();
      assertThat(deletion.progress().rewritten()).as("compacted cells").isEqualTo(1);
      assertThat(values(engine)).containsExactly(numbers(0, 1, 2, 3, 42, 9));
    }
  }

  @Test
  void deletesOneFieldOfACellThatHasSeveral() throws InterruptedException {
    stuck.set(false);
    try (TestEngine engine =
        new TestEngine(TestEngine.dataset("main", TestEngine.layout("single-timestamp-packed")))) {
      engine.write(
          new BatchBuilder()
              .add(KEY, "a", START, new Value.Real(1))
              .add(KEY, "b", START, new Value.Text("two"))
              .add(KEY, "a", START + 1, new Value.Real(3))
              .build());
      Deletion deletion =
          engine
              .dataset()
              .deletes()
              .begin(
                  Selector.metric("m", new TagFilter.Equal(Series.FIELD_LABEL, "a")),
                  new TimeRange(START, START + 1));
      assertThat(deletion.await(LONG)).isTrue();
      assertThat(deletion.progress().rewritten()).isEqualTo(1);
      assertThat(deletion.progress().samples()).isEqualTo(1);
      assertThat(engine.read(ReadRequest.of(ALL, TimeRange.ALL)).values())
          .containsExactlyInAnyOrder(
              List.of(new Sample(START + 1, new Value.Real(3))),
              List.of(new Sample(START, new Value.Text("two"))));
    }
  }

  /** Writers of a failing store must not wait for a delete. */
  @Test
  void givesUpIfEarlierSamplesCannotBeSealed() throws InterruptedException {
    try (TestEngine engine =
        new TestEngine(TestEngine.dataset("main", Layouts.stored("blocks", Map.of()).getFirst()))
            .around(Unsealable::new)) {
      engine.put(KEY, START, new Value.Real(1));
      DatasetParts parts = engine.dataset().parts();
      try (DeleteJobs impatient =
          new DeleteJobs(
              parts.open(),
              parts.reader(),
              parts.writer(),
              () -> true,
              parts.refresh().searching(),
              removed -> {},
              Duration.ofMillis(200))) {
        assertThatThrownBy(() -> impatient.accept(ALL, TimeRange.ALL))
            .isInstanceOf(OverloadedException.class)
            .hasMessageContaining("nothing is deleted");
      }
      engine.put(KEY, START + 1000, new Value.Real(2));
      assertThat(engine.dataset().deletes().pending()).isEmpty();
      stuck.set(false);
      assertThat(engine.dataset().deletes().begin(ALL, TimeRange.ALL).await(LONG)).isTrue();
    }
  }

  /** A store that fails to write blocks while it is stuck. */
  private final class Unsealable extends StoreAround {
    private Unsealable(Store store) {
      super(store);
    }

    @Override
    public Table open(TableSpec spec, OpenMode mode) {
      Table table = super.open(spec, mode);
      return spec.name().endsWith("blocks") ? new UnsealableTable(table) : table;
    }
  }

  private final class UnsealableTable extends TableAround {
    private UnsealableTable(Table table) {
      super(table);
    }

    @Override
    public List<RowOutcome> apply(MutationBatch batch, Durability durability) {
      if (stuck.get()) {
        throw new StoreException("the store is stuck");
      }
      return super.apply(batch, durability);
    }
  }
}
