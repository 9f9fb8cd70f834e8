package dev.varve.engine;

import static dev.varve.engine.TestEngine.dataset;
import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.engine.TestEngine.Sample;
import dev.varve.engine.request.ReadRequest;
import dev.varve.engine.request.ReadRequest.Kinds;
import dev.varve.engine.request.ReadRequest.Order;
import dev.varve.layout.ReadScope.Versions;
import dev.varve.layout.registry.Layouts;
import dev.varve.model.GroupKey;
import dev.varve.model.Selector;
import dev.varve.model.Tags;
import dev.varve.model.TimeRange;
import dev.varve.model.Value;
import dev.varve.store.Budget;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Reads return samples in the order of time even if row keys are not. */
class RowOrderTest {
  private static final GroupKey KEY = GroupKey.of("m", Tags.of("host", "a"));
  private static final GroupKey OTHER = GroupKey.of("m", Tags.of("host", "b"));
  private static final long WEEKS = 1_814_400_000L;

  private final List<TestEngine> engines = new ArrayList<>();

  @AfterEach
  void close() {
    engines.forEach(TestEngine::close);
  }

  /** KairosDB's rows from before 1970 overlap and sort after all others. */
  @Test
  void readsKairosDbFromBefore1970() {
    check(
        "kairosdb",
        Map.of(),
        List.of(
            -2 * WEEKS - 3,
            -WEEKS - 1,
            -WEEKS,
            -WEEKS + 1,
            -WEEKS / 2,
            -7L,
            -6L,
            -1L,
            0L,
            5L,
            WEEKS));
  }

  @Test
  void readsManyRowsOfKairosDbThatLieOverOneAnother() {
    Random random = new Random(7);
    TreeSet<Long> times = new TreeSet<>();
    while (times.size() < 100) {
      times.add(random.nextLong(-100, 50));
    }
    check("kairosdb", Map.of("unit", "legacy", "rowWidth", "20"), List.copyOf(times));
  }

  /** OpenTSDB's rows from after 2106 are interleaved with those of other times. */
  @Test
  void readsOpenTsdbFromAfter2106() {
    check(
        "opentsdb",
        Map.of(),
        List.of(
            1L,
            1_356_998_400_000L,
            4_294_969_199_999L,
            4_294_969_200_000L,
            5_651_966_000_000L,
            8_589_934_799_999L,
            8_589_934_800_000L,
            9_999_999_999_999L));
  }

  /** A row of KairosDB holds one kind, so the newest sample may be in any of several rows. */
  @Test
  void readsTheNewestOfRowsOfSeveralKinds() {
    TestEngine engine = engine("kairosdb", Map.of());
    for (int row = 0; row < 4; row++) {
      engine.put(KEY, row * WEEKS, new Value.Int64(row));
    }
    engine.put(KEY, 1, new Value.Real(0.5));

    assertThat(samples(engine, request(TimeRange.ALL, 1)))
        .containsExactly(new Sample(3 * WEEKS, new Value.Int64(3)));
    assertThat(samples(engine, request(TimeRange.ALL, 0)))
        .extracting(Sample::time)
        .containsExactly(0L, 1L, WEEKS, 2 * WEEKS, 3 * WEEKS);
  }

  private void check(String layout, Map<String, String> parameters, List<Long> times) {
    TestEngine engine = engine(layout, parameters);
    List<Long> shuffled = new ArrayList<>(times);
    Collections.shuffle(shuffled, new Random(1));
    for (long time : shuffled) {
      engine.put(KEY, time, valueAt(time));
      engine.put(OTHER, time, valueAt(time));
    }
    List<TimeRange> ranges = new ArrayList<>(List.of(TimeRange.ALL));
    for (int i = 0; i < times.size(); i += 2) {
      ranges.add(new TimeRange(times.get(i), Long.MAX_VALUE));
      ranges.add(new TimeRange(times.get(i / 2), times.get(i)));
    }
    for (TimeRange range : ranges) {
      List<Long> wanted = times.stream().filter(range::contains).toList();
      assertThat(samples(engine, request(range, 0)))
          .as("%s", range)
          .isEqualTo(wanted.stream().map(time -> new Sample(time, valueAt(time))).toList());
      List<Long> newest = wanted.subList(Math.max(0, wanted.size() - 3), wanted.size());
      assertThat(samples(engine, request(range, 3)))
          .as("newest of %s", range)
          .extracting(Sample::time)
          .containsExactlyInAnyOrderElementsOf(newest);
    }
  }

  /**
   * Returns values of two kinds, so that rows of both are read in parallel if a row holds one kind.
   */
  private static Value valueAt(long time) {
    return time % 2 == 0 ? new Value.Int64(time) : new Value.Real(time);
  }

  private TestEngine engine(String layout, Map<String, String> parameters) {
    TestEngine engine = new TestEngine(dataset("main", Layouts.of(layout, parameters)));
    engines.add(engine);
    return engine;
  }

  private static ReadRequest request(TimeRange times, int newestFirst) {
    return new ReadRequest(
        Selector.metric("m"),
        times,
        null,
        Versions.LATEST,
        Kinds.ONE,
        Order.TIME_WITHIN_SERIES,
        newestFirst,
        false,
        Budget.UNLIMITED);
  }

  private static List<Sample> samples(TestEngine engine, ReadRequest request) {
    return engine.read(request).getOrDefault(KEY.field("value"), List.of());
  }
}
