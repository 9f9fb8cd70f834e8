package dev.varve.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.varve.engine.TestEngine.Sample;
import dev.varve.engine.blocks.BlockTiers;
import dev.varve.engine.check.CheckFinding;
import dev.varve.engine.check.CheckRun;
import dev.varve.engine.config.DatasetConfig;
import dev.varve.engine.error.QueryRefusedException;
import dev.varve.engine.request.PointExplanation;
import dev.varve.engine.request.ReadRequest;
import dev.varve.engine.request.RunCursor;
import dev.varve.engine.request.WriteResult;
import dev.varve.layout.CellDescription;
import dev.varve.layout.ReadScope.Versions;
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
import dev.varve.model.Tags;
import dev.varve.model.TimeRange;
import dev.varve.model.Value;
import dev.varve.store.CellBatch;
import dev.varve.store.CellCursor;
import dev.varve.store.FamilySelect;
import dev.varve.store.ReadPlan;
import dev.varve.store.Slice;
import dev.varve.store.Table;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Behaviour of datasets in blocks that other layouts do not have. */
class BlocksTest {
  private static final GroupKey KEY = GroupKey.of("m", Tags.of("host", "a"));
  private static final BlockLayout BLOCKS = new BlockLayout(Resolution.MILLISECONDS);
  private static final long NOW = TestEngine.START_MICROS / 1000;
  private static final long DAY = Duration.ofDays(1).toMillis();

  @Test
  void lastAcceptedSampleWinsWhateverWasSealed() {
    try (TestEngine test = new TestEngine(TestEngine.dataset("main", BLOCKS))) {
      test.put(KEY, NOW, new Value.Real(1));
      test.seal();
      test.put(KEY, NOW, new Value.Int64(2));
      assertThat(read(test)).containsExactly(new Sample(NOW, new Value.Int64(2)));
      test.seal();
      assertThat(read(test)).containsExactly(new Sample(NOW, new Value.Int64(2)));
      test.put(KEY, NOW, new Value.Text("three"));
      test.restart();
      assertThat(read(test)).containsExactly(new Sample(NOW, new Value.Text("three")));
    }
  }

  @Test
  void aReadSeesWhatWasInMemoryWhenItBeganWhateverIsSealed() {
    try (TestEngine test = new TestEngine(TestEngine.dataset("main", BLOCKS))) {
      for (int round = 0; round < 3; round++) {
        long time = NOW + round;
        putFifty(test, time, round);
        Map<Series, Integer> seen = new HashMap<>();
        ReadRequest request = ReadRequest.of(Selector.metric("m"), TimeRange.closed(time, time));
        try (RunCursor cursor = test.dataset().read(request)) {
          for (Run run = cursor.next(); run != null; run = cursor.next()) {
            assertThat(run.samples().value(0)).isEqualTo(new Value.Int64(round));
            seen.merge(run.series(), 1, Integer::sum);
            if (seen.size() == 1) {
              test.seal();
              putFifty(test, time, -1);
              test.seal();
            }
          }
        }
        assertThat(seen).hasSize(50);
      }
    }
  }

  private static void putFifty(TestEngine test, long time, int value) {
    for (int host = 0; host < 50; host++) {
      test.put(GroupKey.of("m", Tags.of("host", "h" + host)), time, new Value.Int64(value));
    }
  }

  @Test
  void mergesBlocksThatManySealsLeft() {
    try (TestEngine test = new TestEngine(TestEngine.dataset("main", BLOCKS))) {
      List<Sample> expected = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        test.put(KEY, NOW + i, new Value.Real(i));
        expected.add(new Sample(NOW + i, new Value.Real(i)));
        test.seal();
        assertThat(read(test)).isEqualTo(expected);
      }
      assertThat(test.dataset().parts().figures().get("blocks_merged_bytes_total")).isPositive();
      test.restart();
      assertThat(read(test)).isEqualTo(expected);
      assertThat(findings(test)).isEmpty();
    }
  }

  @Test
  void seriesThatAreWrittenTogetherShareTheirTimes() {
    try (TestEngine test = new TestEngine(TestEngine.dataset("main", BLOCKS))) {
      Random random = new Random(5);
      Map<Series, List<Sample>> expected = new HashMap<>();
      long time = NOW;
      for (int round = 0; round < 20; round++) {
        for (int i = 0; i < 20; i++) {
          time += 1 + random.nextInt(2000);
          for (int host = 0; host < 6; host++) {
            // One host misses samples now and then, and one writes an older sample again.
            if (host == 4 && random.nextInt(10) == 0) {
              continue;
            }
            GroupKey key = GroupKey.of("m" + host % 2, Tags.of("host", "h" + host));
            Value value = new Value.Real(random.nextInt(100));
            test.put(key, time, value);
            expected
                .computeIfAbsent(key.field(Series.DEFAULT_FIELD), one -> new ArrayList<>())
                .add(new Sample(time, value));
          }
        }
        test.seal();
        assertThat(all(test)).isEqualTo(expected);
      }
      assertThat(timeColumns(test)).isBetween(1, 12);
      test.restart();
      assertThat(all(test)).isEqualTo(expected);
      assertThat(findings(test)).isEmpty();
    }
  }

  private static int timeColumns(TestEngine test) {
    Table table = Objects.requireNonNull(tiers(test)).table();
    ReadPlan plan =
        ReadPlan.of(
            List.of(Slice.rows(Bytes.EMPTY, Bytes.EMPTY, null)),
            List.of(FamilySelect.latest(BlockLayout.TIMES)));
    int count = 0;
    CellBatch page = new CellBatch();
    try (CellCursor cursor = table.read(plan, null)) {
      while (cursor.next(page)) {
        count += page.size();
      }
    }
    return count;
  }

  private static BlockTiers tiers(TestEngine test) {
    return test.dataset().parts().open().periods().of(NOW).tiers();
  }

  private static Map<Series, List<Sample>> all(TestEngine test) {
    Map<Series, List<Sample>> all = new HashMap<>();
    for (String metric : List.of("m0", "m1")) {
      all.putAll(test.read(ReadRequest.of(Selector.metric(metric), TimeRange.ALL)));
    }
    return all;
  }

  @Test
  void dropsBlocksOfExpiredBuckets() {
    DatasetConfig config =
        TestEngine.withRetention(TestEngine.dataset("main", BLOCKS), Duration.ofDays(3));
    try (TestEngine test = new TestEngine(config)) {
      test.put(KEY, NOW - 2 * DAY, new Value.Real(1));
      test.put(KEY, NOW, new Value.Real(2));
      test.seal();
      BlockTiers tiers = test.dataset().parts().open().periods().of(NOW).tiers();
      assertThat(tiers.view().buckets(TimeRange.ALL)).hasSize(2);
      test.micros.addAndGet(Duration.ofDays(3).toNanos() / 1000);
      test.put(KEY, NOW + 1, new Value.Real(3));
      test.seal();
      await().untilAsserted(() -> assertThat(tiers.view().buckets(TimeRange.ALL)).hasSize(1));
      assertThat(read(test)).hasSize(2);
    }
  }

  @Test
  void refusesWhatBlocksCannotHoldByName() {
    try (TestEngine test = new TestEngine(TestEngine.dataset("main", BLOCKS))) {
      Attribute attribute = new Attribute(KEY, "unit", null, new Value.Text("s"));
      WriteResult result = test.dataset().write(new Batch(List.of(), List.of(attribute)));
      assertThat(result.refusedByRule()).isEqualTo(Map.of("blocks.attribute", 1));
      test.put(KEY, NOW, new Value.Real(1));
      ReadRequest all = ReadRequest.of(Selector.metric("m"), TimeRange.ALL);
      ReadRequest versions =
          new ReadRequest(
              all.selector(),
              all.times(),
              null,
              Versions.ALL,
              all.kinds(),
              all.order(),
              0,
              false,
              all.budget());
      assertThatThrownBy(() -> test.dataset().read(versions))
          .isInstanceOf(QueryRefusedException.class)
          .hasMessageContaining("layout 'blocks'");
      Batch described = new Batch(List.of(), List.of(attribute));
      assertThatThrownBy(() -> test.dataset().explain(described))
          .isInstanceOf(QueryRefusedException.class)
          .hasMessageContaining("blocks.attribute");
    }
  }

  @Test
  void explainsTheBlockOfPointsAlone() {
    try (TestEngine test = new TestEngine(TestEngine.dataset("main", BLOCKS))) {
      test.put(KEY, NOW, new Value.Real(1));
      GroupKey other = GroupKey.of("m", Tags.of("host", "b"));
      Batch points =
          new BatchBuilder()
              .add(KEY, NOW + 5, new Value.Real(2.5))
              .add(KEY, NOW + 6, new Value.Int64(3))
              .add(other, NOW, new Value.Text("text"))
              .build();
      List<PointExplanation> cells = test.dataset().explain(points);
      assertThat(cells.stream().map(PointExplanation::family)).containsExactly("h", "b", "h", "b");
      assertThat(cells.get(1).description().summary())
          .contains("series 0 of metric 0", (NOW + 5) + "=2.5", (NOW + 6) + "=3");
      assertThat(cells.get(3).description().summary())
          .contains("series 1 of metric 0", NOW + "='text'");
      for (PointExplanation cell : cells) {
        assertThat(bytes(cell, "row")).isEqualTo(cell.row().length());
        assertThat(bytes(cell, "qualifier")).isEqualTo(cell.qualifier().length());
        assertThat(bytes(cell, "value")).isEqualTo(cell.value().length());
      }
      assertThat(test.dataset().parts().open().index().numbers().size()).isEqualTo(1);
    }
  }

  /** Returns how many bytes of a coordinate are described, one after the other. */
  private static int bytes(PointExplanation cell, String coordinate) {
    int at = 0;
    for (CellDescription.Part part : cell.description().parts()) {
      if (part.coordinate().equals(coordinate)) {
        assertThat(part.from()).isEqualTo(at);
        at = part.to();
      }
    }
    return at;
  }

  @Test
  void keepsNumbersOfSeriesAcrossRestarts() {
    try (TestEngine test = new TestEngine(TestEngine.dataset("main", BLOCKS))) {
      for (int round = 0; round < 3; round++) {
        for (int host = 0; host < 5 * (round + 1); host++) {
          GroupKey key = GroupKey.of("m", Tags.of("host", "h" + host));
          test.put(key, NOW + round, new Value.Real(host));
        }
        if (round == 1) {
          test.seal();
        }
        test.restart();
      }
      Map<Series, List<Sample>> all =
          test.read(ReadRequest.of(Selector.metric("m"), TimeRange.ALL));
      assertThat(all).hasSize(15);
      all.forEach((series, samples) -> {
        String name = Objects.requireNonNull(series.key().tags().get("host"));
        double host = Double.parseDouble(name.substring(1));
        assertThat(samples).allMatch(sample -> sample.value().equals(new Value.Real(host)));
      });
    }
  }

  private static List<Sample> read(TestEngine test) {
    Map<Series, List<Sample>> all = test.read(ReadRequest.of(Selector.metric("m"), TimeRange.ALL));
    return all.getOrDefault(KEY.field(Series.DEFAULT_FIELD), List.of());
  }

  private static List<CheckFinding> findings(TestEngine test) {
    List<CheckFinding> found = new ArrayList<>();
    test.engine().check(new CheckRun(0, now -> {}, found::add, () -> false));
    return found;
  }
}
