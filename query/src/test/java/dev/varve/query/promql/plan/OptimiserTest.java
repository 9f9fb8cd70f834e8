package dev.varve.query.promql.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.query.promql.PromQl;
import dev.varve.query.promql.plan.OptimisedPlan.SharedScan;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** Plans of queries before anything is read. */
class OptimiserTest {
  private static final long MINUTE = 60_000;
  private static final long START = 100 * MINUTE;
  private static final StepTimes STEPS = new StepTimes(START, MINUTE, 11);
  private static final long END = STEPS.time(10);

  private static OptimisedPlan optimised(String query, long series) {
    Lowering lowering = new Lowering(START, END, 5 * MINUTE, MINUTE);
    return Optimiser.optimise(
        lowering.plan(PromQl.parse(query), STEPS), scan -> OptionalLong.of(series), 1 << 20);
  }

  private static OptimisedPlan optimised(String query) {
    return optimised(query, 10);
  }

  private static List<Scan> scans(StepPlan plan) {
    List<Scan> scans = new ArrayList<>();
    switch (plan) {
      case StepPlan.Newest newest -> scans.add(newest.scan());
      case StepPlan.Stored stored -> scans.add(stored.scan());
      default -> plan.inputs().forEach(input -> scans.addAll(scans(input)));
    }
    return scans;
  }

  private static Scan scan(String query) {
    List<Scan> scans = scans(optimised(query).root());
    assertThat(scans).hasSize(1);
    return scans.getFirst();
  }

  @Test
  void readsNoMoreThanTheTimesOfEachSelector() {
    assertThat(scan("x")).returns(START - 5 * MINUTE + 1, Scan::from).returns(END, Scan::to);
    assertThat(scan("rate(x[2m])")).returns(START - 2 * MINUTE + 1, Scan::from);
    assertThat(scan("x offset 1h"))
        .returns(START - 65 * MINUTE + 1, Scan::from)
        .returns(END - 60 * MINUTE, Scan::to);
    assertThat(scan("x @ end()")).returns(END - 5 * MINUTE + 1, Scan::from).returns(END, Scan::to);
    assertThat(scan("max_over_time(rate(x[2m])[10m:3m])"))
        .returns(START - 7 * MINUTE - 2 * MINUTE + 1, Scan::from);
  }

  @Test
  void readsNothingWhereNoSeriesCanFit() {
    assertThat(scan("x{a=\"1\",a=\"2\"}")).matches(scan -> scan.to() < scan.from());
    assertThat(scan("x{a=\"1\",a!=\"1\"}")).matches(scan -> scan.to() < scan.from());
    assertThat(scan("x{a=\"1\",a!=\"2\"}")).matches(scan -> scan.to() > scan.from());
  }

  @Test
  void calculatesWhatHasNoSamplesInIt() {
    assertThat(optimised("2 * 3600 + -pi()").root())
        .isEqualTo(new StepPlan.Constant(STEPS, 7200 - Math.PI));
    assertThat(optimised("2 > bool 1").root()).isEqualTo(new StepPlan.Constant(STEPS, 1));
    assertThat(optimised("x * (2 + 3)").root())
        .isInstanceOfSatisfying(
            StepPlan.WithNumber.class,
            with -> assertThat(with.number()).isEqualTo(new StepPlan.Constant(STEPS, 5)));
  }

  @Test
  void plansForOneStepWhatIsTheSameAtAll() {
    assertThat(optimised("sum(rate(x[5m] @ end()))").root())
        .isInstanceOfSatisfying(
            StepPlan.Repeated.class,
            repeated -> assertThat(repeated.input().steps()).isEqualTo(StepTimes.at(START)));
    assertThat(optimised("predict_linear(x[5m] @ end(), 60)").root())
        .isInstanceOf(StepPlan.Window.class);
    assertThat(optimised("x @ end() + y").root()).isInstanceOf(StepPlan.Join.class);
  }

  @Test
  void keepsTheLabelsThatAreGroupedBy() {
    assertThat(scan("sum by (b, a) (x)").labels())
        .isEqualTo(new Projection(List.of("a", "b"), false));
    assertThat(scan("sum by (a) (abs(x) * 2)").labels())
        .isEqualTo(new Projection(List.of("a"), false));
    assertThat(scan("avg without (a) (x)").labels())
        .isEqualTo(new Projection(List.of("__name__", "a"), true));
  }

  @Test
  void keepsTheNameThatARateTellsOf() {
    assertThat(scan("sum by (a) (rate(x[5m]))").labels())
        .isEqualTo(new Projection(List.of("__name__", "a"), false));
    assertThat(scan("sum without (a) (rate(x[5m]))").labels())
        .isEqualTo(new Projection(List.of("a"), true));
  }

  @Test
  void keepsAllLabelsWhereEqualOnesWouldBeWrong() {
    for (String query :
        List.of(
            "sum by (a) (rate({__name__=~\"x|y\"}[5m]))",
            "topk by (a) (1, x)",
            "sum by (a) (x + y)",
            "sum by (a) (label_join(x, \"a\", \"\", \"b\"))",
            "x")) {
      assertThat(scans(optimised(query).root())).as(query).allMatch(scan -> scan.labels().isAll());
    }
  }

  @Test
  void worksOutOnceWhatStandsTwice() {
    OptimisedPlan plan = optimised("rate(x[5m]) / (rate(x[5m]) + rate(y[5m]))");
    assertThat(plan.uses()).containsOnly(Map.entry(1, 2));
    assertThat(plan.shared()).isEmpty();
  }

  @Test
  void readsOnceWhatFeedsSeveral() {
    OptimisedPlan plan = optimised("sum by (a) (x) / count by (a) (rate(x[10m] offset 2m))");
    assertThat(plan.shared()).hasSize(1);
    SharedScan shared = plan.shared().getFirst();
    assertThat(shared.users()).hasSize(2);
    assertThat(shared.scan()).returns(START - 12 * MINUTE + 1, Scan::from).returns(END, Scan::to);
    assertThat(scans(plan.root())).containsOnly(shared.scan());
  }

  @Test
  void readsApartWhatLiesApart() {
    assertThat(optimised("x - x offset 1d").shared()).isEmpty();
    assertThat(optimised("x{a=\"1\"} - x").shared()).isEmpty();
    assertThat(optimised("x{a=\"1\",b=\"2\"} - x{b=\"2\",a=\"1\"} offset 1m").shared()).hasSize(1);
  }

  @Test
  void readsTwiceRatherThanHoldTooMuch() {
    OptimisedPlan plan = optimised("x / x offset 1m", 10_000);
    assertThat(plan.shared()).isEmpty();
    assertThat(plan.notes()).singleElement().asString().contains("read 2 times");
    assertThat(optimised("x / x", 10_000).uses()).isEmpty();
  }

  @Test
  void doesNotReadForANumberWhatItIsMultipliedWith() {
    OptimisedPlan plan = optimised("x * scalar(sum(x))");
    assertThat(plan.shared()).hasSize(1);
    assertThat(plan.shared().getFirst().users())
        .extracting(user -> user.input().getClass().getSimpleName())
        .containsExactlyInAnyOrder("Newest", "Aggregate");
  }
}
