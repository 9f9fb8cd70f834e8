package dev.varve.layout.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.layout.ReadScope;
import dev.varve.layout.contract.PlanReader.Hit;
import dev.varve.layout.opentsdb.OpenTsdbLayout;
import dev.varve.layout.plan.Plan;
import dev.varve.layout.plan.PlanRequest;
import dev.varve.model.BatchBuilder;
import dev.varve.model.GroupKey;
import dev.varve.model.Tags;
import dev.varve.model.TimeRange;
import dev.varve.model.Value;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Rows whose base time lost its upper bits, which stand among those of other times; {@link
 * PlanReader} checks that each read gives its samples in the order of time.
 */
class OpenTsdbErasTest {
  private static final GroupKey KEY = GroupKey.of("m", Tags.of("host", "a"));
  private static final GroupKey OTHER = GroupKey.of("m", Tags.of("host", "b"));
  private static final long LAST = 9_999_999_999_999L;
  private static final long FIRST_END = 4_294_969_200_000L;
  private static final long SECOND_END = 8_589_934_800_000L;

  /** Two or more of each era, whose stored base times stand among each other. */
  private static final List<Long> TIMES =
      List.of(
          1L,
          1_356_998_400_000L,
          FIRST_END - 1,
          FIRST_END,
          5_651_962_400_000L + 3_600_000,
          SECOND_END - 1,
          SECOND_END,
          LAST);

  private final LayoutTables tables =
      new LayoutTables(OpenTsdbLayout.of(Map.of()), TableSource.inMemory());

  @BeforeEach
  void write() {
    for (GroupKey key : List.of(KEY, OTHER)) {
      BatchBuilder batch = new BatchBuilder();
      TIMES.forEach(time -> batch.add(key, time, new Value.Int64(time)));
      batch.build().groups().forEach(group -> assertThat(tables.write(group)).isEmpty());
    }
  }

  @AfterEach
  void close() {
    tables.close();
  }

  @Test
  void readsErasOneAfterTheOther() {
    for (long from : TIMES) {
      for (long to : TIMES) {
        if (from <= to) {
          checkReads(TimeRange.closed(from, to));
        }
      }
    }
    checkReads(TimeRange.ALL);
  }

  private void checkReads(TimeRange range) {
    List<Long> wanted = TIMES.stream().filter(range::contains).toList();
    PlanRequest request = request(range);

    assertThat(timesOf(request)).as("%s", range).isEqualTo(wanted);
    assertThat(timesOf(request.withNewestFirst(3)).reversed()).as("%s", range).isEqualTo(wanted);
  }

  @Test
  void readsOneRangeWhereTheTimesLieInOneEra() {
    Plan plan = tables.plan(request(new TimeRange(1_356_998_400_000L, FIRST_END)));

    assertThat(plan.groups()).hasSize(1);
    assertThat(plan.estimate().slices()).isEqualTo(1);
  }

  @Test
  void trimsEachEraToItsTimes() {
    Plan plan = tables.plan(request(TimeRange.ALL));

    assertThat(plan.groups())
        .extracting(group -> group.strands().getFirst().trimmed())
        .containsExactly(
            new TimeRange(Long.MIN_VALUE, FIRST_END),
            new TimeRange(FIRST_END, SECOND_END),
            new TimeRange(SECOND_END, Long.MAX_VALUE));
    assertThat(plan.estimate().partitions()).isEqualTo(1);
    assertThat(plan.alternatives().getFirst().cost()).isFinite();
  }

  private PlanRequest request(TimeRange range) {
    return PlanRequest.of(List.of(tables.bind(KEY)), ReadScope.of(range));
  }

  private List<Long> timesOf(PlanRequest request) {
    return tables.read(request).hits().stream().map(Hit::time).toList();
  }
}
