package dev.varve.matrix;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.engine.Dataset;
import dev.varve.engine.Engine;
import dev.varve.engine.config.DatasetConfig;
import dev.varve.engine.config.EngineConfig;
import dev.varve.engine.request.QueryExplanation;
import dev.varve.engine.request.ReadRequest;
import dev.varve.engine.request.ReadRequest.Order;
import dev.varve.engine.request.RunCursor;
import dev.varve.layout.Layout;
import dev.varve.layout.plan.Plan.Estimate;
import dev.varve.layout.plan.Plan.Strand;
import dev.varve.layout.registry.Layouts;
import dev.varve.model.BatchBuilder;
import dev.varve.model.GroupKey;
import dev.varve.model.Recurring;
import dev.varve.model.Resolution;
import dev.varve.model.Run;
import dev.varve.model.Selector;
import dev.varve.model.Series;
import dev.varve.model.TagFilter;
import dev.varve.model.Tags;
import dev.varve.model.TimeRange;
import dev.varve.model.Value;
import dev.varve.query.promql.eval.ScriptInDataset;
import dev.varve.store.ReadCost;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * Tests a dataset of one layout on one store. It returns what was written, also after a restart,
 * and in the same bits as on every other store, because all are compared with the same model. Reads
 * stay within a factor of two of what {@code explain} expects. PromQL queries give the results of
 * their scripts.
 */
final class DatasetsOnStore {
  private static final long START_SECONDS = 1_699_000_000;
  private static final long STEP_SECONDS = 1800;
  private static final int STEPS = 1000;

  /** Layouts with one row per series and day or hour. */
  private static final Set<String> SHORT_ROWS =
      Set.of("buckets", "salted", "market-data", "opentsdb");

  private final String kind;
  private final Map<String, String> options;
  private final Path directory;
  private final List<Layout> layouts;
  private final boolean hasShortRows;
  private final String name;
  private final Map<Series, TreeMap<Long, Value>> model = new HashMap<>();
  private final Random random = new Random(5);

  DatasetsOnStore(String kind, Map<String, String> options, Path directory, String layout) {
    this.kind = kind;
    this.options = options;
    this.directory = directory.resolve("engine-" + layout);
    this.layouts = Layouts.all(layout, Map.of());
    this.hasShortRows = SHORT_ROWS.contains(layout);
    this.name = "d-" + layout;
  }

  /** Returns the layouts of the catalog. All hold doubles at whole seconds. */
  static List<String> layouts() {
    return Layouts.list().stream().map(Layouts.Entry::name).toList();
  }

  void check() {
    try (Engine engine = open()) {
      write(engine.dataset(name));
      checkReads(engine.dataset(name));
      if (kind.equals("memory")) {
        checkQueries(engine.dataset(name));
        return;
      }
    }
    try (Engine engine = open()) {
      checkReads(engine.dataset(name));
      checkQueries(engine.dataset(name));
    }
  }

  private void checkQueries(Dataset dataset) {
    checkEstimates(dataset);
    for (Order order : Order.values()) {
      checkRecurring(dataset, order);
    }
    checkRowsLeftOut(dataset);
    ScriptInDataset.FOR_ALL.forEach(script -> ScriptInDataset.check(script, dataset));
    new SamplesOnStore(directory.resolve("memory"), layouts).check(dataset);
  }

  private Engine open() {
    DatasetConfig dataset =
        new DatasetConfig(
            name,
            new DatasetConfig.StoreConfig(kind, options),
            List.of(new DatasetConfig.PeriodConfig(Instant.MIN, List.copyOf(layouts))),
            null,
            DatasetConfig.Duplicates.LAST,
            Set.of(),
            false);
    return Engine.open(new EngineConfig(directory, RunningStore.MEMORY, List.of(dataset), name));
  }

  /** Writes evenly spaced samples, some of them late and some twice. */
  private void write(Dataset dataset) {
    for (int round = 0; round < 4; round++) {
      BatchBuilder batch = new BatchBuilder();
      for (int step = round; step < STEPS; step += 4) {
        add(batch, step);
        if (random.nextInt(10) == 0) {
          add(batch, random.nextInt(step + 1));
        }
      }
      assertThat(dataset.write(batch.build()).refused()).isZero();
    }
  }

  private void add(BatchBuilder batch, int step) {
    for (int host = 0; host < 3; host++) {
      GroupKey key = key(host);
      Value value = new Value.Real(random.nextInt(1000) / 8.0);
      long time = time(step);
      batch.add(key, time, value);
      model.computeIfAbsent(key.field("value"), series -> new TreeMap<>()).put(time, value);
    }
  }

  private static GroupKey key(int host) {
    return GroupKey.of(
        "cpu",
        Tags.of("host", "h" + host, "exchange", "x", "symbol", "s", "region", "r", "meter", "m"));
  }

  private long time(int step) {
    return Resolution.SECONDS.convert(
        START_SECONDS + step * STEP_SECONDS, layouts.getFirst().resolution());
  }

  private void checkReads(Dataset dataset) {
    Selector all = Selector.metric("cpu");
    assertThat(read(dataset, all, TimeRange.ALL)).isEqualTo(expected(TimeRange.ALL, host -> true));
    Selector some = Selector.metric("cpu", new TagFilter.In("host", Set.of("h0", "h2")));
    for (int i = 0; i < 4; i++) {
      TimeRange times = range(random.nextInt(STEPS), random.nextInt(STEPS));
      assertThat(read(dataset, some, times))
          .as("%s", times)
          .isEqualTo(expected(times, host -> !"h1".equals(host)));
    }
  }

  /** Reads at recurring times must not miss samples, whatever else they return. */
  private void checkRecurring(Dataset dataset, Order order) {
    TimeRange times = range(random.nextInt(STEPS), random.nextInt(STEPS));
    Recurring recurring = recurring();
    ReadRequest request = ReadRequest.of(Selector.metric("cpu"), times).with(recurring).with(order);
    assertThat(within(recurring, read(dataset, request)))
        .as("%s of %s, %s", recurring, times, order)
        .isEqualTo(within(recurring, expected(times, host -> true)));
  }

  /** Returns some hours of every second to fifth day. */
  private Recurring recurring() {
    long hour = Resolution.SECONDS.convert(3600, layouts.getFirst().resolution());
    return new Recurring(
        time(0) + random.nextInt(48) * hour,
        24 * hour * (2 + random.nextInt(4)),
        hour * (1 + random.nextInt(30)));
  }

  private static Map<Series, Map<Long, Value>> within(
      Recurring recurring, Map<Series, Map<Long, Value>> all) {
    Map<Series, Map<Long, Value>> within = new HashMap<>();
    all.forEach((series, samples) -> {
      Map<Long, Value> wanted = new TreeMap<>(samples);
      wanted.keySet().removeIf(time -> recurring.nextAt(time) != time);
      if (!wanted.isEmpty()) {
        within.put(series, wanted);
      }
    });
    return within;
  }

  private TimeRange range(int a, int b) {
    return new TimeRange(time(Math.min(a, b)), time(Math.max(a, b)));
  }

  private static Map<Series, Map<Long, Value>> read(
      Dataset dataset, Selector selector, TimeRange times) {
    return read(dataset, ReadRequest.of(selector, times));
  }

  private static Map<Series, Map<Long, Value>> read(Dataset dataset, ReadRequest request) {
    Map<Series, Map<Long, Value>> found = new HashMap<>();
    try (RunCursor cursor = dataset.read(request)) {
      for (Run run = cursor.next(); run != null; run = cursor.next()) {
        Map<Long, Value> samples = found.computeIfAbsent(run.series(), series -> new TreeMap<>());
        for (int i = 0; i < run.samples().size(); i++) {
          assertThat(samples.put(run.samples().time(i), run.samples().value(i))).isNull();
        }
      }
    }
    return found;
  }

  private Map<Series, Map<Long, Value>> expected(TimeRange times, Predicate<String> hosts) {
    Map<Series, Map<Long, Value>> expected = new HashMap<>();
    model.forEach((series, samples) -> {
      Map<Long, Value> within = new TreeMap<>();
      samples.forEach((time, value) -> {
        if (times.contains(time)) {
          within.put(time, value);
        }
      });
      if (hosts.test(series.key().tags().get("host")) && !within.isEmpty()) {
        expected.put(series, within);
      }
    });
    return expected;
  }

  /** Compares the estimates for half of the time, for one series and for all. */
  private void checkEstimates(Dataset dataset) {
    TimeRange half = range(STEPS / 4, 3 * STEPS / 4);
    for (Selector selector :
        List.of(
            Selector.metric("cpu"),
            Selector.metric("cpu", new TagFilter.In("host", Set.of("h1"))))) {
      QueryExplanation explained = dataset.explain(ReadRequest.of(selector, half), true);
      Estimate estimate = explained.reads().getFirst().plan().estimate();
      ReadCost cost = Objects.requireNonNull(explained.actual()).cost();
      estimate.cells().ifPresent(cells -> near("cells", cells, cost.cellsRead()));
      estimate.rows().ifPresent(rows -> near("rows", rows, cost.rows()));
      boolean filtered =
          explained.reads().getFirst().plan().groups().stream()
              .flatMap(group -> group.strands().stream())
              .anyMatch(Strand::filtered);
      assertThat(estimate.cells().isPresent() || filtered).as("the catalog has counts").isTrue();
    }
  }

  /** If a row covers a day or less, rows between recurring times are not read. */
  private void checkRowsLeftOut(Dataset dataset) {
    ReadRequest half = ReadRequest.of(Selector.metric("cpu"), range(STEPS / 4, 3 * STEPS / 4));
    long hour = Resolution.SECONDS.convert(3600, layouts.getFirst().resolution());
    ReadRequest recurring = half.with(new Recurring(half.times().from(), 96 * hour, hour));
    long rows = rowsRead(dataset, recurring);
    assertThat(rows).isLessThanOrEqualTo(rowsRead(dataset, half));
    if (hasShortRows) {
      assertThat(rows).as("rows read on %s in %s", kind, name).isBetween(3L, 24L);
    }
  }

  private static long rowsRead(Dataset dataset, ReadRequest request) {
    return Objects.requireNonNull(dataset.explain(request, true).actual()).cost().rows();
  }

  private void near(String what, long expected, long actual) {
    assertThat(actual)
        .as("%s read on %s in %s, expected %d", what, kind, name, expected)
        .isBetween(expected / 2, 2 * expected);
  }
}
