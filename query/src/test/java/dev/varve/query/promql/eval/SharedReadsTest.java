package dev.varve.query.promql.eval;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.model.GroupKey;
import dev.varve.model.Resolution;
import dev.varve.model.Tags;
import dev.varve.model.Value;
import dev.varve.query.MemoryRuns;
import dev.varve.query.promql.plan.OptimisedPlan;
import dev.varve.query.promql.plan.StepPlan;
import dev.varve.query.promql.plan.StepTimes;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Shared reads have the same results as separate reads. */
class SharedReadsTest {
  private static final int SAMPLES = 120;
  private static final int SERIES = 6;
  private static final StepTimes STEPS = new StepTimes(600_000, 60_000, 11);

  private final MemoryRuns runs = new MemoryRuns(Resolution.MILLISECONDS);

  SharedReadsTest() {
    Random random = new Random(4);
    for (int i = 0; i < SERIES; i++) {
      Tags tags = Tags.of("job", "j" + i % 2, "instance", "i" + i);
      for (int s = 0; s < SAMPLES; s++) {
        runs.add(
            GroupKey.of("x_total", tags).field("value"),
            s * 15_000L,
            new Value.Real(random.nextInt(100)));
      }
    }
  }

  private PromQuery query(String text) {
    return new PromQuery(text, runs);
  }

  private static OptimisedPlan asWritten(PromQuery query) {
    StepPlan plan = query.lowered(STEPS.start(), STEPS.time(10), STEPS);
    return new OptimisedPlan(plan, List.of(), Map.of(), Map.of(), List.of());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "x_total / x_total",
        "x_total - x_total offset 2m",
        "sum by (job) (x_total) / count by (job) (x_total)",
        "rate(x_total[5m]) / ignoring (instance) group_left sum by (job) (rate(x_total[5m]))",
        "max_over_time(x_total[3m]) - min_over_time(x_total[3m])",
        "x_total * scalar(sum(x_total))",
        "(x_total > 50) or (x_total < 20) or x_total",
        "avg_over_time(sum(x_total)[5m:1m]) - sum(x_total)",
        "sum(x_total) + sum(x_total) + sum(x_total) + count(x_total)",
        "-x_total + x_total",
        "x_total @ end() - x_total"
      })
  void givesTheSame(String text) {
    PromQuery once = query(text);
    PromQuery apart = query(text);
    PromResult.Matrix expected = apart.matrix(asWritten(apart), STEPS);
    PromResult.Matrix actual = once.range(600_000, 1_200_000, Duration.ofSeconds(60));
    assertThat(actual)
        .usingRecursiveComparison()
        .withEqualsForType(Arrays::equals, double[].class)
        .isEqualTo(expected);
    assertThat(actual.lines()).isNotEmpty();
    assertThat(once.samplesRead()).isLessThan(apart.samplesRead());
    assertThat(once.notes().infos()).isEqualTo(apart.notes().infos());
  }

  @Test
  void readsEverySampleOnce() {
    PromQuery query = query("avg_over_time(x_total[40m]) / stddev_over_time(x_total[40m])");
    query.instant(SAMPLES * 15_000L);
    assertThat(query.samplesRead()).isEqualTo(SAMPLES * SERIES);
  }

  @Test
  void tellsOfEveryPlaceWhatStandsThereToo() {
    GroupKey gauge = GroupKey.of("gauge", Tags.of("a", "b"));
    runs.add(gauge.field("value"), 0, new Value.Real(1));
    runs.add(gauge.field("value"), 15_000, new Value.Real(2));
    PromQuery query = query("rate(gauge[5m]) + rate(gauge[5m])");
    query.instant(60_000);
    assertThat(query.notes().infos()).hasSize(2);
    assertThat(query.notes().infos().getFirst()).endsWith("(1:6)");
    assertThat(query.notes().infos().getLast()).endsWith("(1:24)");
  }
}
