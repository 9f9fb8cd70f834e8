package dev.varve.store.contract;

import static dev.varve.store.contract.Lab.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.model.Bytes;
import dev.varve.model.TimeRange;
import dev.varve.store.Cell;
import dev.varve.store.CellBatch;
import dev.varve.store.CellCursor;
import dev.varve.store.Direction;
import dev.varve.store.FamilySelect;
import dev.varve.store.FamilySpec;
import dev.varve.store.Limits;
import dev.varve.store.QualifierRange;
import dev.varve.store.ReadPlan;
import dev.varve.store.Slice;
import dev.varve.store.Table;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/** Every way to read, combined with every other. */
final class ReadPromises {
  private static final Bytes PARTITION = text("p/");

  private ReadPromises() {}

  static List<ContractTest> tests() {
    List<ContractTest> tests = new ArrayList<>();
    shapes().forEach((shape, slices) -> tests.addAll(combinations(shape, slices)));
    tests.add(new ContractTest("reads nothing of an empty table", ReadPromises::emptyTable));
    tests.add(
        new ContractTest(
            "reads nothing outside the partition of a slice", ReadPromises::partition));
    tests.add(
        new ContractTest(
            "reads slices in the order of the plan, also where they overlap",
            ReadPromises::overlapping));
    tests.add(new ContractTest("reads each family at its own times", ReadPromises::ownTimes));
    tests.add(new ContractTest("reads cells without their values", ReadPromises::withoutValues));
    tests.add(new ContractTest("reads cells without their times", ReadPromises::withoutTimes));
    tests.add(new ContractTest("sees every write applied before", ReadPromises::seesWrites));
    return tests;
  }

  /** Returns the tests for one shape of slices, in both directions. */
  private static List<ContractTest> combinations(String shape, List<Slice> slices) {
    return Stream.of(Direction.values())
        .map(direction ->
            new ContractTest(
                "reads %s, %s, with every choice of the rest"
                    .formatted(shape, direction.name().toLowerCase(Locale.ROOT)),
                lab -> combine(lab, slices, direction)))
        .toList();
  }

  /** Returns the tests that only partitioned tables run. */
  static List<ContractTest> acrossPartitions() {
    List<Slice> slices =
        List.of(
            Slice.partition(text("q")),
            Slice.rows(text("p"), text("p/2"), text("q/0")),
            Slice.partition(text("x")),
            Slice.row(Bytes.EMPTY, text("o/9")),
            new Slice(text("p"), text("p"), text("c"), text("p/3"), text("c")));
    return combinations("slices of several partitions", slices);
  }

  private static Map<String, List<Slice>> shapes() {
    Slice point = Slice.row(PARTITION, text("p/2"));
    Slice part = Slice.row(PARTITION, text("p/2"), text("b"), text("d"));
    Slice rows = Slice.rows(PARTITION, text("p/2"), text("p/4"));
    Slice whole = Slice.partition(PARTITION);
    Slice staircase = new Slice(PARTITION, text("p/1"), text("c"), text("p/4"), text("c"));
    Slice absent = Slice.row(PARTITION, text("p/1x"));
    Map<String, List<Slice>> shapes = new LinkedHashMap<>();
    shapes.put("one row", List.of(point));
    shapes.put("a part of a row", List.of(part));
    shapes.put("rows", List.of(rows));
    shapes.put("a partition", List.of(whole));
    shapes.put("a staircase", List.of(staircase));
    shapes.put("several slices", List.of(rows, point, absent, staircase, part));
    return shapes;
  }

  /** Returns rows of three partitions, with irregular numbers of cells and versions. */
  private static List<Cell> sample(Lab lab) {
    List<Cell> cells = new ArrayList<>();
    for (String row : List.of("o/9", "p/1", "p/2", "p/2\0", "p/3", "p/4", "p/5", "q/1")) {
      for (String qualifier : List.of("", "a", "b", "bb", "c", "d", "\u00ff")) {
        int key = row.hashCode() + 31 * qualifier.hashCode();
        if (Math.floorMod(key, 5) != 0) {
          cells.add(sampleCell(lab, row, Lab.LATEST, qualifier, Math.floorMod(key, 7)));
        }
        for (int version = 0; version < Math.floorMod(key, 4); version++) {
          cells.add(sampleCell(lab, row, Lab.ALL, qualifier, 2 * version));
        }
        for (int version = 0; version < Math.floorMod(key, 3); version++) {
          cells.add(sampleCell(lab, row, Lab.TWO, qualifier, 3 * version));
        }
      }
    }
    return cells;
  }

  private static Cell sampleCell(Lab lab, String row, int family, String qualifier, int time) {
    return Lab.cell(
        row, family, qualifier, lab.time(time), row + ":" + family + qualifier + "@" + time);
  }

  private static void combine(Lab lab, List<Slice> slices, Direction direction) {
    Table table = lab.table("sample");
    List<Cell> cells = sample(lab);
    Lab.apply(table, Lab.puts(cells));
    int turn = 0;
    for (List<QualifierRange> qualifiers : qualifierChoices()) {
      for (TimeRange times : List.of(TimeRange.ALL, new TimeRange(lab.time(1), lab.time(4)))) {
        for (int versions : new int[] {1, FamilySpec.ALL_VERSIONS}) {
          List<FamilySelect> families = families(qualifiers, times, versions);
          for (List<FamilySelect> some : List.of(families, families.subList(1, 2))) {
            for (Limits limits : limitChoices()) {
              ReadPlan whole = ReadPlan.of(slices, some).with(direction).with(limits);
              ReadPlan plan = turn % 4 == 0 ? whole.withoutValues() : whole;
              if (turn % lab.plansOneIn() == 0) {
                PagingPromises.assertReads(lab, turn, table, plan, ExpectedRead.of(cells, plan));
              }
              turn++;
            }
          }
        }
      }
    }
  }

  private static List<List<QualifierRange>> qualifierChoices() {
    return List.of(
        List.of(),
        List.of(new QualifierRange(text("a"), text("c"))),
        List.of(
            QualifierRange.exactly(Bytes.EMPTY),
            QualifierRange.prefix(text("b")),
            new QualifierRange(text("d"), null)));
  }

  private static List<FamilySelect> families(
      List<QualifierRange> qualifiers, TimeRange times, int versions) {
    return List.of(
        new FamilySelect(Lab.LATEST, qualifiers, times, versions),
        new FamilySelect(Lab.ALL, qualifiers, times, versions),
        new FamilySelect(Lab.TWO, List.of(), TimeRange.ALL, versions));
  }

  private static List<Limits> limitChoices() {
    return List.of(
        Limits.NONE,
        Limits.NONE.withRows(2),
        Limits.NONE.withCellsPerRow(2),
        Limits.NONE.withCells(5),
        Limits.NONE.withPageCells(1),
        Limits.NONE.withPageCells(3).withRows(3).withCellsPerRow(3).withCells(11));
  }

  private static void emptyTable(Lab lab) {
    ReadPlan plan = lab.allOf("a", "b");
    assertThat(Lab.read(lab.table("empty"), plan)).isEmpty();
    assertThat(Lab.read(lab.table("empty"), plan.with(Direction.REVERSE))).isEmpty();
  }

  private static void partition(Lab lab) {
    Table table = lab.table("t");
    Lab.put(
        table,
        Lab.cell("a", Lab.LATEST, "q", 1, "before"),
        Lab.cell("b1", Lab.LATEST, "q", 1, "in"),
        Lab.cell("c", Lab.LATEST, "q", 1, "behind"));
    List<FamilySelect> families = List.of(FamilySelect.latest(Lab.LATEST));
    Slice beyond = Slice.rows(text("b"), text("b"), text("z"));
    for (Direction direction : Direction.values()) {
      ReadPlan plan = ReadPlan.of(List.of(beyond), families).with(direction);
      assertThat(Lab.values(Lab.read(table, plan))).containsExactly("in");
    }
  }

  private static void overlapping(Lab lab) {
    Table table = lab.table("t");
    Lab.put(
        table, Lab.cell("p/a", Lab.LATEST, "q", 1, "a"), Lab.cell("p/b", Lab.LATEST, "q", 1, "b"));
    Slice b = Slice.row(PARTITION, text("p/b"));
    ReadPlan plan =
        ReadPlan.of(
            List.of(b, Slice.partition(PARTITION), b), List.of(FamilySelect.latest(Lab.LATEST)));
    assertThat(Lab.values(Lab.read(table, plan))).containsExactly("b", "a", "b", "b");
    assertThat(Lab.values(Lab.read(table, plan.with(Limits.NONE.withRows(3)))))
        .containsExactly("b", "a", "b");
  }

  private static void ownTimes(Lab lab) {
    Table table = lab.table("t");
    Lab.put(
        table,
        Lab.cell("r", Lab.ALL, "q", lab.time(1), "all 1"),
        Lab.cell("r", Lab.ALL, "q", lab.time(2), "all 2"),
        Lab.cell("r", Lab.TWO, "q", lab.time(1), "two 1"),
        Lab.cell("r", Lab.TWO, "q", lab.time(2), "two 2"));
    ReadPlan plan =
        ReadPlan.of(
            List.of(Slice.row(Bytes.EMPTY, text("r"))),
            List.of(
                new FamilySelect(Lab.ALL, List.of(), new TimeRange(lab.time(0), lab.time(2)), 9),
                new FamilySelect(Lab.TWO, List.of(), new TimeRange(lab.time(2), lab.time(3)), 9)));
    assertThat(Lab.values(Lab.read(table, plan))).containsExactly("all 1", "two 2");
  }

  private static void withoutValues(Lab lab) {
    Table table = lab.table("t");
    Lab.put(
        table,
        Lab.cell("r", Lab.LATEST, "q", 1, "a"),
        Lab.cell("r", Lab.ALL, "q", lab.time(1), "b"),
        Lab.cell("s", Lab.TWO, "", lab.time(1), "c"));
    ReadPlan plan = lab.allOf("r", "s").withoutValues();
    for (Direction direction : Direction.values()) {
      try (CellCursor cursor = table.read(plan.with(direction), null)) {
        assertThat(Lab.values(Lab.drain(cursor))).containsExactly("", "", "");
        assertThat(cursor.cost().bytesReturned()).as("bytes of keys and qualifiers").isEqualTo(5);
      }
    }
  }

  private static void withoutTimes(Lab lab) {
    Table table = lab.table("t");
    Lab.put(
        table,
        Lab.cell("r", Lab.LATEST, "p", 1, "a"),
        Lab.cell("r", Lab.LATEST, "q", 2, "b"),
        Lab.cell("s", Lab.LATEST, "q", 3, "c"));
    ReadPlan plan =
        ReadPlan.of(
                List.of(Slice.row(Bytes.EMPTY, text("r")), Slice.row(Bytes.EMPTY, text("s"))),
                List.of(FamilySelect.latest(Lab.LATEST)))
            .withCellTimes(false);
    assertThat(Lab.values(Lab.read(table, plan))).containsExactly("a", "b", "c");
    try (CellCursor cursor = table.read(plan.with(Limits.NONE.withPageCells(1)), null)) {
      CellBatch page = new CellBatch();
      assertThat(cursor.next(page)).isTrue();
      try (CellCursor rest = table.read(plan, cursor.token())) {
        assertThat(Lab.values(Lab.drain(rest))).containsExactly("b", "c");
      }
    }
  }

  private static void seesWrites(Lab lab) {
    Table table = lab.table("t");
    for (int i = 0; i < 100; i++) {
      Lab.put(table, Lab.cell("r", Lab.LATEST, "q", i, "value " + i));
      assertThat(Lab.values(Lab.read(table, Lab.row("r")))).containsExactly("value " + i);
    }
  }
}
