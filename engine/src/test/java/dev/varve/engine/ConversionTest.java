package dev.varve.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.varve.engine.TestEngine.Sample;
import dev.varve.engine.blocks.BlockTiers;
import dev.varve.engine.catalog.SeriesIdentity;
import dev.varve.engine.config.DatasetConfig;
import dev.varve.engine.config.DatasetConfig.PeriodConfig;
import dev.varve.engine.error.QueryRefusedException;
import dev.varve.engine.periods.OpenDataset;
import dev.varve.engine.progress.ConversionProgress;
import dev.varve.engine.progress.Deletion;
import dev.varve.engine.request.QueryExplanation;
import dev.varve.engine.request.ReadRequest;
import dev.varve.engine.request.RunCursor;
import dev.varve.layout.ReadScope.Versions;
import dev.varve.layout.StorageLayout;
import dev.varve.layout.block.BlockLayout;
import dev.varve.model.Attribute;
import dev.varve.model.Batch;
import dev.varve.model.BatchBuilder;
import dev.varve.model.Bytes;
import dev.varve.model.GroupKey;
import dev.varve.model.Resolution;
import dev.varve.model.Run;
import dev.varve.model.Selector;
import dev.varve.model.Series;
import dev.varve.model.TagFilter;
import dev.varve.model.Tags;
import dev.varve.model.TimeRange;
import dev.varve.model.Value;
import dev.varve.store.Budget;
import dev.varve.store.CellBatch;
import dev.varve.store.CellCursor;
import dev.varve.store.FamilySelect;
import dev.varve.store.ReadPlan;
import dev.varve.store.Slice;
import dev.varve.store.Table;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Cells of earlier periods become blocks, beside readers and writers. */
class ConversionTest {
  private static final long DAY = 86_400_000;

  /** Not at the start of a day, so that one day is in both periods. */
  private static final long BORDER = TestEngine.START_MICROS / 1000 + DAY;

  private static final GroupKey KEY = GroupKey.of("m", Tags.of("host", "a"));

  private static DatasetConfig cells(String layout) {
    return TestEngine.dataset("main", TestEngine.layout(layout));
  }

  private static DatasetConfig withBlocks(DatasetConfig cells) {
    StorageLayout blocks = new BlockLayout(Resolution.MILLISECONDS);
    List<PeriodConfig> periods = new ArrayList<>(cells.periods());
    periods.add(new PeriodConfig(Instant.ofEpochMilli(BORDER), List.of(blocks)));
    return cells.withPeriods(periods);
  }

  /** Returns an engine whose period in blocks has begun. */
  private static TestEngine begun(String layout) {
    TestEngine test = new TestEngine(withBlocks(cells(layout)));
    test.dataset();
    test.micros.set(BORDER * 1000 + 3 * DAY * 1000);
    return test;
  }

  private static ConversionProgress convert(TestEngine test) {
    return test.dataset().maintenance().convertIntoBlocks(progress -> {}, () -> false);
  }

  private static Map<Series, List<Sample>> read(TestEngine test) {
    return test.read(
        new ReadRequest(
            new Selector(List.of()),
            TimeRange.ALL,
            null,
            Versions.LATEST,
            ReadRequest.Kinds.ONE,
            ReadRequest.Order.SERIES_BY_SERIES,
            0,
            true,
            Budget.UNLIMITED));
  }

  private static void fill(TestEngine test, int series, int perSeries, long step) {
    for (int s = 0; s < series; s++) {
      GroupKey key = GroupKey.of("m", Tags.of("host", "h" + s));
      BatchBuilder batch = new BatchBuilder();
      for (int i = 0; i < perSeries; i++) {
        batch.add(key, BORDER + DAY - i * step, new Value.Real(s + i / 10.0));
      }
      assertThat(test.write(batch.build()).accepted()).isEqualTo(perSeries);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"buckets", "salted", "short-wide", "value-in-qualifier", "opentsdb"})
  void convertsAllCellsAndEmptiesTheirTables(String layout) {
    try (TestEngine test = begun(layout)) {
      fill(test, 5, 200, DAY / 20);
      Map<Series, List<Sample>> before = read(test);
      List<Instant> borders = new ArrayList<>();
      ConversionProgress end =
          test.dataset()
              .maintenance()
              .convertIntoBlocks(
                  progress -> Stream.ofNullable(progress.blocksFrom()).forEach(borders::add),
                  () -> false);
      assertThat(end.done()).isTrue();
      assertThat(end.blocksFrom()).isNull();
      assertThat(end.samples()).isEqualTo(5 * 180 - 5);
      assertThat(borders).isNotEmpty().isSortedAccordingTo(Comparator.reverseOrder());
      assertThat(read(test)).isEqualTo(before);
      assertThat(layoutsRead(test)).containsExactly("blocks");
      assertThat(cellsIn(test, layout)).isZero();

      test.restart();
      assertThat(read(test)).isEqualTo(before);
      assertThat(convert(test).samples()).isZero();
      test.put(KEY, BORDER - 50 * DAY, new Value.Real(7));
      assertThat(read(test).get(KEY.field("value")))
          .containsExactly(new Sample(BORDER - 50 * DAY, new Value.Real(7)));
    }
  }

  private static List<String> layoutsRead(TestEngine test) {
    return test
        .dataset()
        .explain(ReadRequest.of(Selector.metric("m"), TimeRange.ALL), false)
        .reads()
        .stream()
        .map(QueryExplanation.PeriodRead::layout)
        .distinct()
        .toList();
  }

  private static int cellsIn(TestEngine test, String layout) {
    String data =
        TestEngine.layout(layout).tables().get(TestEngine.layout(layout).dataTable()).name();
    int count = 0;
    try (Table table = test.store().openAgain("main." + data);
        CellCursor cursor =
            table.read(
                ReadPlan.of(
                    List.of(Slice.rows(Bytes.EMPTY, Bytes.EMPTY, null)),
                    IntStream.range(0, table.spec().families().size())
                        .mapToObj(FamilySelect::all)
                        .toList()),
                null)) {
      CellBatch page = new CellBatch();
      while (cursor.next(page)) {
        count += page.size();
      }
    }
    return count;
  }

  @Test
  void convertsSeveralPeriodsAndLeavesWhatHasExpired() {
    DatasetConfig cells = TestEngine.withRetention(cells("buckets"), Duration.ofDays(9));
    List<PeriodConfig> periods = new ArrayList<>(withBlocks(cells).periods());
    Instant between = Instant.ofEpochMilli(BORDER - 3 * DAY / 2);
    periods.add(1, new PeriodConfig(between, List.of(TestEngine.layout("salted"))));
    try (TestEngine test = new TestEngine(cells.withPeriods(periods))) {
      test.micros.set((BORDER - 2 * DAY) * 1000);
      test.dataset();
      test.micros.set((BORDER + DAY) * 1000);
      fill(test, 3, 100, DAY / 11);
      Map<Series, List<Sample>> before = read(test);
      assertThat(layoutsRead(test)).containsExactly("buckets", "salted", "blocks");
      AtomicInteger calls = new AtomicInteger(4);
      test.dataset()
          .maintenance()
          .convertIntoBlocks(
              progress -> {
                calls.decrementAndGet();
                assertThat(read(test)).isEqualTo(before);
              },
              () -> calls.get() < 0);
      test.restart();
      assertThat(read(test)).isEqualTo(before);
      test.micros.set((BORDER + 20 * DAY) * 1000);
      assertThat(convert(test).done()).isTrue();
      assertThat(cellsIn(test, "buckets")).isZero();
    }
  }

  @Test
  void keepsEveryKindOfValue() {
    try (TestEngine test = begun("buckets")) {
      BatchBuilder batch = new BatchBuilder();
      batch.add(KEY, BORDER - 5, new Value.Int64(Long.MAX_VALUE));
      batch.add(KEY, BORDER - 4, new Value.Real(Double.longBitsToDouble(0x7ff0000000000002L)));
      batch.add(KEY, BORDER - 3, new Value.Text("ä text"));
      batch.add(KEY, BORDER - 2, new Value.Real(-0.0));
      test.write(batch.build());
      Map<Series, List<Sample>> before = read(test);
      assertThat(convert(test).samples()).isEqualTo(4);
      assertThat(read(test)).isEqualTo(before);
    }
  }

  @Test
  void lateSampleWins() {
    try (TestEngine test = begun("buckets")) {
      fill(test, 3, 100, DAY / 10);
      GroupKey first = GroupKey.of("m", Tags.of("host", "h0"));
      AtomicBoolean once = new AtomicBoolean(true);
      test.dataset()
          .maintenance()
          .convertIntoBlocks(
              progress -> {
                if (once.getAndSet(false)) {
                  test.put(first, BORDER - DAY / 10, new Value.Real(-1));
                  test.put(KEY, BORDER - DAY / 20, new Value.Real(-2));
                }
              },
              () -> false);
      assertThat(once).isFalse();
      assertThat(read(test).get(first.field("value")))
          .contains(new Sample(BORDER - DAY / 10, new Value.Real(-1)));
      assertThat(read(test)).containsKey(KEY.field("value"));
      test.put(first, BORDER - DAY / 10, new Value.Real(-3));
      assertThat(read(test).get(first.field("value")))
          .contains(new Sample(BORDER - DAY / 10, new Value.Real(-3)));
    }
  }

  @Test
  void readThatBeganBeforeSeesItsCells() throws InterruptedException {
    try (TestEngine test = begun("buckets")) {
      fill(test, 40, 200, DAY / 10);
      ReadRequest all =
          ReadRequest.of(Selector.metric("m"), TimeRange.ALL)
              .with(ReadRequest.Order.SERIES_BY_SERIES);
      Thread converting;
      int samples = 0;
      try (RunCursor runs = test.dataset().read(all)) {
        Run run = runs.next();
        samples += run == null ? 0 : run.samples().size();
        converting = Thread.ofVirtual().start(() -> convert(test));
        await().until(() -> layoutsRead(test).equals(List.of("blocks")));
        for (run = runs.next(); run != null; run = runs.next()) {
          samples += run.samples().size();
        }
      }
      converting.join();
      assertThat(samples).isEqualTo(40 * 200);
      assertThat(cellsIn(test, "buckets")).isZero();
    }
  }

  @Test
  void samplesDeletedMeanwhileStayDeleted() {
    try (TestEngine test = begun("buckets")) {
      fill(test, 3, 100, DAY / 10);
      GroupKey first = GroupKey.of("m", Tags.of("host", "h0"));
      AtomicBoolean once = new AtomicBoolean(true);
      Within within = new Within();
      test.dataset()
          .maintenance()
          .convertIntoBlocks(
              progress -> {
                if (within.slice(progress) && once.getAndSet(false)) {
                  delete(test, first, TimeRange.ALL);
                }
              },
              () -> false);
      assertThat(once).isFalse();
      assertThat(layoutsRead(test)).containsExactly("blocks");
      assertThat(read(test)).hasSize(2).doesNotContainKey(first.field("value"));
    }
  }

  @Test
  void copiesOfAnInterruptedRunAreDropped() {
    try (TestEngine test = begun("buckets")) {
      fill(test, 3, 100, DAY / 10);
      GroupKey first = GroupKey.of("m", Tags.of("host", "h0"));
      interruptWithinASlice(test);
      test.restart();
      delete(test, first, TimeRange.ALL);
      assertThat(convert(test).done()).isTrue();
      assertThat(read(test)).hasSize(2).doesNotContainKey(first.field("value"));
    }
  }

  /** They are samples, too: if they stayed, the series would keep its labels as well. */
  @Test
  void copiesOfAnInterruptedRunAreDeletedWithTheirSamples() {
    try (TestEngine test = begun("buckets")) {
      fill(test, 3, 100, DAY / 10);
      GroupKey first = GroupKey.of("m", Tags.of("host", "h0"));
      interruptWithinASlice(test);
      OpenDataset open = test.dataset().parts().open();
      int series = open.index().find(SeriesIdentity.of(first));
      int number = open.index().numbers().find(series, Series.DEFAULT_FIELD);
      assertThat(open.periods().all().getLast().tiers().has(number)).isTrue();
      delete(test, first, TimeRange.ALL);
      assertThat(open.periods().all().getLast().tiers().has(number)).as("copies").isFalse();
      assertThat(open.index().find(SeriesIdentity.of(first))).as("labels").isNegative();
      assertThat(convert(test).done()).isTrue();
      assertThat(read(test)).hasSize(2).doesNotContainKey(first.field("value"));
    }
  }

  /** The conversion has read the samples before the delete, and is interrupted after it. */
  @Test
  void noCopyOfADeletedSampleIsMadeAfterTheDelete() throws Exception {
    HeldReads reads = new HeldReads(thread -> thread.getName().equals("converting"));
    try (TestEngine test =
        new TestEngine(withBlocks(cells("buckets")))
            .around(store -> new WatchedStore(store, reads::around))) {
      test.dataset();
      test.micros.set(BORDER * 1000 + 3 * DAY * 1000);
      fill(test, 1, 100, DAY / 10);
      GroupKey first = GroupKey.of("m", Tags.of("host", "h0"));
      delete(test, first, new TimeRange(BORDER, Long.MAX_VALUE));
      assertThat(seriesInBlocks(test)).isZero();

      reads.arm();
      AtomicBoolean stopped = new AtomicBoolean();
      CompletableFuture<?> converted = new CompletableFuture<>();
      Thread.ofPlatform()
          .name("converting")
          .start(() -> {
            try {
              test.dataset()
                  .maintenance()
                  .convertIntoBlocks(progress -> stopped.set(reads.isReleased()), stopped::get);
              converted.complete(null);
            } catch (RuntimeException | AssertionError e) {
              converted.completeExceptionally(e);
            }
          });
      assertThat(reads.await()).isTrue();
      delete(test, first, TimeRange.ALL);
      reads.release();
      converted.get(20, TimeUnit.SECONDS);
      assertThat(stopped).isTrue();
      assertThat(seriesInBlocks(test)).as("with copies").isZero();
      assertThat(test.dataset().parts().open().index().size()).isZero();
    }
  }

  private static long seriesInBlocks(TestEngine test) {
    OpenDataset open = test.dataset().parts().open();
    BlockTiers blocks = open.periods().all().getLast().tiers();
    return IntStream.range(0, open.index().numbers().size()).filter(blocks::has).count();
  }

  /** Converts until blocks have copies of a slice that cells still answer for. */
  private static void interruptWithinASlice(TestEngine test) {
    AtomicBoolean stopped = new AtomicBoolean();
    Within within = new Within();
    test.dataset()
        .maintenance()
        .convertIntoBlocks(
            progress -> stopped.compareAndSet(false, within.slice(progress)), stopped::get);
    assertThat(stopped).isTrue();
  }

  /** Tells when samples of a slice were copied that shares no day with the period in blocks. */
  private static final class Within {
    private ConversionProgress before = new ConversionProgress(0, 0, null, null, false);

    boolean slice(ConversionProgress now) {
      Instant border = now.blocksFrom();
      boolean copied =
          border != null
              && border.equals(before.blocksFrom())
              && border.isBefore(Instant.ofEpochMilli(BORDER - DAY))
              && now.samples() > before.samples();
      before = now;
      return copied;
    }
  }

  private static void delete(TestEngine test, GroupKey key, TimeRange times) {
    TagFilter host = new TagFilter.Equal("host", Objects.requireNonNull(key.tags().get("host")));
    Deletion deletion = test.dataset().deletes().begin(new Selector(List.of(host)), times);
    try {
      assertThat(deletion.await(Duration.ofSeconds(30))).isTrue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** Writes, deletes, interrupts, loses power and continues, and compares with a model. */
  @ParameterizedTest
  @MethodSource("seeds")
  void agreesWithModel(int seed) throws InterruptedException {
    Random random = new Random(seed);
    String layout = List.of("buckets", "salted", "opentsdb").get(random.nextInt(3));
    Map<GroupKey, NavigableMap<Long, Value>> model =
        new TreeMap<>((a, b) -> key(a).compareTo(key(b)));
    try (TestEngine test = begun(layout)) {
      for (int i = 0; i < 60; i++) {
        change(test, random, model);
      }
      ConversionProgress end;
      int runs = 0;
      do {
        AtomicInteger calls = new AtomicInteger(random.nextInt(12) + runs);
        end =
            test.dataset()
                .maintenance()
                .convertIntoBlocks(
                    progress -> {
                      calls.decrementAndGet();
                      if (random.nextInt(3) == 0) {
                        change(test, random, model);
                      }
                    },
                    () -> calls.get() < 0);
        assertThat(held(test)).isEqualTo(model);
        switch (random.nextInt(4)) {
          case 0 -> test.restart();
          case 1 -> test.losePower(random);
          default -> change(test, random, model);
        }
        assertThat(held(test)).isEqualTo(model);
        runs++;
      } while (!end.done());
      assertThat(cellsIn(test, layout)).isZero();
      for (int i = 0; i < 20; i++) {
        change(test, random, model);
      }
      assertThat(held(test)).isEqualTo(model);
    }
  }

  static Stream<Integer> seeds() {
    return IntStream.range(0, Integer.getInteger("varve.conversion.seeds", 12)).boxed();
  }

  private static String key(GroupKey key) {
    return key.toString();
  }

  private static void change(
      TestEngine test, Random random, Map<GroupKey, NavigableMap<Long, Value>> model) {
    GroupKey key = GroupKey.of("m", Tags.of("host", "h" + random.nextInt(6)));
    if (random.nextInt(12) == 0) {
      long from = BORDER - random.nextInt(40) * DAY / 4;
      TimeRange times = new TimeRange(from, from + random.nextInt(8) * DAY / 4 + 1);
      delete(test, key, times);
      NavigableMap<Long, Value> of = model.get(key);
      if (of != null) {
        of.subMap(times.from(), times.to()).clear();
        if (of.isEmpty()) {
          model.remove(key);
        }
      }
      return;
    }
    BatchBuilder batch = new BatchBuilder();
    for (int i = random.nextInt(20); i >= 0; i--) {
      long time = BORDER + 2 * DAY - random.nextInt(44) * (DAY / 4);
      Value value = new Value.Real(random.nextInt(1000));
      batch.add(key, time, value);
      model.computeIfAbsent(key, one -> new TreeMap<>()).put(time, value);
    }
    Batch built = batch.build();
    assertThat(test.write(built).accepted()).isEqualTo(built.sampleCount());
  }

  private static Map<GroupKey, NavigableMap<Long, Value>> held(TestEngine test) {
    Map<GroupKey, NavigableMap<Long, Value>> held =
        new TreeMap<>((a, b) -> key(a).compareTo(key(b)));
    read(test)
        .forEach((series, samples) -> {
          NavigableMap<Long, Value> of = held.computeIfAbsent(series.key(), key -> new TreeMap<>());
          samples.forEach(sample -> of.put(sample.time(), sample.value()));
        });
    held.values().removeIf(NavigableMap::isEmpty);
    return held;
  }

  @Test
  void namesWhatCannotBeConverted() {
    try (TestEngine test = new TestEngine(cells("buckets"))) {
      assertThatThrownBy(() -> convert(test))
          .isInstanceOf(QueryRefusedException.class)
          .hasMessageContaining("declare a period with layout 'blocks' first");
      test.restart(withBlocks(cells("buckets")));
      assertThatThrownBy(() -> convert(test)).hasMessageContaining("which is in the future");
    }
    try (TestEngine test = begun("amended")) {
      assertThatThrownBy(() -> convert(test)).hasMessageContaining("keeps earlier versions");
    }
    try (TestEngine test = begun("entity")) {
      Attribute rack = new Attribute(KEY, "rack", BORDER - DAY, new Value.Text("7"));
      assertThat(test.write(new Batch(List.of(), List.of(rack))).accepted()).isEqualTo(1);
      assertThatThrownBy(() -> convert(test))
          .hasMessageContaining("has attributes, such as 'rack'");
    }
    DatasetConfig two =
        TestEngine.dataset("main", TestEngine.layout("buckets"), TestEngine.layout("salted"));
    try (TestEngine test = new TestEngine(withBlocks(two))) {
      test.dataset();
      test.micros.set(BORDER * 1000 + DAY * 1000);
      assertThatThrownBy(() -> convert(test))
          .hasMessageContaining("has a period with the companion");
    }
  }
}
