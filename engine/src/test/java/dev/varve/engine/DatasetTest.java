package dev.varve.engine;

import static dev.varve.engine.TestEngine.dataset;
import static dev.varve.engine.TestEngine.layout;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.engine.TestEngine.Sample;
import dev.varve.engine.config.DatasetConfig;
import dev.varve.engine.error.CorruptDataException;
import dev.varve.engine.error.QueryRefusedException;
import dev.varve.engine.error.UnknownDatasetException;
import dev.varve.engine.request.PointExplanation;
import dev.varve.engine.request.QueryExplanation;
import dev.varve.engine.request.ReadGuard;
import dev.varve.engine.request.ReadRequest;
import dev.varve.engine.request.ReadRequest.Kinds;
import dev.varve.engine.request.ReadRequest.Order;
import dev.varve.engine.request.WriteResult;
import dev.varve.layout.ReadScope.Versions;
import dev.varve.model.Attribute;
import dev.varve.model.Batch;
import dev.varve.model.BatchBuilder;
import dev.varve.model.Bytes;
import dev.varve.model.GroupKey;
import dev.varve.model.SampleGroup;
import dev.varve.model.Selector;
import dev.varve.model.Series;
import dev.varve.model.TagFilter;
import dev.varve.model.Tags;
import dev.varve.model.TimeRange;
import dev.varve.model.Value;
import dev.varve.store.Budget;
import dev.varve.store.BudgetExceededException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DatasetTest {
  private static final GroupKey A = GroupKey.of("cpu", Tags.of("host", "a"));
  private static final GroupKey B = GroupKey.of("cpu", Tags.of("host", "b"));
  private static final Selector CPU = Selector.metric("cpu");
  private static final ReadRequest ALL = ReadRequest.of(CPU, TimeRange.ALL);

  private TestEngine engine = new TestEngine(dataset("main", layout("buckets")));

  @AfterEach
  void close() {
    engine.close();
  }

  private void use(DatasetConfig... datasets) {
    engine.close();
    engine = new TestEngine(datasets);
  }

  @Test
  void readsWhatWasWritten() {
    engine.put(A, 1000, new Value.Real(1.5));
    engine.put(A, 2000, new Value.Int64(7));
    engine.put(B, 1000, new Value.Real(-0.0));

    assertThat(engine.read(ALL))
        .isEqualTo(
            Map.of(
                A.field("value"),
                List.of(
                    new Sample(1000, new Value.Real(1.5)), new Sample(2000, new Value.Int64(7))),
                B.field("value"),
                List.of(new Sample(1000, new Value.Real(-0.0)))));
  }

  /** The clock stands still, so only the order of acceptance decides between values. */
  @ParameterizedTest
  @ValueSource(strings = {"opentsdb", "kairosdb", "buckets", "tall-narrow", "amended"})
  void givesOutWhatWasAcceptedLastHoweverSoonItFollowed(String name) {
    use(dataset("main", layout(name)));
    List<Value> values =
        List.of(
            new Value.Int64(59524),
            new Value.Int64(5),
            new Value.Real(0.5),
            new Value.Int64(1L << 40),
            new Value.Real(1e300),
            new Value.Int64(-1));
    for (Value value : values) {
      engine.put(A, 1000, value);
      assertThat(engine.read(ALL))
          .containsEntry(A.field("value"), List.of(new Sample(1000, value)));
    }
    for (Value first : values) {
      for (Value second : values) {
        BatchBuilder inOneGroup = new BatchBuilder().add(A, 1000, first).add(A, 1000, second);
        engine.write(inOneGroup.build());
        assertThat(engine.read(ALL))
            .containsEntry(A.field("value"), List.of(new Sample(1000, second)));
        List<SampleGroup> groups = new ArrayList<>();
        for (Value value : List.of(second, first)) {
          groups.addAll(new BatchBuilder().add(A, 1000, value).build().groups());
        }
        engine.write(new Batch(groups, List.of()));
        assertThat(engine.read(ALL))
            .containsEntry(A.field("value"), List.of(new Sample(1000, first)));
      }
    }
    assertThat(engine.engine().figures())
        .hasEntrySatisfying("stamp_drift_seconds", drift -> assertThat(drift).isLessThan(0.2));
  }

  @Test
  void findsSeriesAndSamplesAgainAfterARestart() {
    engine.put(A, 1000, new Value.Real(1));
    engine.restart();
    engine.put(B, 2000, new Value.Real(2));
    engine.restart();

    assertThat(engine.read(ALL).keySet())
        .containsExactlyInAnyOrder(A.field("value"), B.field("value"));
    assertThat(engine.dataset().catalog().series(CPU, null))
        .containsExactly(A.field("value"), B.field("value"));
    assertThat(engine.dataset().catalog().labelValues("host", CPU, null, 9, ReadGuard.NONE))
        .containsExactly("a", "b");
    assertThat(engine.dataset().catalog().metrics("c")).containsExactly("cpu");
    assertThat(engine.dataset().catalog().metrics("d")).isEmpty();
  }

  @Test
  void movesTagsThatTheDatasetCallsResources() {
    DatasetConfig plain = dataset("main", layout("buckets"));
    use(
        new DatasetConfig(
            plain.name(),
            plain.store(),
            plain.periods(),
            null,
            plain.duplicates(),
            Set.of("host"),
            false));
    engine.put(GroupKey.of("cpu", Tags.of("host", "a", "core", "0")), 5, new Value.Real(1));

    GroupKey stored = new GroupKey("cpu", Tags.of("core", "0"), Tags.of("host", "a"));
    assertThat(engine.read(ALL).keySet()).containsExactly(stored.field("value"));
    engine.restart();
    assertThat(
            engine.read(
                ReadRequest.of(
                    Selector.metric("cpu", new TagFilter.Equal("host", "a")), TimeRange.ALL)))
        .hasSize(1);
  }

  @Test
  void writesTheFieldsOfAnEventAndReadsSomeOfThem() {
    BatchBuilder batch = new BatchBuilder();
    batch.add(A, "pressure", 10, new Value.Real(94558));
    batch.add(A, "height", 10, new Value.Int64(612));
    batch.add(A, 11, new Value.Text("ok"));
    engine.write(batch.build());

    assertThat(engine.read(ALL).keySet())
        .containsExactlyInAnyOrder(A.field("pressure"), A.field("height"), A.field("value"));
    ReadRequest one = request(CPU, Set.of("height"), Versions.LATEST, Kinds.ONE, 0);
    assertThat(engine.read(one))
        .isEqualTo(Map.of(A.field("height"), List.of(new Sample(10, new Value.Int64(612)))));
    Selector byFilter = Selector.metric("cpu", new TagFilter.Prefix(Series.FIELD_LABEL, "pr"));
    assertThat(engine.read(ReadRequest.of(byFilter, TimeRange.ALL)).keySet())
        .containsExactly(A.field("pressure"));
    engine.restart();
    assertThat(engine.dataset().catalog().series(CPU, null))
        .containsExactly(A.field("height"), A.field("pressure"), A.field("value"));
  }

  @Test
  void keepsTheLastAcceptedOfOneInstantWhateverItsKind() {
    engine.put(A, 10, new Value.Real(1));
    engine.put(A, 10, new Value.Int64(2));
    assertThat(engine.read(ALL).get(A.field("value")))
        .containsExactly(new Sample(10, new Value.Int64(2)));
    engine.put(A, 10, new Value.Text("three"));
    engine.put(A, 10, new Value.Real(4));

    assertThat(engine.read(ALL).get(A.field("value")))
        .containsExactly(new Sample(10, new Value.Real(4)));
  }

  @Test
  void givesOneSampleAnInstantAndKindToWhoAsksForEach() {
    use(dataset("main", layout("kairosdb")));
    engine.put(A, 10, new Value.Real(1));
    engine.put(A, 10, new Value.Int64(2));
    engine.put(A, 20, new Value.Int64(3));

    ReadRequest each = request(CPU, null, Versions.LATEST, Kinds.EACH, 0);
    assertThat(engine.read(each).get(A.field("value")))
        .containsExactlyInAnyOrder(
            new Sample(10, new Value.Real(1)),
            new Sample(10, new Value.Int64(2)),
            new Sample(20, new Value.Int64(3)));
    engine.micros.addAndGet(10_000);
    engine.put(A, 10, new Value.Int64(5));
    assertThat(engine.read(ALL).get(A.field("value")))
        .containsExactly(new Sample(10, new Value.Int64(5)), new Sample(20, new Value.Int64(3)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"amended", "single-timestamp-packed"})
  void answersAsOfAndAllVersions(String name) {
    use(dataset("main", layout(name)));
    engine.put(A, 10, new Value.Real(1));
    engine.micros.addAndGet(1_000_000);
    long between = engine.micros.get() - 1;
    engine.put(A, 10, new Value.Real(2));
    engine.put(A, 20, new Value.Real(3));

    assertThat(engine.read(ALL).get(A.field("value")))
        .containsExactly(new Sample(10, new Value.Real(2)), new Sample(20, new Value.Real(3)));
    assertThat(
            engine
                .read(request(CPU, null, new Versions.AsOf(between), Kinds.ONE, 0))
                .get(A.field("value")))
        .containsExactly(new Sample(10, new Value.Real(1)));
    assertThat(engine.read(request(CPU, null, Versions.ALL, Kinds.ONE, 0)).get(A.field("value")))
        .containsExactly(
            new Sample(10, new Value.Real(1)),
            new Sample(10, new Value.Real(2)),
            new Sample(20, new Value.Real(3)));
  }

  @Test
  void refusesVersionsThatTheLayoutDoesNotKeep() {
    engine.put(A, 10, new Value.Real(1));

    assertThatThrownBy(() -> engine.read(request(CPU, null, Versions.ALL, Kinds.ONE, 0)))
        .isInstanceOf(QueryRefusedException.class)
        .hasMessageContaining("layout 'buckets' of dataset 'main' keeps the last version");
  }

  @ParameterizedTest
  @CsvSource({"LAST, 2", "FIRST, 5", "MAX, 7", "MIN, 2"})
  void choosesAmongDuplicatesAsTheDatasetSays(DatasetConfig.Duplicates policy, double expected) {
    DatasetConfig plain = dataset("main", layout("amended"));
    use(
        new DatasetConfig(
            plain.name(), plain.store(), plain.periods(), null, policy, Set.of(), false));
    engine.put(A, 10, new Value.Real(5));
    engine.put(A, 10, new Value.Int64(7));
    engine.put(A, 10, new Value.Real(2));

    Value kept = engine.read(ALL).getOrDefault(A.field("value"), List.of()).getFirst().value();
    assertThat(kept instanceof Value.Int64(long v) ? (double) v : ((Value.Real) kept).value())
        .isEqualTo(expected);
  }

  @Test
  void refusesByNameWhatTheLayoutCannotHoldAndKeepsTheRest() {
    use(dataset("main", layout("heroic")));
    BatchBuilder batch = new BatchBuilder();
    batch.add(A, 10, new Value.Real(1));
    batch.add(A, 20, new Value.Text("no number"));
    batch.add(A, -5, new Value.Real(2));
    batch.add(B, 10, new Value.Real(3));

    WriteResult result = engine.write(batch.build());
    assertThat(result.accepted()).isEqualTo(2);
    assertThat(result.refused()).isEqualTo(2);
    assertThat(result.rejections())
        .extracting(WriteResult.Rejection::time)
        .containsExactlyInAnyOrder(20L, -5L);
    assertThat(engine.read(ALL).values()).allSatisfy(samples -> assertThat(samples).hasSize(1));
  }

  @Test
  void refusesAndHidesWhatIsOlderThanTheRetention() {
    use(TestEngine.withRetention(dataset("main", layout("buckets")), Duration.ofHours(1)));
    long now = TestEngine.START_MICROS / 1000;
    BatchBuilder batch = new BatchBuilder();
    batch.add(A, now - 3_600_001, new Value.Real(1));
    batch.add(A, now - 3_600_000, new Value.Real(2));
    batch.add(A, now, new Value.Real(3));

    WriteResult result = engine.write(batch.build());
    assertThat(result.rejections())
        .singleElement()
        .satisfies(rejection -> {
          assertThat(rejection.time()).isEqualTo(now - 3_600_001);
          assertThat(rejection.refusal().rule()).isEqualTo("retention");
        });
    assertThat(engine.read(ALL).get(A.field("value"))).hasSize(2);
    engine.micros.addAndGet(1_000);
    assertThat(engine.read(ALL).get(A.field("value")))
        .containsExactly(new Sample(now, new Value.Real(3)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"entity", "entity-ranges"})
  void keepsAttributesAndGivesThemBack(String name) {
    use(dataset("main", layout(name)));
    Attribute unit = new Attribute(A, "unit", null, new Value.Text("percent"));
    Attribute owner = new Attribute(B, "owner", null, new Value.Text("ops"));
    assertThat(engine.write(new Batch(List.of(), List.of(unit, owner))).accepted()).isEqualTo(2);
    engine.put(A, TestEngine.START_MICROS / 1000, new Value.Real(1));

    try (var attributes = engine.dataset().attributes(CPU, TimeRange.ALL)) {
      assertThat(attributes).containsExactlyInAnyOrder(unit, owner);
    }
    engine.restart();
    Selector a = Selector.metric("cpu", new TagFilter.Equal("host", "a"));
    try (var attributes = engine.dataset().attributes(a, TimeRange.ALL)) {
      assertThat(attributes).containsExactly(unit);
    }
    assertThat(engine.read(ALL).keySet()).containsExactly(A.field("value"));
  }

  @Test
  void refusesAttributesThatTheLayoutHasNoPlaceFor() {
    Attribute unit = new Attribute(A, "unit", null, new Value.Text("percent"));

    WriteResult result = engine.write(new Batch(List.of(), List.of(unit)));
    assertThat(result.accepted()).isZero();
    assertThat(result.rejections())
        .singleElement()
        .satisfies(rejection -> assertThat(rejection.field()).isEqualTo("unit"));
    assertThat(engine.dataset().attributes(CPU, TimeRange.ALL)).isEmpty();
  }

  @Test
  void keepsDatasetsApartInOneStore() {
    use(dataset("one", layout("buckets")), dataset("two", layout("tall-narrow")));
    engine.engine().dataset("one").write(batch(A, 1, 1.0));
    engine.engine().dataset("two").write(batch(A, 2, 2.0));

    assertThat(TestEngine.read(engine.engine().dataset("one"), ALL).get(A.field("value")))
        .containsExactly(new Sample(1, new Value.Real(1)));
    assertThat(TestEngine.read(engine.engine().dataset("two"), ALL).get(A.field("value")))
        .containsExactly(new Sample(2, new Value.Real(2)));
    assertThat(engine.engine().datasets()).extracting(Dataset::name).containsExactly("one", "two");
    assertThatThrownBy(() -> engine.engine().dataset("three"))
        .isInstanceOf(UnknownDatasetException.class)
        .hasMessage("there is no dataset 'three'; there are: one, two");
  }

  @Test
  void refusesToReadEverySeriesUnlessAsked() {
    engine.put(A, 1, new Value.Real(1));
    Selector everything = new Selector(List.of());

    assertThatThrownBy(() -> engine.read(ReadRequest.of(everything, TimeRange.ALL)))
        .isInstanceOf(QueryRefusedException.class)
        .hasMessageContaining("selects every series");
    ReadRequest asked =
        new ReadRequest(
            everything,
            TimeRange.ALL,
            null,
            Versions.LATEST,
            Kinds.ONE,
            Order.TIME_WITHIN_SERIES,
            0,
            true,
            Budget.UNLIMITED);
    assertThat(engine.read(asked)).hasSize(1);
  }

  @Test
  void refusesAPatternThatIsNone() {
    Selector broken = Selector.metric("cpu", new TagFilter.Regex("host", "a(b"));

    assertThatThrownBy(() -> engine.read(ReadRequest.of(broken, TimeRange.ALL)))
        .isInstanceOf(QueryRefusedException.class)
        .hasMessageContaining("'a(b' is not a valid RE2 pattern");
    assertThatThrownBy(() -> engine.dataset().catalog().series(broken, null))
        .isInstanceOf(QueryRefusedException.class);
    assertThatThrownBy(() -> engine.dataset().catalog().labelNames(broken, null, ReadGuard.NONE))
        .isInstanceOf(QueryRefusedException.class);
  }

  @Test
  void endsAReadThatCostsMoreThanItsBudget() {
    BatchBuilder batch = new BatchBuilder();
    for (int host = 0; host < 20; host++) {
      GroupKey key = GroupKey.of("cpu", Tags.of("host", "h" + host));
      for (int i = 0; i < 50; i++) {
        batch.add(key, i, new Value.Real(i));
      }
    }
    engine.write(batch.build());

    ReadRequest cheap =
        new ReadRequest(
            CPU,
            TimeRange.ALL,
            null,
            Versions.LATEST,
            Kinds.ONE,
            Order.SERIES_BY_SERIES,
            0,
            false,
            new Budget(400, Long.MAX_VALUE));
    assertThatThrownBy(() -> engine.read(cheap))
        .isInstanceOf(BudgetExceededException.class)
        .hasMessageContaining("its budget of 400 cells");
  }

  /** If a store orders all rows of a table, partitions are not read one by one. */
  @Test
  void readsTheDaysOfASeriesAsOneRange() {
    long day = Duration.ofDays(1).toMillis();
    for (int i = 0; i < 30; i++) {
      engine.put(A, i * day, new Value.Real(i));
    }
    ReadRequest month = ReadRequest.of(CPU, new TimeRange(0, 30 * day));
    QueryExplanation explanation = engine.dataset().explain(month, true);

    assertThat(explanation.reads())
        .singleElement()
        .satisfies(read -> {
          assertThat(read.plan().estimate().slices()).isEqualTo(1);
          assertThat(read.plan().estimate().partitions()).isEqualTo(30);
        });
    assertThat(engine.read(month).get(A.field("value"))).hasSize(30);
  }

  @Test
  void explainsEveryCellThatAPointWouldBecomeAndWritesNone() {
    use(dataset("main", layout("opentsdb")));
    engine.put(B, 1000, new Value.Int64(1));
    int writes = engine.store().writes();
    List<PointExplanation> cells =
        engine.dataset().explain(batch(GroupKey.of("cpu", Tags.of("host", "new")), 1_000_000, 1.0));

    assertThat(engine.store().writes()).isEqualTo(writes);
    assertThat(cells).isNotEmpty();
    PointExplanation sample = cells.getLast();
    assertThat(sample.table()).isEqualTo("main.tsdb");
    assertThat(sample.index()).isFalse();
    assertThat(sample.description().parts()).isNotEmpty();
    assertThat(engine.read(ALL).keySet()).containsExactly(B.field("value"));
  }

  @Test
  void namesTheRowOfADamagedCell() {
    engine.put(A, 1000, new Value.Real(1));
    Bytes row = engine.dataset().explain(batch(A, 1000, 1.0)).getFirst().row();
    engine.damage("main.buckets", row, Bytes.fromHex("ffffffffffffff"));

    assertThatThrownBy(() -> engine.read(ALL))
        .isInstanceOf(CorruptDataException.class)
        .hasMessageContaining("main.buckets")
        .hasMessageContaining(row.hex());
  }

  @Test
  void countsWhatItDoes() {
    engine.put(A, 1000, new Value.Real(1));

    assertThat(engine.engine().figures())
        .containsEntry("write_accepted_total{dataset=\"main\"}", 1.0)
        .containsEntry("write_batches_total{dataset=\"main\"}", 1.0)
        .containsEntry("catalog_series{dataset=\"main\"}", 1.0)
        .containsEntry("write_bytes_under_way", 0.0)
        .containsKey("store_tables{store=\"memory\"}");
  }

  private static Batch batch(GroupKey key, long time, double value) {
    return new BatchBuilder().add(key, time, new Value.Real(value)).build();
  }

  private static ReadRequest request(
      Selector selector, @Nullable Set<String> fields, Versions versions, Kinds kinds, int newest) {
    return new ReadRequest(
        selector,
        TimeRange.ALL,
        fields,
        versions,
        kinds,
        Order.TIME_WITHIN_SERIES,
        newest,
        false,
        Budget.UNLIMITED);
  }
}
