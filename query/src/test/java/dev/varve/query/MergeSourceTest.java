package dev.varve.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.engine.error.QueryRefusedException;
import dev.varve.engine.request.ReadRequest.Kinds;
import dev.varve.layout.ReadScope.Versions;
import dev.varve.model.GroupKey;
import dev.varve.model.Resolution;
import dev.varve.model.Tags;
import dev.varve.model.TimeRange;
import dev.varve.model.Value;
import dev.varve.query.QueryPlan.Downsample;
import dev.varve.query.QueryPlan.Merge;
import dev.varve.query.QueryPlan.Select;
import dev.varve.query.limit.QueryLimits;
import dev.varve.query.running.QueryUse;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Merges many series, with several threads and for several plans. */
@Timeout(60)
class MergeSourceTest {
  private static final int SERIES = 300;
  private static final int SAMPLES = 200;
  private static final long AMPLE = Long.MAX_VALUE / 2;

  private static MemoryRuns manySeries() {
    MemoryRuns runs = new MemoryRuns(Resolution.MILLISECONDS);
    for (int i = 0; i < SERIES; i++) {
      for (int s = 0; s < SAMPLES; s++) {
        Value value =
            i % 50 == 7 && s % 2 == 0
                ? new Value.Text("t" + s)
                : i % 3 == 0 ? new Value.Int64((long) s * i) : new Value.Real(s * i % 13 + 0.1 * i);
        runs.add(
            GroupKey.of("x", Tags.of("job", "j" + i % 7, "dc", "d" + i % 2, "i", "" + i))
                .field("value"),
            s * 15_000L + i % 4,
            value);
      }
    }
    return runs;
  }

  private static Merge merge(boolean descending, int perSeries, String... labels) {
    Select select =
        new Select(
            SelectorParser.parse("x"),
            new TimeRange(0, 10_000_000),
            null,
            Versions.LATEST,
            Kinds.EACH,
            descending ? perSeries : 0,
            false);
    return new Merge(select, List.of(labels), descending, perSeries);
  }

  private static QueryUse use(long memory) {
    return QueryUse.of(QueryLimits.DEFAULTS.withMemory(memory));
  }

  private static Collected run(QueryPlan plan, MemoryRuns runs, long memory, int readers) {
    QueryUse use = use(memory);
    Collected collected = new Collected();
    new QueryRun(plan, use.runs(runs), use, new SharedReads(List.of(plan)), readers)
        .into(collected);
    assertThat(use.memory().held()).isZero();
    return collected;
  }

  private static void assertSame(Collected one, Collected other) {
    assertThat(new ArrayList<>(one.series.keySet()))
        .isEqualTo(new ArrayList<>(other.series.keySet()));
    assertThat(one.series).isEqualTo(other.series);
  }

  @ParameterizedTest
  @CsvSource({"false, 0", "true, 0", "false, 9", "true, 9"})
  void givesTheSameHoweverManyRead(boolean descending, int perSeries) {
    MemoryRuns runs = manySeries();
    Merge merge = merge(descending, perSeries, "job");
    Collected one = run(merge, runs, AMPLE, 1);
    assertThat(one.series.size()).isEqualTo(13);
    assertSame(run(merge, runs, AMPLE, 4), one);
  }

  @ParameterizedTest
  @CsvSource({"false, 40", "true, 40", "false, 100", "true, 100", "false, 300"})
  void givesTheSameInPiecesHoweverManyRead(boolean descending, int kibibytes) {
    MemoryRuns runs = manySeries();
    Merge merge = merge(descending, 0, "job", "i");
    Collected whole = run(merge, runs, AMPLE, 1);
    for (int readers : new int[] {1, 4}) {
      assertSame(run(merge, runs, kibibytes << 10, readers), whole);
    }
  }

  @Test
  void refusesWhatFitsInNoPieceWhoeverReadsIt() {
    MemoryRuns runs = manySeries();
    for (int readers : new int[] {1, 4}) {
      QueryUse use = use(20 << 10);
      QueryRun run =
          new QueryRun(
              merge(false, 0),
              use.runs(runs),
              use,
              new SharedReads(List.of(merge(false, 0))),
              readers);
      assertThatThrownBy(() -> run.into(new Collected()))
          .isInstanceOf(QueryRefusedException.class)
          .hasMessageContaining("more samples at one instant");
    }
  }

  private static List<QueryPlan> panel() {
    Windows minutes = new Windows.Fixed(60_000, 0);
    List<QueryPlan> plans = new ArrayList<>();
    for (Aggregation.Basic aggregation :
        List.of(Aggregation.Basic.COUNT, Aggregation.Basic.FIRST, Aggregation.Basic.LAST)) {
      plans.add(
          new Downsample(merge(false, 0, "job"), minutes, aggregation, Downsample.Stamp.START));
    }
    plans.add(merge(false, 0));
    plans.add(merge(true, 3, "dc"));
    plans.add(merge(false, 0, "dc", "i"));
    return plans;
  }

  private static QueryUse inTurn(MemoryRuns runs, long memory) {
    QueryUse use = use(memory);
    SharedReads shared = new SharedReads(panel());
    for (QueryPlan plan : panel()) {
      Collected collected = new Collected();
      QueryRun run = new QueryRun(plan, use.runs(runs), use, shared, 2);
      run.into(collected);
      assertThat(run.countedAhead()).isTrue();
      Collected alone = run(plan, runs, AMPLE, 1);
      assertSame(collected, alone);
    }
    assertThat(use.memory().held()).isZero();
    return use;
  }

  @Test
  void readsWhatSeveralPlansMergeOnce() {
    assertThat(inTurn(manySeries(), AMPLE).samplesRead())
        .isEqualTo(SERIES * SAMPLES + newestRead());
  }

  @Test
  void readsAgainWhatIsMoreThanAQuarterOfWhatTheQueryMayHold() {
    long all = SERIES * (SAMPLES * 32L + 1024) + (64 << 10);
    assertThat(inTurn(manySeries(), 2 * all).samplesRead())
        .isEqualTo(5 * SERIES * SAMPLES + newestRead());
  }

  @Test
  void givesUpWhatItKeepsForLaterWhereThereIsNoRoomForSomethingElse() {
    MemoryRuns runs = manySeries();
    QueryUse use = use(2_400_000);
    QueryPlan small = merge(false, 2, "i");
    QueryPlan large = merge(false, 0, "job");
    List<QueryPlan> plans = List.of(small, large, small);
    SharedReads shared = new SharedReads(plans);
    for (QueryPlan plan : plans) {
      Collected collected = new Collected();
      QueryRun run = new QueryRun(plan, use.runs(runs), use, shared, 2);
      run.into(collected);
      assertThat(run.countedAhead()).isTrue();
      assertSame(collected, run(plan, runs, AMPLE, 1));
    }
    assertThat(use.samplesRead()).isEqualTo(3 * SERIES * SAMPLES);
    assertThat(use.memory().held()).isZero();
  }

  /** Three samples of each kind that a series has. */
  private static long newestRead() {
    long texts = IntStream.range(0, SERIES).filter(i -> i % 50 == 7).count();
    return 3 * (SERIES + texts);
  }
}
