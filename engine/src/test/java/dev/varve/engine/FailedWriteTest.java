package dev.varve.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.engine.TestEngine.Sample;
import dev.varve.engine.error.WriteFailedException;
import dev.varve.engine.request.ReadRequest;
import dev.varve.layout.Layout;
import dev.varve.layout.registry.Layouts;
import dev.varve.model.BatchBuilder;
import dev.varve.model.GroupKey;
import dev.varve.model.Selector;
import dev.varve.model.Tags;
import dev.varve.model.TimeRange;
import dev.varve.model.Value;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Writes that are reported as failed although their samples are stored. */
class FailedWriteTest {
  private static final GroupKey KEY = GroupKey.of("m", Tags.of("host", "a"));
  private static final long NEAR = TestEngine.START_MICROS / 1000;
  private static final long DAY = 24 * 3_600_000L;
  private static final long FAR = NEAR - 100 * DAY;

  @ParameterizedTest
  @ValueSource(strings = {"buckets", "kairosdb", "opentsdb", "heroic", "companion"})
  void isSeenByEveryReaderOnceOneHasSeenIt(String layout) {
    try (TestEngine test = open(layout)) {
      test.put(KEY, NEAR, new Value.Real(1));
      failAfterSamples(test, layout);

      assertThat(times(test, TimeRange.ALL)).containsExactly(FAR, NEAR);
      assertThat(times(test, around(FAR))).containsExactly(FAR);
      assertThat(times(test, around(NEAR))).containsExactly(NEAR);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"buckets", "kairosdb", "opentsdb", "heroic", "companion"})
  void isSeenByEveryReaderWhereTheSeriesWasNew(String layout) {
    try (TestEngine test = open(layout)) {
      failAfterSamples(test, layout);
      test.put(KEY, NEAR, new Value.Real(1));

      assertThat(times(test, TimeRange.ALL)).containsExactly(FAR, NEAR);
      assertThat(times(test, around(FAR))).containsExactly(FAR);
      assertThat(times(test, around(NEAR))).containsExactly(NEAR);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"buckets", "kairosdb", "opentsdb", "heroic", "companion"})
  void isFollowedByOneThatSurvives(String layout) {
    try (TestEngine test = open(layout)) {
      test.put(KEY, NEAR, new Value.Real(1));
      failAfterSamples(test, layout);
      test.put(KEY, FAR + 1000, new Value.Real(3));
      test.losePower(new Random(1));

      assertThat(times(test, around(FAR))).contains(FAR + 1000);
      assertThat(times(test, TimeRange.ALL)).contains(FAR + 1000, NEAR);
    }
  }

  private static TestEngine open(String layout) {
    return new TestEngine(TestEngine.dataset("main", layouts(layout)));
  }

  private static Layout[] layouts(String layout) {
    return Layouts.all(layout, Map.of()).toArray(Layout[]::new);
  }

  /** Writes a sample much older than all others; the store's answer to it is lost. */
  private static void failAfterSamples(TestEngine test, String layout) {
    test.dataset();
    Layout primary = layouts(layout)[0];
    String data = "main." + primary.tables().get(primary.dataTable()).name();
    test.store()
        .fates((write, table) ->
            table.equals(data)
                ? PowerLossStore.Fate.UNKNOWN_BUT_APPLIED
                : PowerLossStore.Fate.WELL);
    assertThatThrownBy(
            () -> test.write(new BatchBuilder().add(KEY, FAR, new Value.Real(2)).build()))
        .isInstanceOf(WriteFailedException.class)
        .hasMessageContaining(data);
    test.store().fates((write, table) -> PowerLossStore.Fate.WELL);
  }

  private static TimeRange around(long time) {
    return new TimeRange(time - DAY, time + DAY);
  }

  private static List<Long> times(TestEngine test, TimeRange range) {
    return test.read(ReadRequest.of(Selector.metric("m"), range)).values().stream()
        .flatMap(List::stream)
        .map(Sample::time)
        .toList();
  }
}
