package dev.varve.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.varve.engine.error.OverloadedException;
import dev.varve.engine.error.QueryRefusedException;
import dev.varve.engine.request.ReadRequest.Kinds;
import dev.varve.layout.ReadScope.Versions;
import dev.varve.model.GroupKey;
import dev.varve.model.Resolution;
import dev.varve.model.Samples;
import dev.varve.model.Selector;
import dev.varve.model.Series;
import dev.varve.model.Tags;
import dev.varve.model.TimeRange;
import dev.varve.model.Value;
import dev.varve.query.Aggregation.Basic;
import dev.varve.query.Aggregation.Deviation;
import dev.varve.query.Aggregation.Percentile;
import dev.varve.query.Collected.Point;
import dev.varve.query.QueryPlan.Downsample;
import dev.varve.query.QueryPlan.Downsample.Stamp;
import dev.varve.query.QueryPlan.Merge;
import dev.varve.query.QueryPlan.Select;
import dev.varve.query.limit.QueryLimitException;
import dev.varve.query.limit.QueryLimits;
import dev.varve.query.running.QueryCapacity;
import dev.varve.query.running.QueryOrigin;
import dev.varve.query.running.QueryUse;
import dev.varve.query.running.RunningQueries;
import dev.varve.store.ReadCancelledException;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Compares operators with simple implementations over lists. */
class OperatorsTest {
  private static final Windows TENS = new Windows.Fixed(10, 3);

  private static Series series(String host, String dc) {
    return GroupKey.of("m", Tags.of("dc", dc, "host", host)).field(Series.DEFAULT_FIELD);
  }

  private static Select all() {
    return new Select(
        Selector.metric("m"), TimeRange.ALL, null, Versions.LATEST, Kinds.EACH, 0, false);
  }

  private static MemoryRuns runs(Series series, Value... values) {
    MemoryRuns runs = new MemoryRuns(Resolution.MILLISECONDS);
    for (int i = 0; i < values.length; i++) {
      runs.add(series, i, values[i]);
    }
    return runs;
  }

  /** One sample of a random data set. Times and series are few, so that they coincide. */
  record Sample(int host, int dc, long time, Value value) {
    Series series() {
      return OperatorsTest.series("h" + host, "d" + dc);
    }
  }

  @Provide
  Arbitrary<List<Sample>> numbers() {
    Arbitrary<Value> whole =
        Arbitraries.integers().between(-1000, 1000).map(v -> new Value.Int64(v));
    // Halves add up exactly in any order, so the expected result does not depend on it.
    Arbitrary<Value> real =
        Arbitraries.integers().between(-1000, 1000).map(v -> new Value.Real(v / 2.0));
    return samples(Arbitraries.oneOf(whole, real));
  }

  @Provide
  Arbitrary<List<Sample>> values() {
    Arbitrary<Value> text =
        Arbitraries.strings().alpha().ofMaxLength(3).map(v -> new Value.Text(v));
    Arbitrary<Value> whole = Arbitraries.integers().between(-9, 9).map(v -> new Value.Int64(v));
    Arbitrary<Value> real = Arbitraries.integers().between(-9, 9).map(v -> new Value.Real(v + 0.5));
    return samples(Arbitraries.oneOf(text, whole, real));
  }

  private static Arbitrary<List<Sample>> samples(Arbitrary<Value> values) {
    return Combinators.combine(
            Arbitraries.integers().between(0, 3),
            Arbitraries.integers().between(0, 1),
            Arbitraries.longs().between(-60, 60),
            values)
        .as(Sample::new)
        .list()
        .ofMinSize(1)
        .ofMaxSize(120)
        .map(list ->
            // One sample per series, time and kind, as in an engine.
            List.copyOf(
                list.stream()
                    .collect(
                        Collectors.toMap(
                            s -> s.host() + "," + s.dc() + "," + s.time() + "," + s.value().kind(),
                            s -> s,
                            (a, b) -> b,
                            TreeMap::new))
                    .values()));
  }

  private static MemoryRuns runs(List<Sample> samples) {
    MemoryRuns runs = new MemoryRuns(Resolution.MILLISECONDS);
    samples.forEach(sample -> runs.add(sample.series(), sample.time(), sample.value()));
    return runs;
  }

  private static double number(Value value) {
    return switch (value) {
      case Value.Int64 v -> v.value();
      case Value.Real v -> v.value();
      default -> throw new AssertionError(value);
    };
  }

  private static double aggregate(Aggregation aggregation, List<Double> values) {
    double sum = values.stream().mapToDouble(v -> v).sum();
    double mean = sum / values.size();
    double squares = values.stream().mapToDouble(v -> (v - mean) * (v - mean)).sum();
    List<Double> sorted = values.stream().sorted().toList();
    return switch (aggregation) {
      case Basic.AVG -> mean;
      case Basic.SUM -> sum;
      case Basic.MIN -> sorted.getFirst();
      case Basic.MAX -> sorted.getLast();
      case Basic.COUNT -> values.size();
      case Basic.FIRST -> values.getFirst();
      case Basic.LAST -> values.getLast();
      case Deviation d ->
          values.size() == 1 ? 0 : Math.sqrt(squares / (values.size() - (d.sample() ? 1 : 0)));
      case Percentile p -> {
        double place =
            p.rank() == Percentile.Rank.N_MINUS_1
                ? p.fraction() * (sorted.size() - 1)
                : p.fraction() * (sorted.size() + 1) - 1;
        double bounded = Math.clamp(place, 0, sorted.size() - 1);
        int below = (int) Math.floor(bounded);
        int above = Math.min(below + 1, sorted.size() - 1);
        yield sorted.get(below) + (bounded - below) * (sorted.get(above) - sorted.get(below));
      }
      default -> throw new AssertionError(aggregation);
    };
  }

  @Provide
  Arbitrary<Aggregation> aggregations() {
    return Arbitraries.of(
        Basic.AVG,
        Basic.SUM,
        Basic.MIN,
        Basic.MAX,
        Basic.COUNT,
        Basic.FIRST,
        Basic.LAST,
        Deviation.SAMPLE,
        Deviation.POPULATION,
        Percentile.of(0.5),
        Percentile.of(0.99),
        new Percentile(0.3, Percentile.Rank.N_PLUS_1));
  }

  @Property
  void downsamplesEachSeries(
      @ForAll("numbers") List<Sample> samples, @ForAll("aggregations") Aggregation aggregation) {
    Map<Series, TreeMap<Long, List<Double>>> expected = new HashMap<>();
    samples.stream()
        .sorted(Comparator.comparingLong(Sample::time).thenComparing(s -> s.value().kind()))
        .forEach(s ->
            expected
                .computeIfAbsent(s.series(), x -> new TreeMap<>())
                .computeIfAbsent(TENS.startOf(s.time()), x -> new ArrayList<>())
                .add(number(s.value())));
    Collected result =
        Collected.of(new Downsample(all(), TENS, aggregation, Stamp.START), runs(samples));
    assertThat(result.series).hasSameSizeAs(expected);
    result.series.forEach((one, points) -> {
      TreeMap<Long, List<Double>> windows = of(expected, one.sources().getFirst());
      assertThat(points).extracting(Point::time).containsExactlyElementsOf(windows.keySet());
      for (Point point : points) {
        assertThat(number(Objects.requireNonNull(point.value())))
            .isCloseTo(aggregate(aggregation, of(windows, point.time())), within(1e-9));
      }
    });
  }

  @Property
  void aggregatesWindowsThatOverlap(
      @ForAll("numbers") List<Sample> samples,
      @ForAll("aggregations") Aggregation aggregation,
      @ForAll @IntRange(min = 1, max = 45) int extent) {
    Map<Series, TreeMap<Long, List<Double>>> expected = new HashMap<>();
    samples.stream()
        .sorted(Comparator.comparingLong(Sample::time).thenComparing(s -> s.value().kind()))
        .forEach(s -> {
          TreeMap<Long, List<Double>> windows =
              expected.computeIfAbsent(s.series(), x -> new TreeMap<>());
          for (long end = TENS.endOf(TENS.startOf(s.time())); end - extent <= s.time(); end += 10) {
            windows.computeIfAbsent(end, x -> new ArrayList<>()).add(number(s.value()));
          }
        });
    Collected result =
        Collected.of(
            new QueryPlan.Rolling(all(), TENS, extent, aggregation, QueryPlan.Rolling.Edge.END),
            runs(samples));
    assertThat(result.series).hasSameSizeAs(expected);
    result.series.forEach((one, points) -> {
      TreeMap<Long, List<Double>> windows = of(expected, one.sources().getFirst());
      assertThat(points).extracting(Point::time).containsExactlyElementsOf(windows.keySet());
      for (Point point : points) {
        assertThat(number(Objects.requireNonNull(point.value())))
            .isCloseTo(aggregate(aggregation, of(windows, point.time())), within(1e-9));
      }
    });
  }

  @Property
  void alignsTheSeriesOfAGroup(
      @ForAll("numbers") List<Sample> samples, @ForAll QueryPlan.Align.Interpolation between) {
    Map<Integer, TreeSet<Long>> instants = new TreeMap<>();
    Map<Series, TreeMap<Long, Double>> known = new HashMap<>();
    List<Sample> oneKind =
        samples.stream().filter(s -> s.value() instanceof Value.Int64 == (s.host() < 2)).toList();
    for (Sample s : oneKind) {
      instants.computeIfAbsent(s.dc(), x -> new TreeSet<>()).add(s.time());
      known.computeIfAbsent(s.series(), x -> new TreeMap<>()).put(s.time(), number(s.value()));
    }
    Collected result =
        Collected.of(new QueryPlan.Align(all(), List.of("dc"), between), runs(oneKind));
    assertThat(result.series).hasSameSizeAs(known);
    result.series.forEach((one, points) -> {
      TreeMap<Long, Double> own = of(known, one.sources().getFirst());
      TreeMap<Long, Double> expected = new TreeMap<>();
      for (long time : of(instants, of(one.labels(), "dc").equals("d0") ? 0 : 1)) {
        Double value = aligned(own, time, between);
        if (value != null) {
          expected.put(time, value);
        }
      }
      assertThat(points).extracting(Point::time).containsExactlyElementsOf(expected.keySet());
      for (Point point : points) {
        assertThat(number(Objects.requireNonNull(point.value())))
            .isCloseTo(of(expected, point.time()), within(1e-9));
      }
    });
  }

  private static @Nullable Double aligned(
      NavigableMap<Long, Double> own, long time, QueryPlan.Align.Interpolation between) {
    Map.Entry<Long, Double> before = own.floorEntry(time);
    Map.Entry<Long, Double> after = own.ceilingEntry(time);
    if (own.containsKey(time)) {
      return own.get(time);
    }
    return switch (between) {
      case ZERO -> 0.0;
      case PREVIOUS -> before == null ? null : before.getValue();
      case LINEAR ->
          before == null || after == null
              ? null
              : before.getValue()
                  + (after.getValue() - before.getValue())
                      * (time - before.getKey())
                      / (after.getKey() - before.getKey());
    };
  }

  private static <K, V> V of(Map<K, V> map, K key) {
    return Objects.requireNonNull(map.get(key), () -> "nothing for " + key);
  }

  @Property
  void groupsAcrossSeries(
      @ForAll("numbers") List<Sample> samples, @ForAll("aggregations") Aggregation aggregation) {
    Map<String, TreeMap<Long, List<Double>>> expected = new TreeMap<>();
    samples.stream()
        .sorted(
            Comparator.comparing((Sample s) -> s.series().toString())
                .thenComparingLong(Sample::time)
                .thenComparing(s -> s.value().kind()))
        .forEach(s ->
            expected
                .computeIfAbsent("d" + s.dc(), x -> new TreeMap<>())
                .computeIfAbsent(s.time(), x -> new ArrayList<>())
                .add(number(s.value())));
    Collected result =
        Collected.of(new QueryPlan.GroupBy(all(), List.of("dc"), aggregation), runs(samples));
    assertThat(result.byLabels().keySet())
        .containsExactlyInAnyOrderElementsOf(
            expected.keySet().stream().map(dc -> Map.of("dc", dc)).toList());
    result
        .byLabels()
        .forEach((labels, points) -> {
          TreeMap<Long, List<Double>> instants = of(expected, of(labels, "dc"));
          assertThat(points).extracting(Point::time).containsExactlyElementsOf(instants.keySet());
          for (Point point : points) {
            assertThat(number(Objects.requireNonNull(point.value())))
                .isCloseTo(aggregate(aggregation, of(instants, point.time())), within(1e-9));
          }
        });
  }

  @Property
  void mergesInTheOrderOfTimeWhateverFitsIntoMemory(
      @ForAll("values") List<Sample> samples,
      @ForAll boolean descending,
      @ForAll @IntRange(min = 18, max = 40) int kilobytes) {
    Merge plan = new Merge(all(), List.of("dc"), descending, 0);
    Collected whole = Collected.of(plan, runs(samples));
    List<String> order = new ArrayList<>();
    whole.series.forEach((one, points) -> {
      order.add((one.text() ? "t" : "n") + one.labels().get("dc"));
      List<Sample> expected =
          samples.stream()
              .filter(s -> ("d" + s.dc()).equals(one.labels().get("dc")))
              .filter(s -> (s.value() instanceof Value.Text) == one.text())
              .toList();
      assertThat(one.sources())
          .containsExactlyInAnyOrderElementsOf(
              expected.stream().map(Sample::series).collect(Collectors.toSet()));
      assertThat(points)
          .containsExactlyInAnyOrderElementsOf(
              expected.stream().map(s -> new Point(s.time(), s.value())).toList());
      Comparator<Point> rising = Comparator.comparingLong(Point::time);
      if (!one.text()) {
        rising = rising.thenComparingDouble(p -> number(Objects.requireNonNull(p.value())));
      }
      assertThat(points).isSortedAccordingTo(descending ? rising.reversed() : rising);
    });
    assertThat(order).isSorted();
    Collected sliced = Collected.of(plan, runs(samples), kilobytes * 1024L);
    assertThat(shape(sliced)).isEqualTo(shape(whole));
  }

  /** Ignores the order of texts at the same instant, which is unspecified. */
  private static List<Object> shape(Collected collected) {
    return collected.series.entrySet().stream()
        .<Object>map(entry ->
            List.of(
                entry.getKey().labels(),
                entry.getKey().text(),
                entry.getValue().stream().map(Point::time).toList(),
                entry.getKey().text()
                    ? entry.getValue().stream()
                        .map(Object::toString)
                        .collect(Collectors.toCollection(TreeSet::new))
                    : entry.getValue()))
        .toList();
  }

  @Test
  void addsIntegersExactlyUntilTheyNoLongerFit() {
    Series one = series("a", "x");
    Downsample sum = new Downsample(all(), new Windows.Fixed(100, 0), Basic.SUM, Stamp.START);
    long big = (1L << 53) + 1;
    assertThat(Collected.of(sum, runs(one, new Value.Int64(big), new Value.Int64(2))).only())
        .containsExactly(Point.of(0, big + 2));
    assertThat(
            Collected.of(sum, runs(one, new Value.Int64(Long.MAX_VALUE), new Value.Int64(1)))
                .only())
        .containsExactly(Point.of(0, 0x1p63));
    assertThat(
            Collected.of(sum, runs(one, new Value.Int64(Long.MIN_VALUE), new Value.Int64(-1)))
                .only())
        .containsExactly(Point.of(0, -0x1p63));
    assertThat(Collected.of(sum, runs(one, new Value.Int64(1), new Value.Real(0.5))).only())
        .containsExactly(Point.of(0, 1.5));
  }

  @Test
  void keepsTheKindOfWhatItPicks() {
    Series one = series("a", "x");
    MemoryRuns runs =
        runs(
            one,
            new Value.Int64(3),
            new Value.Real(2.5),
            new Value.Real(Double.NaN),
            new Value.Int64(4));
    Windows wide = new Windows.Fixed(100, 0);
    assertThat(Collected.of(new Downsample(all(), wide, Basic.MIN, Stamp.START), runs).only())
        .containsExactly(Point.of(0, 2.5));
    assertThat(Collected.of(new Downsample(all(), wide, Basic.MAX, Stamp.LAST), runs).only())
        .containsExactly(Point.of(3, 4));
    assertThat(Collected.of(new Downsample(all(), wide, Basic.FIRST, Stamp.FIRST), runs).only())
        .containsExactly(Point.of(0, 3));
    assertThat(Collected.of(new Downsample(all(), wide, Basic.COUNT, Stamp.END), runs).only())
        .containsExactly(Point.of(100, 4));
  }

  @Test
  void negativeZeroIsLessThanZero() {
    Windows wide = new Windows.Fixed(100, 0);
    for (List<Double> order : List.of(List.of(-0.0, 0.0), List.of(0.0, -0.0))) {
      MemoryRuns runs =
          runs(series("a", "x"), new Value.Real(order.getFirst()), new Value.Real(order.getLast()));
      assertThat(Collected.of(new Downsample(all(), wide, Basic.MIN, Stamp.START), runs).only())
          .containsExactly(Point.of(0, -0.0));
      assertThat(Collected.of(new Downsample(all(), wide, Basic.MAX, Stamp.START), runs).only())
          .containsExactly(Point.of(0, 0.0));
    }
  }

  @Test
  void looksAcrossWindowsForTheRateOfACounter() {
    MemoryRuns runs = new MemoryRuns(Resolution.SECONDS);
    Series one = series("a", "x");
    long[] values = {10, 20, 40, 5, 10, 10};
    for (int i = 0; i < values.length; i++) {
      runs.add(one, 10L * i, new Value.Int64(values[i]));
    }
    Downsample rate = new Downsample(all(), new Windows.Fixed(20, 0), Basic.RATE, Stamp.START);
    // 0 and 10: 10 in 10 s; 20 and 30: 20, then 5 after a reset, in 20 s; 40 and 50: 5 in 20 s.
    assertThat(Collected.of(rate, runs).only())
        .containsExactly(Point.of(0, 1.0), Point.of(20, 1.25), Point.of(40, 0.25));
  }

  @Test
  void takesRatesAndDifferencesFromSampleToSample() {
    MemoryRuns runs = new MemoryRuns(Resolution.MILLISECONDS);
    Series one = series("a", "x");
    runs.add(one, 1000, new Value.Int64(10)).add(one, 3000, new Value.Real(5));
    Span second = Span.second(Resolution.MILLISECONDS);
    assertThat(Collected.of(new QueryPlan.Rate(all(), second, false, true), runs).only())
        .containsExactly(Point.of(3000, -2.5));
    assertThat(Collected.of(new QueryPlan.Rate(all(), second, true, true), runs).only())
        .containsExactly(Point.of(3000, 2.5));
    assertThat(Collected.of(new QueryPlan.Difference(all()), runs).only())
        .containsExactly(Point.of(3000, -5.0));
    runs.add(series("b", "x"), 3000, new Value.Int64(1));
    assertThatThrownBy(() -> Collected.of(new QueryPlan.Rate(merge(), second, false, true), runs))
        .isInstanceOf(QueryRefusedException.class)
        .hasMessageContaining("no time between them");
  }

  private static Merge merge() {
    return new Merge(all(), List.of(), false, 0);
  }

  @Test
  void marksGaps() {
    MemoryRuns runs = new MemoryRuns(Resolution.MILLISECONDS);
    Series one = series("a", "x");
    runs.add(one, 12, new Value.Int64(1)).add(one, 41, new Value.Int64(2));
    Windows tens = new Windows.Fixed(10, 0);
    Point first = Point.of(12, 1);
    Point second = Point.of(41, 2);
    assertThat(Collected.of(new QueryPlan.Gaps(all(), tens, 0L, 60L), runs).only())
        .containsExactly(gap(0), first, gap(20), gap(30), second, gap(50), gap(60));
    assertThat(Collected.of(new QueryPlan.Gaps(all(), tens, null, null), runs).only())
        .containsExactly(first, gap(20), gap(30), second);
    assertThatThrownBy(() ->
            Collected.of(new QueryPlan.Gaps(all(), new Windows.Fixed(1, 0), 0L, 20_000_000L), runs))
        .hasMessageContaining("windows of 1 from 0 hold no sample");
  }

  private static Point gap(long time) {
    return new Point(time, null);
  }

  @Test
  void ordersAndCuts() {
    MemoryRuns runs = new MemoryRuns(Resolution.MILLISECONDS);
    for (int host = 0; host < 4; host++) {
      for (int i = 0; i < 10; i++) {
        runs.add(series("h" + host, "x"), i, new Value.Int64(10L * ((host * 7) % 4) + i));
      }
    }
    QueryPlan byLast = new QueryPlan.Order(all(), QueryPlan.Order.By.LAST, true);
    Collected top = Collected.of(new QueryPlan.Limit(byLast, 2, 0), runs);
    assertThat(top.byLabels().keySet()).extracting(l -> l.get("host")).containsExactly("h1", "h2");
    Collected backwards =
        Collected.of(
            new QueryPlan.Limit(new QueryPlan.Order(all(), QueryPlan.Order.By.TIME, true), 1, 3),
            runs);
    assertThat(backwards.only()).extracting(Point::time).containsExactly(9L, 8L, 7L);
    Collected byLabels =
        Collected.of(new QueryPlan.Order(all(), QueryPlan.Order.By.LABELS, true), runs);
    assertThat(byLabels.byLabels().keySet())
        .extracting(l -> l.get("host"))
        .containsExactly("h3", "h2", "h1", "h0");
  }

  @Test
  void handsTheNewestOnInTheOrderOfTime() {
    MemoryRuns runs = new MemoryRuns(Resolution.MILLISECONDS);
    for (int i = 0; i < 40; i++) {
      runs.add(series("h0", "x"), i, new Value.Int64(i));
      runs.add(series("h1", "x"), i, new Value.Int64(i));
    }
    Select newest =
        new Select(
            all().selector(), all().times(), null, all().versions(), all().kinds(), 20, false);
    List<Long> rising = LongStream.range(20, 40).boxed().toList();
    assertThat(Collected.of(newest, runs).series.values())
        .hasSize(2)
        .allSatisfy(
            points -> assertThat(points).extracting(Point::time).containsExactlyElementsOf(rising));
    Collected backwards =
        Collected.of(new QueryPlan.Order(newest, QueryPlan.Order.By.TIME, true), runs);
    assertThat(backwards.series.values())
        .allSatisfy(points ->
            assertThat(points)
                .extracting(Point::time)
                .containsExactlyElementsOf(rising.reversed()));
    Collected merged = Collected.of(new Merge(newest, List.of("host"), true, 20), runs);
    assertThat(merged.series.values())
        .hasSize(2)
        .allSatisfy(points ->
            assertThat(points)
                .extracting(Point::time)
                .containsExactlyElementsOf(rising.reversed()));
  }

  @Test
  void readsNoSeriesBeyondTheLimit() {
    MemoryRuns runs = new MemoryRuns(Resolution.MILLISECONDS);
    for (int host = 0; host < 100; host++) {
      runs.add(series("h" + (100 + host), "x"), 0, new Value.Int64(1));
    }
    Collected.of(new QueryPlan.Limit(all(), 3, 0), runs);
    assertThat(runs.runs).isLessThan(6);
  }

  @Test
  void saysWhatAPercentileWouldHaveTaken() {
    MemoryRuns runs = new MemoryRuns(Resolution.MILLISECONDS);
    for (int i = 0; i < 10_000; i++) {
      runs.add(series("a", "x"), i, new Value.Real(i));
    }
    Downsample median =
        new Downsample(all(), new Windows.Fixed(100_000, 0), Percentile.of(0.5), Stamp.START);
    assertThat(Collected.of(median, runs, 200_000).only()).containsExactly(Point.of(0, 4999.5));
    assertThatThrownBy(() -> Collected.of(median, runs, 60_000))
        .isInstanceOf(QueryLimitException.class)
        .hasMessageContaining("needs 10000 values at once, 79 KiB, and a query may hold 59 KiB");
    try (RunningQueries others =
        new RunningQueries(
            new QueryCapacity(2, 2, Duration.ofSeconds(5), 60_000),
            ended -> {},
            Clock.systemUTC())) {
      assertThatThrownBy(() ->
              others.run(
                  new QueryOrigin("d", "promql", "up", "c", ""),
                  QueryLimits.DEFAULTS.withMemory(200_000),
                  known -> {},
                  query -> Collected.of(median, runs, query.use())))
          .isInstanceOf(OverloadedException.class)
          .hasMessageContaining("79 KiB, and other queries hold the memory");
    }
  }

  @Test
  void refusesToHoldMoreThanItMay() {
    MemoryRuns runs = new MemoryRuns(Resolution.MILLISECONDS);
    for (int i = 0; i < 10_000; i++) {
      runs.add(series("a", "x"), i, new Value.Real(i));
    }
    assertThatThrownBy(
            () -> Collected.of(new QueryPlan.GroupBy(all(), List.of(), Basic.SUM), runs, 100_000))
        .hasMessageContaining("grouping holds a result for every instant")
        .hasMessageContaining("98 KiB");
    assertThatThrownBy(() ->
            Collected.of(new QueryPlan.Order(all(), QueryPlan.Order.By.TIME, true), runs, 100_000))
        .hasMessageContaining("reversing a series holds all of it");
  }

  @Test
  void stopsWhenItIsCancelled() {
    MemoryRuns runs = new MemoryRuns(Resolution.MILLISECONDS);
    for (int i = 0; i < 1000; i++) {
      runs.add(series("a", "x"), i, new Value.Real(i));
    }
    QueryUse use = QueryUse.of(QueryLimits.DEFAULTS);
    QueryRun run = new QueryRun(all(), use.runs(runs), use);
    runs.beforeRun =
        () -> {
          if (runs.runs == 5) {
            run.cancel();
          }
        };
    Collected collected = new Collected();
    assertThatThrownBy(() -> run.into(collected)).isInstanceOf(ReadCancelledException.class);
    assertThat(collected.only()).hasSizeLessThan(50);
    assertThat(run.cost().rows()).isEqualTo(5);
  }

  @Test
  void refusesToAggregateTextsAndLetsThemPassWhereAsked() {
    MemoryRuns runs = runs(series("a", "x"), new Value.Text("up"), new Value.Text("down"));
    Windows wide = new Windows.Fixed(100, 0);
    Downsample average = new Downsample(merge(), wide, Basic.AVG, Stamp.START);
    assertThatThrownBy(() -> Collected.of(average, runs))
        .isInstanceOf(QueryRefusedException.class)
        .hasMessageContaining("avg cannot aggregate the texts of m");
    assertThat(Collected.of(new QueryPlan.Numbers(average), runs).only())
        .containsExactly(Point.of(0, "up"), Point.of(1, "down"));
    QueryPlan counted =
        new QueryPlan.Numbers(
            new Downsample(
                new Downsample(merge(), wide, Basic.COUNT, Stamp.START),
                wide,
                Basic.AVG,
                Stamp.START));
    assertThat(Collected.of(counted, runs).only()).containsExactly(Point.of(0, 2.0));
  }

  @Test
  void transformsSampleBySample() {
    MemoryRuns runs =
        runs(
            series("a", "x"),
            Stream.of(1, 2, 3, 4, 5).map(v -> new Value.Int64(v)).toArray(Value[]::new));
    assertThat(Collected.of(new QueryPlan.Scale(all(), 3, 2), runs).only())
        .extracting(Point::value)
        .containsExactly(
            new Value.Real(1.5),
            new Value.Real(3),
            new Value.Real(4.5),
            new Value.Real(6),
            new Value.Real(7.5));
    assertThat(Collected.of(new QueryPlan.MovingAverage(all(), 3), runs).only())
        .containsExactly(Point.of(2, 2.0), Point.of(3, 3.0), Point.of(4, 4.0));
    assertThat(Collected.of(new QueryPlan.Trim(all(), true, true), runs).only())
        .containsExactly(Point.of(1, 2), Point.of(2, 3), Point.of(3, 4));
    assertThat(
            Collected.of(new QueryPlan.Drop(all(), QueryPlan.Drop.Comparison.LT, 3.0, null), runs)
                .only())
        .containsExactly(Point.of(2, 3), Point.of(3, 4), Point.of(4, 5));
    assertThat(
            Collected.of(
                    new QueryPlan.Score(all(), List.of(2.0, 4.0), List.of(true, false), false),
                    runs)
                .only())
        .extracting(Point::value)
        .containsExactly(
            new Value.Int64(0),
            new Value.Int64(1),
            new Value.Int64(1),
            new Value.Int64(1),
            new Value.Int64(2));
  }

  @Test
  void samplesBeforeTheOriginBelongToTheFirstWindow() {
    MemoryRuns runs = new MemoryRuns(Resolution.MILLISECONDS);
    Series one = series("a", "x");
    runs.add(one, 12, new Value.Int64(1))
        .add(one, 23, new Value.Int64(2))
        .add(one, 31, new Value.Int64(4));
    Windows windows = new Windows.CutTowardsZero(new Windows.Fixed(10, 20), 20);
    assertThat(Collected.of(new Downsample(all(), windows, Basic.SUM, Stamp.START), runs).only())
        .containsExactly(Point.of(20, 3), Point.of(30, 4));
    assertThat(Collected.of(new QueryPlan.Gaps(all(), windows, 20L, 45L), runs).only())
        .containsExactly(Point.of(12, 1), Point.of(23, 2), Point.of(31, 4), gap(40));
  }

  @Test
  void aSampleBeforeTheFirstWindowFillsIt() {
    MemoryRuns runs = new MemoryRuns(Resolution.MILLISECONDS);
    runs.add(series("a", "x"), 12, new Value.Int64(1));
    assertThat(
            Collected.of(new QueryPlan.Gaps(all(), new Windows.Fixed(10, 0), 20L, 35L), runs)
                .only())
        .containsExactly(Point.of(12, 1), gap(30));
  }

  @Test
  void marksGapsWhereNothingMatches() {
    MemoryRuns runs = new MemoryRuns(Resolution.MILLISECONDS);
    Windows tens = new Windows.Fixed(10, 0);
    Merge always = new Merge(all(), List.of("dc"), false, 0, true);
    Collected marked = Collected.of(new QueryPlan.Gaps(always, tens, 0L, 20L), runs);
    assertThat(marked.only()).containsExactly(gap(0), gap(10), gap(20));
    assertThat(marked.series.keySet()).allMatch(series -> series.sources().isEmpty());
    assertThat(Collected.of(new QueryPlan.Gaps(merge(), tens, 0L, 20L), runs).series).isEmpty();
    assertThatThrownBy(() ->
            Collected.of(new QueryPlan.Gaps(always, new Windows.Fixed(1, 0), 0L, 1L << 40), runs))
        .isInstanceOf(QueryRefusedException.class)
        .hasMessageContaining("more than 10,000,000 windows");
  }

  @Test
  void movingAveragesFailOnceAFullWindowHasAGap() {
    MemoryRuns runs = new MemoryRuns(Resolution.MILLISECONDS);
    runs.add(series("a", "x"), 12, new Value.Int64(1));
    QueryPlan.Gaps three = new QueryPlan.Gaps(all(), new Windows.Fixed(10, 0), 0L, 20L);
    assertThat(Collected.of(new QueryPlan.MovingAverage(three, 4), runs).only()).isEmpty();
    assertThatThrownBy(() -> Collected.of(new QueryPlan.MovingAverage(three, 3), runs))
        .isInstanceOf(OperatorException.class)
        .hasMessage("moving average cannot take gaps; fill them last");
    QueryPlan.Gaps after = new QueryPlan.Gaps(all(), new Windows.Fixed(10, 0), 10L, 20L);
    assertThatThrownBy(() -> Collected.of(new QueryPlan.MovingAverage(after, 1), runs))
        .isInstanceOf(OperatorException.class);
  }

  @Test
  void gapsEndWhenTheRunIsCancelled() {
    MemoryRuns runs = new MemoryRuns(Resolution.MILLISECONDS);
    runs.add(series("a", "x"), 12, new Value.Int64(1));
    QueryPlan gaps = new QueryPlan.Gaps(all(), new Windows.Fixed(1, 0), 0L, 1_000_000L);
    QueryUse use = QueryUse.of(QueryLimits.DEFAULTS);
    QueryRun run = new QueryRun(gaps, use.runs(runs), use);
    List<Long> seen = new ArrayList<>();
    ResultSink cancelling =
        new ResultSink() {
          @Override
          public void begin(ResultSeries series) {}

          @Override
          public void samples(Samples samples, int from, int to) {}

          @Override
          public void gap(long time) {
            seen.add(time);
            run.cancel();
          }

          @Override
          public void end() {}
        };
    assertThatThrownBy(() -> run.into(cancelling)).isInstanceOf(ReadCancelledException.class);
    assertThat(seen).containsExactly(0L);
  }

  @Test
  void knowsTooLongGapsAhead() {
    Windows ones = new Windows.Fixed(1, 0);
    assertThat(new QueryPlan.Gaps(all(), ones, 0L, 9_999_999L).isTooLong()).isFalse();
    assertThat(new QueryPlan.Gaps(all(), ones, 0L, 10_000_000L).isTooLong()).isTrue();
    Windows seconds = new Windows.Fixed(1_000, 0);
    assertThat(new QueryPlan.Gaps(all(), seconds, 0L, 9_999_999_999L).isTooLong()).isFalse();
    assertThat(new QueryPlan.Gaps(all(), seconds, 999L, 10_000_000_000L).isTooLong()).isTrue();
    assertThat(new QueryPlan.Gaps(all(), ones, Long.MIN_VALUE, Long.MAX_VALUE).isTooLong())
        .isTrue();
    assertThat(new QueryPlan.Gaps(all(), ones, null, null).isTooLong()).isFalse();
  }

  @Test
  void trimsGapsAtTheEnds() {
    MemoryRuns runs = new MemoryRuns(Resolution.MILLISECONDS);
    runs.add(series("a", "x"), 12, new Value.Int64(1));
    QueryPlan gaps = new QueryPlan.Gaps(all(), new Windows.Fixed(10, 0), 0L, 30L);
    assertThat(Collected.of(new QueryPlan.Trim(gaps, true, true), runs).only())
        .containsExactly(Point.of(12, 1), gap(20));
    assertThat(Collected.of(new QueryPlan.Trim(gaps, false, true), runs).only())
        .containsExactly(gap(0), Point.of(12, 1), gap(20));
  }

  @Test
  void refusesTheFirstSampleAlone() {
    MemoryRuns runs = new MemoryRuns(Resolution.MILLISECONDS);
    QueryPlan refusing =
        new QueryPlan.Refuse(new Merge(all(), List.of(), false, 0, true), "no operator");
    assertThat(Collected.of(refusing, runs).only()).isEmpty();
    runs.add(series("a", "x"), 12, new Value.Int64(1));
    assertThatThrownBy(() -> Collected.of(refusing, runs))
        .isInstanceOf(OperatorException.class)
        .hasMessage("no operator");
  }

  @Test
  void namesTheOperatorThatMeetsEqualTimes() {
    MemoryRuns runs = new MemoryRuns(Resolution.MILLISECONDS);
    runs.add(series("a", "x"), 12, new Value.Int64(1));
    runs.add(series("b", "x"), 12, new Value.Int64(1));
    Span second = Span.second(Resolution.MILLISECONDS);
    assertThatThrownBy(() -> Collected.of(new QueryPlan.Rate(merge(), second, false, true), runs))
        .isInstanceOf(OperatorException.class)
        .hasMessageStartingWith("rate:");
    assertThatThrownBy(() -> Collected.of(new QueryPlan.Rate(merge(), second, false, false), runs))
        .isInstanceOf(OperatorException.class)
        .hasMessageStartingWith("sampler:");
  }
}
