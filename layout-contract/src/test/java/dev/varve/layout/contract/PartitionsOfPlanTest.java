package dev.varve.layout.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.layout.Binding;
import dev.varve.layout.ReadScope;
import dev.varve.layout.plan.Census;
import dev.varve.layout.plan.Plan;
import dev.varve.layout.plan.PlanRefusedException;
import dev.varve.layout.plan.PlanRequest;
import dev.varve.layout.registry.Layouts;
import dev.varve.model.GroupKey;
import dev.varve.model.Tags;
import dev.varve.model.TimeRange;
import dev.varve.store.Capabilities.RowOrder;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * On a store that spreads partitions by hash a plan counts those that it reads, says so where they
 * are many, and is refused where they are too many. {@code buckets} has one for a series and a day.
 */
class PartitionsOfPlanTest {
  private static final long DAY = 86_400_000L;

  @Test
  void areCounted() {
    Plan plan = plan(1, 30, RowOrder.PARTITION, false);
    assertThat(plan.estimate().partitions()).isEqualTo(30);
    assertThat(plan.notes()).noneMatch(note -> note.contains("partitions"));
    assertThat(plan(7, 30, RowOrder.PARTITION, false).estimate().partitions()).isEqualTo(210);
  }

  @Test
  void areToldOfBeyondAThousand() {
    assertThat(plan(1, 1000, RowOrder.PARTITION, false).notes())
        .noneMatch(note -> note.contains("partitions"));
    assertThat(plan(1, 1001, RowOrder.PARTITION, false).notes())
        .contains(
            "this query reads 1,001 partitions; beyond 10,000 it is refused unless whole-table scans are allowed");
  }

  @Test
  void areRefusedBeyondTenThousand() {
    assertThat(plan(10, 1000, RowOrder.PARTITION, false).estimate().partitions()).isEqualTo(10_000);
    assertThatThrownBy(() -> plan(10, 1001, RowOrder.PARTITION, false))
        .isInstanceOf(PlanRefusedException.class)
        .hasMessageContaining(
            "it would take 10,010 partitions, and one plan reads 10,000 at most: narrow the time range or the series, or allow whole-table scans");
  }

  @Test
  void areReadAllWhereWholeTableScansAreAllowedOrRowsStandInOrder() {
    assertThat(plan(10, 1001, RowOrder.PARTITION, true).groups()).isNotEmpty();
    Plan inOrder = plan(10, 1001, RowOrder.TABLE, false);
    assertThat(inOrder.groups()).isNotEmpty();
    assertThat(inOrder.notes()).noneMatch(note -> note.contains("partitions"));
  }

  private static Plan plan(int series, int days, RowOrder order, boolean wholeTable) {
    try (LayoutTables tables =
        new LayoutTables(Layouts.of("buckets", Map.of()), TableSource.inMemory())) {
      List<Binding> bindings =
          IntStream.range(0, series)
              .mapToObj(i -> tables.bind(GroupKey.of("m", Tags.of("host", "h" + i))))
              .toList();
      ReadScope scope = ReadScope.of(new TimeRange(0, days * DAY));
      return tables.plan(
          new PlanRequest(bindings, scope, Census.UNKNOWN, 0, wholeTable, order, false));
    }
  }
}
