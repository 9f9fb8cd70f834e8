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
import dev.varve.layout.Domain;
import dev.varve.layout.Layout;
import dev.varve.model.Batch;
import dev.varve.model.BatchBuilder;
import dev.varve.model.Bytes;
import dev.varve.model.GroupKey;
import dev.varve.model.Kind;
import dev.varve.model.Resolution;
import dev.varve.model.Run;
import dev.varve.model.Samples;
import dev.varve.model.Selector;
import dev.varve.model.Series;
import dev.varve.model.TagFilter;
import dev.varve.model.Tags;
import dev.varve.model.TimeRange;
import dev.varve.model.Value;
import dev.varve.store.TableSpec;
import dev.varve.store.TimeUse;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Writes samples of every kind that a layout holds to a dataset on one store and to one in memory.
 * Both must give the same answers, bit for bit and in the same order. One series has a burst.
 */
final class SamplesOnStore {
  private static final Comparator<Series> BY_NAME = Comparator.comparing(Series::toString);
  private static final int SAMPLES = 120;
  private static final int READS = 6;
  private static final long STEP_SECONDS = 3000;

  /** Two days before 1970, for layouts that hold such times. */
  private static final long EARLY_SECONDS = -172_800;

  private static final long LATE_SECONDS = 1_699_000_000;
  private static final List<Double> FINITE =
      List.of(0.0, -0.0, 1.5, -1e300, Double.MIN_VALUE, Double.MAX_VALUE, 1e-7, 123_456_789.125);
  private static final List<Double> NOT_FINITE =
      List.of(
          Double.NaN,
          Double.longBitsToDouble(0x7ff8_0000_0000_0123L),
          Double.POSITIVE_INFINITY,
          Double.NEGATIVE_INFINITY);
  private static final long[] INTEGERS = {
    0, 1, -1, 127, -128, 32_768, 1L << 31, 1L << 53, Long.MIN_VALUE, Long.MAX_VALUE
  };
  private static final List<String> TEXTS =
      List.of("a", "two words", "\u00e9\u4e2d\ud83c\udf0a", "x".repeat(2000), "1.5");

  private final Path directory;
  private final List<Layout> layouts;
  private final List<Double> numbers;
  private final long startSeconds;
  private final Map<Series, TreeMap<Long, Value>> model = new HashMap<>();
  private final Random random = new Random(11);

  /**
   * Creates samples of a separate metric.
   *
   * @param directory folder of the dataset in memory
   * @param layouts layouts of both datasets
   */
  SamplesOnStore(Path directory, List<Layout> layouts) {
    this.directory = directory;
    this.layouts = layouts;
    this.numbers = new ArrayList<>(FINITE);
    if (layouts.stream().noneMatch(one -> one.domain().numbers() == Domain.Numbers.FINITE)) {
      numbers.addAll(NOT_FINITE);
    }
    long early = Resolution.SECONDS.convert(EARLY_SECONDS, layouts.getFirst().resolution());
    this.startSeconds =
        layouts.stream()
                .allMatch(one -> one.domain().times().contains(early) && !hasEventTimes(one))
            ? EARLY_SECONDS
            : LATE_SECONDS;
  }

  /**
   * Some stores accept no cell times before 1970, so neither do samples whose times are cell times.
   */
  private static boolean hasEventTimes(Layout layout) {
    return layout.tables().stream()
        .map(TableSpec::families)
        .flatMap(List::stream)
        .anyMatch(family -> family.time() == TimeUse.DATA);
  }

  /** Writes the samples to a dataset with other metrics, and compares its answers. */
  void check(Dataset dataset) {
    List<Batch> batches = batches();
    List<ReadRequest> requests = requests();
    List<List<Answered>> expected = fromMemory(batches, requests);
    assertThat(expected.getFirst()).as("what was written last").isEqualTo(written());
    List<List<Answered>> found = answers(dataset, batches, requests);
    for (int i = 0; i < requests.size(); i++) {
      assertThat(found.get(i)).as("%s", requests.get(i)).isEqualTo(expected.get(i));
    }
  }

  /**
   * The samples of one series as they were read, those of a kind in the order of time.
   *
   * @param bits bits of the numbers
   * @param texts values of the kind text
   */
  private record Answered(
      Series series, Kind kind, List<Long> times, List<Long> bits, List<Bytes> texts) {
    private Answered(Series series, Kind kind) {
      this(series, kind, new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
    }

    private void add(Samples samples) {
      for (int i = 0; i < samples.size(); i++) {
        add(samples.time(i), samples.value(i));
      }
    }

    private void add(long time, Value value) {
      times.add(time);
      switch (value) {
        case Value.Real real -> bits.add(Double.doubleToRawLongBits(real.value()));
        case Value.Int64 integer -> bits.add(integer.value());
        case Value.Text text -> texts.add(Bytes.utf8(text.value()));
        case Value.Raw raw -> throw new AssertionError("no sample: " + raw);
      }
    }
  }

  private List<List<Answered>> fromMemory(List<Batch> batches, List<ReadRequest> requests) {
    DatasetConfig dataset =
        new DatasetConfig(
            "samples",
            new DatasetConfig.StoreConfig("memory", Map.of()),
            List.of(new DatasetConfig.PeriodConfig(Instant.MIN, List.copyOf(layouts))),
            null,
            DatasetConfig.Duplicates.LAST,
            Set.of(),
            false);
    EngineConfig config =
        new EngineConfig(directory, RunningStore.MEMORY, List.of(dataset), dataset.name());
    try (Engine engine = Engine.open(config)) {
      return answers(engine.defaultDataset(), batches, requests);
    }
  }

  private List<List<Answered>> answers(
      Dataset dataset, List<Batch> batches, List<ReadRequest> requests) {
    batches.forEach(batch -> assertThat(dataset.write(batch).rejections()).isEmpty());
    checkEstimateOfBurst(dataset);
    return requests.stream().map(request -> answer(dataset, request)).toList();
  }

  /**
   * Joins successive runs of one series: where runs are cut does not matter, nor how series
   * alternate unless they were requested in turn.
   */
  private static List<Answered> answer(Dataset dataset, ReadRequest request) {
    Map<Series, List<Answered>> bySeries = new LinkedHashMap<>();
    boolean inTurn = request.order() == Order.SERIES_BY_SERIES;
    Series before = null;
    try (RunCursor cursor = dataset.read(request)) {
      for (Run run = cursor.next(); run != null; run = cursor.next()) {
        Series series = run.series();
        assertThat(inTurn && !series.equals(before) && bySeries.containsKey(series))
            .as("%s comes again after %s", series, before)
            .isFalse();
        before = series;
        List<Answered> parts = bySeries.computeIfAbsent(series, absent -> new ArrayList<>());
        Kind kind = run.samples().kind();
        if (parts.isEmpty() || parts.getLast().kind() != kind) {
          parts.add(new Answered(series, kind));
        }
        parts.getLast().add(run.samples());
      }
    }
    Stream<Series> found = bySeries.keySet().stream();
    return (inTurn ? found : found.sorted(BY_NAME))
        .flatMap(series -> Objects.requireNonNull(bySeries.get(series)).stream())
        .toList();
  }

  /** Returns what a read of everything must return. */
  private List<Answered> written() {
    List<Answered> written = new ArrayList<>();
    model.keySet().stream()
        .sorted(BY_NAME)
        .forEach(series -> {
          TreeMap<Long, Value> samples = Objects.requireNonNull(model.get(series));
          Answered one = new Answered(series, samples.firstEntry().getValue().kind());
          samples.forEach((time, value) -> one.add(time, asHeld(value)));
          written.add(one);
        });
    return written;
  }

  private Value asHeld(Value value) {
    boolean oneNan =
        layouts.stream().anyMatch(layout -> layout.domain().numbers() == Domain.Numbers.ONE_NAN);
    return oneNan && value instanceof Value.Real real && Double.isNaN(real.value())
        ? new Value.Real(Double.NaN)
        : value;
  }

  /**
   * Checks the estimate for the whole time of a series that has most of its samples in a few
   * minutes.
   */
  private void checkEstimateOfBurst(Dataset dataset) {
    Selector burst = Selector.metric("mixed", new TagFilter.Equal("host", "burst"));
    QueryExplanation explained = dataset.explain(ReadRequest.of(burst, whole()), true);
    OptionalLong cells = explained.reads().getFirst().plan().estimate().cells();
    long read = Objects.requireNonNull(explained.actual()).cost().cellsRead();
    assertThat(cells).as("cells expected of a series that has counts").isPresent();
    assertThat(read)
        .as("cells read, expected %d", cells.getAsLong())
        .isBetween(cells.getAsLong() / 2, 2 * cells.getAsLong());
  }

  private List<ReadRequest> requests() {
    Selector all = Selector.metric("mixed");
    Selector some = Selector.metric("mixed", new TagFilter.In("host", Set.of("STRING", "burst")));
    List<ReadRequest> requests = new ArrayList<>();
    for (Order order : Order.values()) {
      requests.add(ReadRequest.of(all, whole()).with(order));
      for (int i = 0; i < READS; i++) {
        long a = time(random.nextInt(SAMPLES));
        long b = time(random.nextInt(SAMPLES));
        TimeRange times = new TimeRange(Math.min(a, b), Math.max(a, b));
        requests.add(ReadRequest.of(i % 2 == 0 ? all : some, times).with(order));
      }
    }
    return requests;
  }

  /** Returns batches of samples, some of the second one at times of the first. */
  private List<Batch> batches() {
    List<Batch> batches = new ArrayList<>();
    for (int round = 0; round < 2; round++) {
      BatchBuilder batch = new BatchBuilder();
      for (int i = round * SAMPLES / 3; i < (2 + round) * SAMPLES / 3; i++) {
        for (Kind one : Kind.values()) {
          if (layouts.stream().allMatch(layout -> layout.domain().kinds().contains(one))) {
            add(batch, one.name(), time(i), value(one));
          }
        }
        add(batch, "zero", time(i), new Value.Real(-0.0));
      }
      addBurst(batch, round);
      batches.add(batch.build());
    }
    return batches;
  }

  /** Adds ten samples over the whole time, and a hundred within five minutes. */
  private void addBurst(BatchBuilder batch, int round) {
    for (int i = 0; i < 5; i++) {
      add(batch, "burst", time((2 * i + round) * SAMPLES / 10), new Value.Real(i));
    }
    for (int i = 0; i < 50; i++) {
      long late = 3L * (2 * i + round);
      add(batch, "burst", time(SAMPLES / 3, late), new Value.Real(i / 8.0));
    }
  }

  private void add(BatchBuilder batch, String host, long time, Value value) {
    GroupKey key = key(host);
    batch.add(key, time, value);
    model
        .computeIfAbsent(key.field(Series.DEFAULT_FIELD), series -> new TreeMap<>())
        .put(time, value);
  }

  private Value value(Kind of) {
    return switch (of) {
      case INT64 -> new Value.Int64(INTEGERS[random.nextInt(INTEGERS.length)]);
      case STRING -> new Value.Text(TEXTS.get(random.nextInt(TEXTS.size())));
      case DOUBLE -> new Value.Real(numbers.get(random.nextInt(numbers.size())));
    };
  }

  private static GroupKey key(String host) {
    return GroupKey.of(
        "mixed",
        Tags.of(
            "host", host,
            "exchange", "x",
            "symbol", "s",
            "region", "r",
            "meter", "m"));
  }

  /** Returns the span of these samples; others in the dataset may be many partitions away. */
  private TimeRange whole() {
    return new TimeRange(time(0), time(SAMPLES));
  }

  private long time(int step) {
    return time(step, 0);
  }

  private long time(int step, long moreSeconds) {
    return Resolution.SECONDS.convert(
        startSeconds + step * STEP_SECONDS + moreSeconds, layouts.getFirst().resolution());
  }
}
