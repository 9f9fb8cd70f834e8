package dev.varve.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.engine.TestEngine.Sample;
import dev.varve.engine.request.QueryExplanation;
import dev.varve.engine.request.ReadRequest;
import dev.varve.engine.request.ReadRequest.Kinds;
import dev.varve.engine.request.ReadRequest.Order;
import dev.varve.engine.request.RunCursor;
import dev.varve.engine.request.WriteResult;
import dev.varve.layout.ReadScope.Versions;
import dev.varve.layout.StorageLayout;
import dev.varve.layout.registry.Layouts;
import dev.varve.model.Batch;
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
import dev.varve.store.Budget;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * All layouts return the same answers for the same data within their common domain: doubles, whole
 * seconds, tags that all of them can hold.
 */
class LayoutsAgreeTest {
  private static final long START_SECONDS = 1_699_000_000;
  private static final long SPAN_SECONDS = 40 * 24 * 3600;

  static Stream<String> layouts() {
    return Stream.concat(
        Stream.of("blocks"),
        Layouts.list().stream().map(Layouts.Entry::name).filter(name -> !name.equals("companion")));
  }

  @ParameterizedTest
  @MethodSource("layouts")
  void answersAsTheModelDoes(String name) {
    StorageLayout layout = Layouts.stored(name, Map.of()).getFirst();
    Random random = new Random(7);
    try (TestEngine engine = new TestEngine(TestEngine.dataset("main", layout))) {
      Model model = new Model();
      for (int round = 0; round < 6; round++) {
        Batch batch = batch(random, layout.resolution(), 400);
        engine.micros.addAndGet(10_000);
        assertThat(engine.write(batch))
            .isEqualTo(new WriteResult(batch.sampleCount(), 0, List.of()));
        model.write(batch);
        if (round == 3) {
          engine.restart();
        }
        if (round == 1 || round == 4) {
          engine.seal();
        }
      }
      check(engine, model, layout.resolution(), random);
    }
  }

  private static void check(TestEngine engine, Model model, Resolution resolution, Random random) {
    Selector cpu = Selector.metric("cpu");
    assertThat(engine.read(ReadRequest.of(cpu, TimeRange.ALL)))
        .isEqualTo(model.read(TimeRange.ALL, series -> series.metric().equals("cpu")));
    for (int i = 0; i < 12; i++) {
      TimeRange times = range(random, resolution);
      Selector some = Selector.metric("mem", new TagFilter.In("host", Set.of("a", "c")));
      Map<Series, List<Sample>> expected =
          model.read(
              times,
              series ->
                  series.metric().equals("mem") && !"b".equals(series.key().tags().get("host")));
      assertThat(engine.read(ReadRequest.of(some, times))).as("%s", times).isEqualTo(expected);
      assertThat(engine.read(with(some, times, Order.SERIES_BY_SERIES, 0)))
          .as("%s", times)
          .isEqualTo(expected);
      assertThat(newest(engine, with(some, times, Order.TIME_WITHIN_SERIES, 5)))
          .as("newest of %s", times)
          .isEqualTo(lastOf(expected, 5));
      checkRecurring(engine, with(some, times, order(random), 0), expected, random);
      QueryExplanation explained = engine.dataset().explain(ReadRequest.of(some, times), true);
      assertThat(explained.actual()).isNotNull();
      assertThat(explained.actual().samples())
          .isEqualTo(expected.values().stream().mapToLong(List::size).sum());
    }
    assertThat(seriesInOrder(engine))
        .isSortedAccordingTo(
            Comparator.comparing(Series::metric)
                .thenComparing(series -> series.key().tags().toString()));
  }

  private static Order order(Random random) {
    return random.nextBoolean() ? Order.SERIES_BY_SERIES : Order.TIME_WITHIN_SERIES;
  }

  /** A recurring read returns all samples at the requested times; any others must exist. */
  private static void checkRecurring(
      TestEngine engine, ReadRequest request, Map<Series, List<Sample>> all, Random random) {
    long length = request.times().to() - request.times().from();
    long step = 2 + random.nextLong(Math.max(1, length / 3));
    Recurring recurring =
        new Recurring(
            request.times().from() + random.nextLong(step), step, 1 + random.nextLong(step - 1));
    Map<Series, List<Sample>> read = engine.read(request.with(recurring));
    all.forEach((series, samples) -> {
      List<Sample> found = read.getOrDefault(series, List.of());
      assertThat(samples).as("%s of %s", recurring, request).containsSubsequence(found);
      assertThat(found)
          .as("%s of %s", recurring, request)
          .containsAll(
              samples.stream()
                  .filter(sample -> recurring.nextAt(sample.time()) == sample.time())
                  .toList());
    });
    assertThat(all.keySet()).containsAll(read.keySet());
  }

  private static List<Series> seriesInOrder(TestEngine engine) {
    List<Series> order = new ArrayList<>();
    ReadRequest request =
        with(
            new Selector(List.of(new TagFilter.Has("host"))),
            TimeRange.ALL,
            Order.SERIES_BY_SERIES,
            0);
    try (RunCursor cursor = engine.dataset().read(request)) {
      for (Run run = cursor.next(); run != null; run = cursor.next()) {
        if (order.isEmpty() || !order.getLast().equals(run.series())) {
          order.add(run.series());
        }
      }
    }
    assertThat(order).doesNotHaveDuplicates();
    return order;
  }

  /** Reads runs, which are returned newest first, into a list in ascending order. */
  private static Map<Series, List<Sample>> newest(TestEngine engine, ReadRequest request) {
    Map<Series, List<Sample>> read = new HashMap<>();
    try (RunCursor cursor = engine.dataset().read(request)) {
      for (Run run = cursor.next(); run != null; run = cursor.next()) {
        List<Sample> samples = new ArrayList<>();
        for (int i = 0; i < run.samples().size(); i++) {
          samples.add(new Sample(run.samples().time(i), run.samples().value(i)));
        }
        List<Sample> later = read.getOrDefault(run.series(), List.of());
        if (!later.isEmpty()) {
          assertThat(samples.getLast().time()).isLessThan(later.getFirst().time());
        }
        samples.addAll(later);
        read.put(run.series(), samples);
      }
    }
    return read;
  }

  private static Map<Series, List<Sample>> lastOf(Map<Series, List<Sample>> all, int count) {
    Map<Series, List<Sample>> last = new HashMap<>();
    all.forEach((series, samples) ->
        last.put(series, samples.subList(Math.max(0, samples.size() - count), samples.size())));
    return last;
  }

  private static ReadRequest with(Selector selector, TimeRange times, Order order, int newest) {
    return new ReadRequest(
        selector, times, null, Versions.LATEST, Kinds.ONE, order, newest, false, Budget.UNLIMITED);
  }

  private static TimeRange range(Random random, Resolution resolution) {
    long a = START_SECONDS + random.nextLong(SPAN_SECONDS);
    long b = START_SECONDS + random.nextLong(SPAN_SECONDS);
    return new TimeRange(
        Resolution.SECONDS.convert(Math.min(a, b), resolution),
        Resolution.SECONDS.convert(Math.max(a, b), resolution));
  }

  /** Creates a batch with late and repeated samples; samples of a key are mostly adjacent. */
  private static Batch batch(Random random, Resolution resolution, int samples) {
    BatchBuilder batch = new BatchBuilder();
    for (int i = 0; i < samples; i++) {
      long seconds = START_SECONDS + 600 * random.nextLong(SPAN_SECONDS / 600);
      batch.add(
          key(random),
          Resolution.SECONDS.convert(seconds, resolution),
          new Value.Real(random.nextInt(1000) / 8.0));
    }
    return batch.build();
  }

  private static GroupKey key(Random random) {
    return GroupKey.of(
        random.nextBoolean() ? "cpu" : "mem",
        Tags.of(
            "host", "abc".charAt(random.nextInt(3)) + "",
            "exchange", "x",
            "symbol", "s" + random.nextInt(2),
            "region", "r",
            "meter", "m"));
  }
}
