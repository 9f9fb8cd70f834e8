package dev.varve.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.engine.HeatMaps.Named;
import dev.varve.engine.catalog.SeriesBounds;
import dev.varve.engine.catalog.SeriesNumbers;
import dev.varve.engine.config.DatasetConfig;
import dev.varve.engine.config.EngineConfig;
import dev.varve.engine.error.QueryRefusedException;
import dev.varve.engine.heat.HeatFinding;
import dev.varve.engine.heat.HeatMap;
import dev.varve.engine.heat.Load;
import dev.varve.engine.heat.RowName;
import dev.varve.engine.progress.Deletion;
import dev.varve.engine.request.ReadGuard;
import dev.varve.engine.request.ReadRequest;
import dev.varve.layout.block.BlockKey;
import dev.varve.layout.block.BlockLayout;
import dev.varve.layout.registry.Layouts;
import dev.varve.model.BatchBuilder;
import dev.varve.model.Bytes;
import dev.varve.model.GroupKey;
import dev.varve.model.Resolution;
import dev.varve.model.Selector;
import dev.varve.model.TagFilter;
import dev.varve.model.Tags;
import dev.varve.model.TimeRange;
import dev.varve.store.SizeLimits;
import dev.varve.store.Store;
import dev.varve.store.StoreProviders;
import dev.varve.store.memory.MemoryStore;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Heat maps of workloads through the engine, beside exact counts at the store. */
@SuppressWarnings("NullAway.Init") // Every test begins with open().
class HeatMapTest {
  private static final long MINUTE = 60_000;

  /** A full hour, so that slices begin with minutes. */
  private static final long START = 1_700_002_800_000L;

  private static final int HOSTS = 300;

  @TempDir Path directory;

  private final AtomicLong micros = new AtomicLong(START * 1000);
  private RecordedStore store;
  private Engine engine;

  private void open(String kind, String layout) {
    if (store == null) {
      Store of = StoreProviders.of(kind).open(directory.resolve("store"), 32L << 20, Map.of());
      store = new RecordedStore(of, micros::get);
    }
    DatasetConfig config = TestEngine.dataset("main", Layouts.of(layout, Map.of()));
    engine =
        Engine.open(
            new EngineConfig(directory, 32L << 20, List.of(config), "main"),
            (name, path, memory) -> store,
            micros::get);
    store.forget();
  }

  @AfterEach
  void close() {
    if (engine != null) {
      engine.close();
      store.store.close();
    }
  }

  private Dataset dataset() {
    return engine.defaultDataset();
  }

  private void endMinute() {
    micros.set((micros.get() / 1000 / MINUTE + 1) * MINUTE * 1000);
    dataset().parts().heat().endSlices();
  }

  private static GroupKey host(int number) {
    return GroupKey.of("cpu", Tags.of("host", "host-%03d".formatted(number)));
  }

  /** Writes and reads as many agents and dashboards do: some hosts much more than others. */
  private void work(Random random, int batches) {
    for (int batch = 0; batch < batches; batch++) {
      BatchBuilder builder = new BatchBuilder();
      long now = micros.addAndGet(200_000) / 1000;
      for (int i = 0; i < 500; i++) {
        int host = (int) (HOSTS * Math.pow(random.nextDouble(), 3));
        long time = now - random.nextInt(7_200_000);
        builder.group(host(host)).add("value", time, random.nextDouble());
      }
      assertThat(dataset().write(builder.build()).refused()).isZero();
      Selector selector =
          batch % 60 == 0
              ? Selector.metric("cpu")
              : new Selector(
                  List.of(
                      new TagFilter.Equal("__name__", "cpu"),
                      new TagFilter.Equal("host", "host-%03d".formatted(random.nextInt(HOSTS)))));
      TestEngine.read(dataset(), ReadRequest.of(selector, new TimeRange(now - 3_600_000, now)));
    }
  }

  private Named map(String table, int rows) {
    HeatMap.Request request =
        new HeatMap.Request(START, micros.get() / 1000 + 1, Bytes.EMPTY, null, rows, 180);
    return dataset().usage().heatMaps().map(table, request, ReadGuard.NONE);
  }

  @ParameterizedTest
  @CsvSource({"memory, buckets", "rocksdb, kairosdb", "memory, heroic", "memory, salted"})
  void agreesWithAnExactCount(String kind, String layout) {
    open(kind, layout);
    Random random = new Random(7);
    for (int minute = 0; minute < 3; minute++) {
      work(random, 50);
      endMinute();
    }
    work(random, 20);
    int large = 0;
    for (HeatMaps.MappedTable table : dataset().usage().heatMaps().tables()) {
      for (int rows : new int[] {2, 64}) {
        large += assertAgrees(table.name(), map(table.name(), rows).map());
      }
    }
    assertThat(large).isGreaterThan(4);
  }

  /** Returns how many cells have more than 10,000 operations. */
  private int assertAgrees(String table, HeatMap map) {
    int large = 0;
    for (int row = 0; row < map.rows().size(); row++) {
      Bytes from = row == 0 ? Bytes.EMPTY : map.rows().get(row);
      Bytes to = row + 1 < map.rows().size() ? map.rows().get(row + 1) : null;
      for (int column = 0; column < map.columns(); column++) {
        long minute = map.from() / MINUTE + column;
        RecordedStore.Count exact = store.count(table, minute, from, to);
        Load load = map.cells().get(row).get(column);
        String where = "%s row %d column %d".formatted(table, row, column);
        assertClose(where + " reads", load.reads(), exact.reads, 0);
        assertClose(where + " writes", load.writes(), exact.writes, 1);
        large += exact.reads > 10_000 || exact.writes > 10_000 ? 1 : 0;
        if (exact.writes > 10_000) {
          assertThat((double) load.bytesWritten() / exact.bytesWritten).isBetween(0.95, 1.05);
        }
        if (exact.reads > 10_000) {
          assertThat((double) load.bytesRead() / exact.bytesRead).isBetween(0.95, 1.05);
        }
      }
    }
    return large;
  }

  private static void assertClose(String where, long counted, long exact, double variance) {
    double error = Math.abs(counted - exact);
    double allowed = exact > 10_000 ? 0.05 * exact : Math.max(1, 3 * Math.sqrt(variance * exact));
    assertThat(error)
        .as("%s: %d instead of %d", where, counted, exact)
        .isLessThanOrEqualTo(allowed);
  }

  private static SeriesBounds of(TagFilter... filters) {
    return new SeriesBounds(new Selector(List.of(filters)), List.of(filters).toString());
  }

  private Named within(SeriesBounds bounds, String table, Bytes fromRow) {
    HeatMap.Request request =
        new HeatMap.Request(START, micros.get() / 1000 + 1, fromRow, null, 64, 180);
    return dataset().within(bounds).usage().heatMaps().map(table, request, ReadGuard.NONE);
  }

  /** Rows of others lie before, between and after, in ranges that are left out. */
  @ParameterizedTest
  @CsvSource({"memory, buckets", "memory, heroic", "memory, kairosdb", "memory, salted"})
  void aBoundUserSeesRowsOfTheirOwn(String kind, String layout) {
    open(kind, layout);
    Random random = new Random(7);
    for (int minute = 0; minute < 3; minute++) {
      work(random, 50);
      endMinute();
    }
    SeriesBounds bounds = of(new TagFilter.In("host", Set.of("host-000", "host-007")));
    long counted = 0;
    for (HeatMaps.MappedTable table : dataset().usage().heatMaps().tables()) {
      Named part = within(bounds, table.name(), Bytes.EMPTY);
      assertThat(part.findings()).isEmpty();
      if (!table.data()) {
        assertThat(part.map().rows()).isEmpty();
        continue;
      }
      assertThat(part.map().rows()).isNotEmpty();
      assertThat(part.names())
          .allSatisfy(name -> assertThat(name.labels().get("host")).isIn("host-000", "host-007"));
      for (int row = 0; row < part.map().rows().size(); row++) {
        counted += assertCounts(table.name(), part, row);
      }
    }
    assertThat(counted).isGreaterThan(10_000);
  }

  /** Returns the writes of a row, which must be those of its first key alone. */
  private long assertCounts(String table, Named part, int row) {
    Bytes key = part.map().rows().get(row);
    for (int column = 0; column < part.map().columns(); column++) {
      Load load = part.map().cells().get(row).get(column);
      RecordedStore.Count exact =
          store.count(table, part.map().from() / MINUTE + column, key, key.successor());
      if (load.operations() > 0) {
        String where = "%s column %d".formatted(part.names().get(row).text(), column);
        assertClose(where + " reads", load.reads(), exact.reads, 7);
        assertClose(where + " writes", load.writes(), exact.writes, 1);
      }
    }
    return part.map().total(row).writes();
  }

  @Test
  void aBoundUserSeesNothingThatCountersCannotTellApart() {
    open("memory", "buckets");
    work(new Random(7), 50);
    endMinute();
    assertThat(
            within(of(new TagFilter.Equal("host", "host-999")), data(), Bytes.EMPTY).map().rows())
        .isEmpty();
    // A row has all fields of a series.
    SeriesBounds field =
        of(new TagFilter.Equal("__name__", "cpu"), new TagFilter.Equal("__field__", "value"));
    assertThat(within(field, data(), Bytes.EMPTY).map().rows()).isEmpty();
    SeriesBounds host = of(new TagFilter.Equal("host", "host-000"));
    assertThat(within(host, data(), Bytes.EMPTY).map().rows()).isNotEmpty();
    // Older slices become coarser, which spreads what was counted over other rows.
    for (int minute = 0; minute < 16; minute++) {
      micros.addAndGet(13 * MINUTE * 1000);
      work(new Random(minute), 1);
      endMinute();
    }
    HeatMap.Request old =
        new HeatMap.Request(START, START + 30 * MINUTE, Bytes.EMPTY, null, 64, 180);
    assertThat(dataset().usage().heatMaps().map(data(), old, ReadGuard.NONE).map().rows())
        .isNotEmpty();
    assertThat(
            dataset().within(host).usage().heatMaps().map(data(), old, ReadGuard.NONE).map().rows())
        .isEmpty();
  }

  @Test
  void aBoundUserNamesRowsByWhatTheirMapHas() {
    open("memory", "buckets");
    writeMinutes(1, now -> host((int) (now % 3)));
    SeriesBounds hosts = of(new TagFilter.In("host", Set.of("host-000", "host-002")));
    Named map = within(hosts, data(), Bytes.EMPTY);
    assertThat(map.names()).hasSize(2);
    RowName second = map.names().getLast();
    assertThat(second.row()).isNotEqualTo(map.map().rows().getLast());
    Named rest = within(hosts, data(), second.row());
    assertThat(rest.names()).containsExactly(second);
    assertThat(rest.map().total(0)).isEqualTo(map.map().total(1));
    assertThat(second.labels()).containsEntry("host", "host-002");
    for (Bytes row : map(data(), 64).map().rows()) {
      assertThatThrownBy(() -> within(hosts, data(), row.isEmpty() ? Bytes.of((byte) 0) : row))
          .isInstanceOf(QueryRefusedException.class)
          .hasMessageContaining("the map has no row");
    }
  }

  /** Which ranges are within follows from the keys at their ends, whatever series there are. */
  @Test
  void aRangeIsWithinIfItsKeysBeginWithWhatMatches() {
    open("memory", "buckets");
    writeMinutes(1, now -> host((int) (now % 3)));
    List<Bytes> rows = map(data(), 64).map().rows();
    List<Bytes> hosts = rows.stream().filter(row -> name(row).text().startsWith("cpu{")).toList();
    assertThat(hosts).hasSize(3);
    Bytes first = hosts.get(0);
    Bytes second = hosts.get(1);
    RowsWithin one = rows(of(new TagFilter.Equal("host", "host-000")));
    assertThat(one.admits(first, first.successor())).isTrue();
    assertThat(one.admits(first.successor(), first.successor().successor())).isTrue();
    assertThat(one.admits(first, second)).isFalse();
    assertThat(one.admits(second, second.successor())).isFalse();
    RowsWithin every = rows(of(new TagFilter.Equal("__name__", "cpu")));
    assertThat(every.admits(first, second)).isTrue();
    assertThat(every.admits(first, Bytes.of(new byte[] {(byte) 0xff}))).isFalse();
    RowsWithin prefix = rows(of(new TagFilter.Prefix("host", "host")));
    assertThat(prefix.admits(first, second)).isFalse();
  }

  @Test
  void aRangeOfBlocksIsWithinIfItsSeriesOrItsMetricMatches() {
    DatasetConfig config = TestEngine.dataset("main", new BlockLayout(Resolution.MILLISECONDS));
    try (Store memory = new MemoryStore();
        Engine blocks =
            Engine.open(
                new EngineConfig(directory, 32L << 20, List.of(config), "main"),
                (name, path, bytes) -> memory,
                micros::get)) {
      Dataset of = blocks.defaultDataset();
      BatchBuilder builder = new BatchBuilder();
      for (int host = 0; host < 3; host++) {
        builder.group(host(host)).add("value", START, 1.0);
      }
      assertThat(of.write(builder.build()).refused()).isZero();
      SeriesNumbers numbers = of.parts().open().index().numbers();
      int metric = numbers.find(new SeriesNumbers.Metric("cpu", "value"));
      List<Bytes> rows = new ArrayList<>();
      for (int series = 0; rows.size() < 3; series++) {
        if (numbers.key(series) >= 0) {
          rows.add(BlockKey.row(7, metric, series));
        }
      }
      RowsWithin one = ofBlocks(of, new TagFilter.Equal("host", "host-001"));
      assertThat(rows.stream().filter(row -> one.admits(row, row.successor()))).hasSize(1);
      assertThat(
              rows.stream().filter(row -> one.admits(row, Objects.requireNonNull(row.prefixEnd()))))
          .isEmpty();
      assertThat(one.admits(rows.get(0), rows.get(2))).isFalse();
      RowsWithin every = ofBlocks(of, new TagFilter.Equal("__name__", "cpu"));
      assertThat(every.admits(rows.get(0), rows.get(2))).isTrue();
      assertThat(every.admits(rows.get(0), BlockKey.row(8, metric, 0))).isFalse();
      assertThat(every.admits(rows.get(0), BlockKey.row(7, BlockKey.OF_TIMES, 0))).isFalse();
      Bytes times = BlockKey.row(7, BlockKey.OF_TIMES, 0);
      assertThat(every.admits(times, times.successor())).isFalse();
    }
  }

  private static RowsWithin ofBlocks(Dataset dataset, TagFilter filter) {
    return new RowsWithin(dataset.parts().open(), null, "blocks", of(filter), ReadGuard.NONE);
  }

  private RowName name(Bytes row) {
    return dataset().usage().heatMaps().name(data(), row);
  }

  private RowsWithin rows(SeriesBounds bounds) {
    HeatMaps maps = dataset().usage().heatMaps();
    return new RowsWithin(
        dataset().parts().open(), maps.placed(data()), data(), bounds, ReadGuard.NONE);
  }

  @Test
  void survivesARestartAndNamesRows() {
    open("rocksdb", "buckets");
    work(new Random(1), 20);
    String table = dataset().usage().heatMaps().tables().getFirst().name();
    Named before = map(table, 32);
    engine.close();
    open("rocksdb", "buckets");
    Named after = map(table, 32);
    assertThat(total(after.map())).isEqualTo(total(before.map()));
    assertThat(after.names()).isEqualTo(before.names());
    assertThat(after.names().stream().map(RowName::text))
        .anyMatch(text -> text.matches("cpu\\{host=\"host-\\d+\"} 2023-11-14T\\d\\d:00:00Z"));
  }

  /** The keys of the removed series go; what was counted before the delete does not. */
  @ParameterizedTest
  @CsvSource({"memory, buckets", "rocksdb, kairosdb"})
  void aDeleteTakesNoCountsOfOtherSeries(String kind, String layout) throws InterruptedException {
    open(kind, layout);
    work(new Random(1), 20);
    String table = dataset().usage().heatMaps().tables().getFirst().name();
    long written = total(map(table, 32).map()).writes();
    micros.addAndGet(1_000_000);
    Selector one =
        new Selector(
            List.of(
                new TagFilter.Equal("__name__", "cpu"), new TagFilter.Equal("host", "host-001")));
    Deletion deletion = dataset().deletes().begin(one, TimeRange.ALL);
    assertThat(deletion.await(Duration.ofSeconds(20))).isTrue();
    micros.addAndGet(1_000_000);
    Named after = map(table, 32);
    assertThat(total(after.map()).writes()).isGreaterThanOrEqualTo(written);
    assertThat(after.names().stream().map(RowName::text)).noneMatch(name -> name.contains("-001"));
    endMinute();
    assertThat(total(map(table, 32).map()).writes()).isGreaterThanOrEqualTo(written);
  }

  private static Load total(HeatMap map) {
    Load total = Load.NONE;
    for (int row = 0; row < map.rows().size(); row++) {
      total = total.plus(map.total(row));
    }
    return total;
  }

  @Test
  void evenLoadsFindNothing() {
    open("memory", "buckets");
    for (int minute = 0; minute < 5; minute++) {
      work(new Random(minute), 25);
      endMinute();
    }
    assertThat(findings(data())).isEmpty();
  }

  private List<HeatFinding> findings(String table) {
    return map(table, 64).findings();
  }

  private void writeMinutes(int minutes, LongFunction<GroupKey> keys) {
    for (int minute = 0; minute < minutes; minute++) {
      for (int batch = 0; batch < 10; batch++) {
        BatchBuilder builder = new BatchBuilder();
        for (int i = 0; i < 500; i++) {
          long now = micros.addAndGet(5_000) / 1000;
          builder.group(keys.apply(now)).add("value", now, 1.0 * i);
        }
        assertThat(dataset().write(builder.build()).refused()).isZero();
      }
      endMinute();
    }
  }

  @Test
  void aHotPartitionIsFoundWithItsNumbers() {
    open("memory", "buckets");
    Random random = new Random(3);
    writeMinutes(4, now -> host(random.nextInt(10) < 6 ? 42 : random.nextInt(HOSTS)));
    assertThat(findings(data())).hasSize(1);
    HeatFinding found = findings(data()).getFirst();
    assertThat(found.kind()).isEqualTo(HeatFinding.Kind.HOT_PARTITION);
    assertThat(found.row().labels()).containsEntry("host", "host-042");
    assertThat(found.text())
        .containsPattern("gets (5[5-9]|6[0-5]) % of the writes")
        .contains("of 20,000 cells");
  }

  @Test
  void aKeyThatTimeLeadsIsFound() {
    open("memory", "single-timestamp-packed");
    writeMinutes(6, now -> host(0));
    assertThat(findings(data()).stream().map(HeatFinding::kind))
        .contains(HeatFinding.Kind.TIME_LEADING_KEY);
    assertThat(findings(data()).getLast().text()).contains("In 5 of 5 steps");
  }

  @Test
  void aRowThatIsTooLargeIsFound() {
    SizeLimits small =
        new SizeLimits(4 << 10, 16 << 10, 1 << 20, 64 << 20, 40_000, Long.MAX_VALUE, 10, 100_000);
    store = new RecordedStore(new MemoryStore(small), micros::get);
    open("memory", "buckets");
    writeMinutes(2, now -> host(0));
    assertThat(findings(data())).isEmpty();
    TestEngine.read(dataset(), ReadRequest.of(Selector.metric("cpu"), TimeRange.ALL));
    assertThat(findings(data()))
        .extracting(HeatFinding::kind)
        .containsExactly(HeatFinding.Kind.OVERSIZED_ROW);
  }

  private String data() {
    return dataset().usage().heatMaps().tables().getFirst().name();
  }
}
