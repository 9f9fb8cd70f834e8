package dev.varve.layout.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.varve.layout.ReadScope;
import dev.varve.layout.Step;
import dev.varve.layout.contract.PlanReader.Hit;
import dev.varve.layout.kairosdb.KairosDbLayout;
import dev.varve.layout.plan.Plan;
import dev.varve.layout.plan.PlanRefusedException;
import dev.varve.layout.plan.PlanRequest;
import dev.varve.model.BatchBuilder;
import dev.varve.model.Bytes;
import dev.varve.model.GroupKey;
import dev.varve.model.Tags;
import dev.varve.model.TimeRange;
import dev.varve.model.Value;
import dev.varve.store.Cell;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Rows of one series that lie over one another; {@link PlanReader} checks that each read gives its
 * samples in the order of time.
 */
class KairosDbPlanTest {
  private static final long WEEKS = 1_814_400_000L;
  private static final GroupKey KEY = GroupKey.of("m", Tags.of("a", "b"));
  private static final Bytes UNTYPED_ROW = Bytes.fromHex("6d000000000000000000613d623a");

  private final KairosDbLayout layout = KairosDbLayout.of(Map.of("unit", "legacy"));

  @Test
  void readsRowsOfAllGenerationsAndKindsSideBySide() {
    try (LayoutTables tables = new LayoutTables(layout, TableSource.inMemory())) {
      tables.put(
          List.of(
              cell("row_key_index", Bytes.utf8("m"), UNTYPED_ROW, ""),
              cell("data_points", UNTYPED_ROW, Bytes.fromHex("00000002"), "05"),
              cell("data_points", UNTYPED_ROW, Bytes.fromHex("0000000b"), "013fc00000")));
      write(tables, 3, new Value.Int64(7));
      write(tables, 4, new Value.Real(8));
      write(tables, WEEKS, new Value.Int64(9));

      PlanRequest request = request(tables, new TimeRange(0, WEEKS + 1));
      assertThat(tables.read(request).hits())
          .extracting(Hit::time, Hit::value)
          .containsExactlyInAnyOrder(
              tuple(1L, new Value.Int64(5)),
              tuple(3L, new Value.Int64(7)),
              tuple(4L, new Value.Real(8)),
              tuple(5L, new Value.Real(1.5)),
              tuple(WEEKS, new Value.Int64(9)));
      Plan plan = tables.plan(request);
      assertThat(plan.groups().getFirst().strands()).hasSize(3);
      assertThat(plan.estimate().partitions()).isEqualTo(4);
    }
  }

  @Test
  void refusesToAnswerWithoutRowsThatTheIndexNames() {
    try (LayoutTables tables = new LayoutTables(layout, TableSource.inMemory())) {
      write(tables, 3, new Value.Int64(7));
      // As of a plug-in: its type has a name that is no known one.
      Bytes plugIn = Bytes.fromHex("6d0000000000000000000004706c7567613d623a");
      tables.put(List.of(cell("row_key_index", Bytes.utf8("m"), plugIn, "")));

      assertThatThrownBy(() -> tables.plan(request(tables, new TimeRange(0, WEEKS))))
          .isInstanceOf(PlanRefusedException.class)
          .hasMessageContaining("the index names 1 rows")
          .hasMessageContaining(
              "so the result would be incomplete; the first: table row_key_index");
    }
  }

  @Test
  void readsRowsOfOneKindInOneRead() {
    try (LayoutTables tables = new LayoutTables(layout, TableSource.inMemory())) {
      for (int i = 0; i < 5; i++) {
        write(tables, i * WEEKS, new Value.Int64(i));
      }
      Plan plan = tables.plan(request(tables, new TimeRange(0, 5 * WEEKS)));
      assertThat(plan.groups()).hasSize(1);
      assertThat(plan.groups().getFirst().strands()).hasSize(1);
      assertThat(plan.groups().getFirst().strands().getFirst().read().slices()).hasSize(5);
    }
  }

  @Test
  void readsTimesBefore1970InTheirOrder() {
    List<Long> times = List.of(-2 * WEEKS - 3, -WEEKS - 1, -WEEKS, -WEEKS + 1, -7L, -6L, 0L, 5L);
    try (LayoutTables tables = new LayoutTables(layout, TableSource.inMemory())) {
      times.forEach(time -> write(tables, time, new Value.Int64(time)));
      for (TimeRange range :
          List.of(TimeRange.ALL, new TimeRange(-WEEKS, -6), new TimeRange(-WEEKS + 1, 6))) {
        assertThat(tables.read(request(tables, range)).hits())
            .extracting(Hit::time)
            .containsExactlyInAnyOrderElementsOf(times.stream().filter(range::contains).toList());
      }
    }
  }

  private static void write(LayoutTables tables, long time, Value value) {
    new BatchBuilder()
        .add(KEY, time, value)
        .build()
        .groups()
        .forEach(group -> assertThat(tables.write(group)).isEmpty());
  }

  private static PlanRequest request(LayoutTables tables, TimeRange times) {
    return PlanRequest.of(List.of(tables.bind(KEY)), ReadScope.of(times));
  }

  private Step.TableCell cell(String table, Bytes row, Bytes qualifier, String value) {
    for (int i = 0; i < layout.tables().size(); i++) {
      if (layout.tables().get(i).name().equals(table)) {
        return new Step.TableCell(i, new Cell(row, 0, qualifier, 0, Bytes.fromHex(value)));
      }
    }
    throw new AssertionError("no table " + table);
  }
}
