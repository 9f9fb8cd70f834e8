package dev.varve.query.promql.eval;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.engine.request.QueryExplanation;
import dev.varve.engine.request.ReadRequest;
import dev.varve.model.GroupKey;
import dev.varve.model.Recurring;
import dev.varve.model.Resolution;
import dev.varve.model.Tags;
import dev.varve.model.Value;
import dev.varve.query.MemoryRuns;
import dev.varve.query.PlanExplanation;
import dev.varve.query.PlanTree;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Explanations of queries before and after they run. */
class ExplainTest {
  private static final Duration HOUR = Duration.ofHours(1);

  private final MemoryRuns runs = new MemoryRuns(Resolution.MILLISECONDS);
  private final List<ReadRequest> asked = new ArrayList<>();

  ExplainTest() {
    for (int i = 0; i < 4; i++) {
      for (int s = 0; s < 41; s++) {
        runs.add(
            GroupKey.of("x_total", Tags.of("job", "j" + i % 2, "i", "" + i)).field("value"),
            s * 15_000L,
            new Value.Real(s));
      }
    }
  }

  private PlanExplanation explain(String query, boolean analyze) {
    return new PromQuery(query, runs)
        .explain(300_000, 600_000, Duration.ofMinutes(1), analyze, this::read);
  }

  private PlanExplanation explain(String query, Duration step) {
    return new PromQuery(query, runs).explain(0, 10 * HOUR.toMillis(), step, false, this::read);
  }

  private QueryExplanation read(ReadRequest request) {
    asked.add(request);
    return new QueryExplanation(4, List.of(), null);
  }

  private static String text(PlanTree plan) {
    StringBuilder text = new StringBuilder(plan.operator());
    if (!plan.detail().isEmpty()) {
      text.append(" ").append(plan.detail());
    }
    if (plan.scan() != null) {
      text.append(" #").append(plan.scan());
    }
    if (!plan.inputs().isEmpty()) {
      text.append(plan.inputs().stream().map(ExplainTest::text).toList());
    }
    return text.toString();
  }

  @Test
  void showsOperatorsAndScans() {
    PlanExplanation explanation =
        explain("sum by (job) (rate(x_total[5m] offset 1m)) > 2 * 3", false);
    assertThat(text(explanation.plan()))
        .isEqualTo(
            "> number right[sum by (job)[rate[samples of 5m up to 1m before each step #1]], number 6]");
    assertThat(explanation.scans())
        .singleElement()
        .returns("x_total", PlanExplanation.ScanExplanation::selector)
        .returns(300_000L - 360_000 + 1, PlanExplanation.ScanExplanation::from)
        .returns(540_000L, PlanExplanation.ScanExplanation::to)
        .returns("__name__, job", PlanExplanation.ScanExplanation::labels)
        .returns(null, PlanExplanation.ScanExplanation::actual);
    assertThat(asked).hasSize(1);
    assertThat(explanation.nanos()).isZero();
  }

  @Test
  void tellsWhatIsReadOnce() {
    PlanExplanation explanation = explain("sum(x_total) / count(x_total offset 1m)", true);
    assertThat(text(explanation.plan()))
        .contains("kept 1 evaluated while its scan is read for others");
    assertThat(explanation.scans()).hasSize(1);
    assertThat(explanation.notes())
        .anyMatch(note -> note.startsWith("one scan feeds kept 1, kept 2"));
    PlanExplanation.Actual actual = Objects.requireNonNull(explanation.scans().getFirst().actual());
    assertThat(actual.series()).isEqualTo(4);
    assertThat(actual.samples()).isEqualTo(4 * 41);
  }

  @Test
  void tellsWhichTimesAreLookedAtAndReadsThemApart() {
    PlanExplanation explanation =
        explain("rate(x_total[2m]) / rate(x_total[2m] offset 10m) + x_total offset 1h", HOUR);
    assertThat(explanation.scans())
        .extracting(PlanExplanation.ScanExplanation::recurring)
        .containsExactlyInAnyOrder(
            recurring(0, 120_000), recurring(-600_000, 120_000), recurring(-3_600_000, 300_000));
    assertThat(explain("sum(x_total) / count(x_total)", HOUR).scans())
        .extracting(PlanExplanation.ScanExplanation::recurring)
        .containsExactly(recurring(0, 300_000));
    assertThat(explain("rate(x_total[2m]) / rate(x_total[1h])", HOUR).scans())
        .extracting(PlanExplanation.ScanExplanation::recurring)
        .as("all is looked at for the one, and for the other too")
        .containsExactly((Recurring) null);
  }

  private static Recurring recurring(long offset, long width) {
    return new Recurring(offset - width + 1, HOUR.toMillis(), width);
  }

  private static PlanTree.Figures actual(PlanTree plan) {
    return Objects.requireNonNull(plan.actual(), plan.operator());
  }

  @Test
  void tellsWhatEveryOperatorDid() {
    PlanExplanation explanation = explain("sum by (job) (x_total) + 1", true);
    PlanTree plus = explanation.plan();
    PlanTree sum = plus.inputs().getFirst();
    PlanTree newest = sum.inputs().getFirst();
    assertThat(actual(plus).rows()).isEqualTo(2);
    assertThat(actual(plus).values()).isEqualTo(12);
    assertThat(actual(sum).rows()).isEqualTo(2);
    assertThat(actual(newest).rows()).isEqualTo(4);
    assertThat(actual(newest).values()).isEqualTo(24);
    assertThat(actual(plus).nanos() + actual(sum).nanos() + actual(newest).nanos())
        .isPositive()
        .isLessThanOrEqualTo(explanation.nanos());
  }

  @Test
  void tellsWhatWasKeptDidWhereItIsShown() {
    PlanTree plan = explain("abs(x_total) + on (i) group_left () abs(x_total)", true).plan();
    PlanTree kept = plan.inputs().getFirst();
    assertThat(kept.operator()).isEqualTo("kept 1");
    assertThat(actual(kept.inputs().getFirst()).rows()).isEqualTo(4);
  }

  @Test
  void readsNothingForAContradiction() {
    PlanExplanation explanation = explain("x_total{i=\"1\",i=\"2\"}", true);
    assertThat(asked).isEmpty();
    assertThat(explanation.scans().getFirst().read()).isNull();
  }
}
