package dev.varve.store.contract;

import static dev.varve.store.contract.Lab.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.model.Bytes;
import dev.varve.model.TimeRange;
import dev.varve.store.Cell;
import dev.varve.store.CellBatch;
import dev.varve.store.CellCursor;
import dev.varve.store.Direction;
import dev.varve.store.Limits;
import dev.varve.store.MutationBatch;
import dev.varve.store.ReadPlan;
import dev.varve.store.ResumeToken;
import dev.varve.store.Slice;
import dev.varve.store.Table;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** A read can stop after any cell, and another can resume there. */
final class PagingPromises {
  private static final int LONG_ROW_CELLS = 10_000;
  private static final int ROW_CELLS = 200;

  /** Cells of 1 MiB and a key that reach {@link Limits#PAGE_BYTES}. */
  private static final int PAGE_CELLS = Limits.PAGE_BYTES >> 20;

  private PagingPromises() {}

  static List<ContractTest> tests() {
    List<ContractTest> tests = new ArrayList<>();
    tests.add(
        new ContractTest(
            "resumes a page from every cell of a long row",
            lab -> everyCellOfARow(lab, Direction.FORWARD)));
    tests.add(
        new ContractTest(
            "resumes a page from every cell of a long row, in reverse",
            lab -> everyCellOfARow(lab, Direction.REVERSE)));
    tests.addAll(ofRows());
    return tests;
  }

  /** Returns the promises about reads that span several rows. */
  static List<ContractTest> ofRows() {
    return List.of(
        new ContractTest(
            "resumes a page from every cell of rows",
            lab -> everyCellOfRows(lab, Direction.FORWARD)),
        new ContractTest(
            "resumes a page from every cell of rows, in reverse",
            lab -> everyCellOfRows(lab, Direction.REVERSE)),
        new ContractTest("resumes after the store was opened again", PagingPromises::afterReopen),
        new ContractTest(
            "resumes after a cell that no longer exists", PagingPromises::afterDeleted),
        new ContractTest("resumes with cells added on both sides", PagingPromises::withAdded),
        new ContractTest("names the position after every page", PagingPromises::namesPlaces),
        new ContractTest(
            "delivers large cells in pages of bounded size", PagingPromises::largeCells));
  }

  /**
   * Reads the plan from its start, then again from after each of its cells, or from a sample of
   * them if reads are expensive.
   *
   * @param turn a different number for each plan, so that many plans together cover all cells
   */
  static void assertReads(Lab lab, int turn, Table table, ReadPlan plan, ExpectedRead expected) {
    assertThat(Lab.read(table, plan)).as("%s", plan).isEqualTo(expected.cells());
    int count = expected.cells().size();
    for (int i = turn % lab.oneIn(); i < count; i += lab.oneIn()) {
      ResumeToken token = expected.tokens().get(i);
      assertThat(Lab.read(table, plan, token))
          .as("after cell %d, %s, of %s", i, token, plan)
          .isEqualTo(expected.cells().subList(i + 1, count));
    }
  }

  private static void everyCellOfARow(Lab lab, Direction direction) {
    Table table = lab.table("t");
    List<Cell> cells = row(lab, "long", LONG_ROW_CELLS);
    Lab.apply(table, Lab.puts(cells));
    Lab.put(
        table,
        Lab.cell("before", Lab.LATEST, "q", 1, "before"),
        Lab.cell("longer", Lab.LATEST, "q", 1, "behind"));
    ReadPlan plan =
        ReadPlan.of(List.of(Slice.partition(text("long"))), Lab.allFamilies())
            .with(direction)
            .with(Limits.NONE.withPageCells(3));
    List<Cell> held = new ArrayList<>(cells);
    held.add(Lab.cell("longer", Lab.LATEST, "q", 1, "behind"));
    everyCell(lab, table, plan, held);
  }

  /** Reads pages of several rows, some of which end in the next row or the next slice. */
  private static void everyCellOfRows(Lab lab, Direction direction) {
    Table table = lab.table("t");
    List<Cell> cells = rows(lab, ROW_CELLS);
    Lab.apply(table, Lab.puts(cells));
    ReadPlan plan = allOfRows(lab).with(direction).with(Limits.NONE.withPageCells(7));
    everyCell(lab, table, plan, cells);
  }

  private static void everyCell(Lab lab, Table table, ReadPlan plan, List<Cell> held) {
    ExpectedRead expected = ExpectedRead.of(held, plan);
    assertThat(Lab.read(table, plan)).isEqualTo(expected.cells());
    CellBatch page = new CellBatch();
    for (int i = 0; i < expected.cells().size(); i += lab.oneIn()) {
      List<Cell> found = new ArrayList<>();
      try (CellCursor cursor = table.read(plan, expected.tokens().get(i))) {
        cursor.next(page);
        Lab.addAll(page, found);
      }
      List<Cell> rest = expected.cells().subList(i + 1, expected.cells().size());
      assertThat(found)
          .as("first page after cell %d", i)
          .isEqualTo(rest.subList(0, Math.min(found.size(), rest.size())));
      assertThat(found.isEmpty()).as("nothing after cell %d", i).isEqualTo(rest.isEmpty());
    }
  }

  /**
   * Returns the cells of one row: half of them in columns of one version, half in columns of four.
   */
  private static List<Cell> row(Lab lab, String row, int count) {
    List<Cell> cells = new ArrayList<>();
    for (int i = 0; i < count / 2; i++) {
      cells.add(new Cell(text(row), Lab.LATEST, number(i), lab.time(i), number(-i)));
    }
    for (int i = 0; i < count / 2; i++) {
      cells.add(new Cell(text(row), Lab.ALL, number(i / 4), lab.time(i % 4), number(-i)));
    }
    return cells;
  }

  /** Returns several such rows whose keys start with three different bytes. */
  private static List<Cell> rows(Lab lab, int cellsOfEach) {
    return Stream.of("k", "l1", "l1\0", "l2", "m")
        .flatMap(row -> row(lab, row, cellsOfEach).stream())
        .toList();
  }

  private static ReadPlan allOfRows(Lab lab) {
    return lab.allOf("l", "k", "m");
  }

  private static Bytes number(int number) {
    return Bytes.of(ByteBuffer.allocate(Integer.BYTES).putInt(number).array());
  }

  private static void afterReopen(Lab lab) {
    List<Cell> cells = rows(lab, 20);
    Lab.apply(lab.table("t"), Lab.puts(cells));
    ExpectedRead expected = ExpectedRead.of(cells, allOfRows(lab));
    lab.reopen();
    assertThat(Lab.read(lab.table("t"), allOfRows(lab), expected.tokens().get(41)))
        .isEqualTo(expected.cells().subList(42, 100));
  }

  private static void afterDeleted(Lab lab) {
    List<Cell> cells =
        List.of(
            Lab.cell("a", Lab.LATEST, "1", 1, "a1"),
            Lab.cell("a", Lab.ALL, "1", lab.time(3), "a1 at 3"),
            Lab.cell("a", Lab.ALL, "1", lab.time(2), "a1 at 2"),
            Lab.cell("b", Lab.LATEST, "1", 1, "b1"));
    ReadPlan plan = lab.allOf("a", "b");
    ExpectedRead expected = ExpectedRead.of(cells, plan);
    for (int i = 0; i < cells.size(); i++) {
      Table table = lab.table("t" + i);
      Lab.apply(table, Lab.puts(cells));
      Cell gone = cells.get(i);
      MutationBatch delete = new MutationBatch();
      delete.deleteColumn(gone.row(), gone.family(), gone.qualifier(), TimeRange.ALL);
      Lab.apply(table, delete);
      List<Cell> rest = new ArrayList<>(expected.cells().subList(i + 1, cells.size()));
      rest.removeIf(cell -> cell.family() == gone.family() && cell.row().equals(gone.row()));
      assertThat(Lab.read(table, plan, expected.tokens().get(i))).isEqualTo(rest);
    }
  }

  private static void withAdded(Lab lab) {
    Table table = lab.table("t");
    List<Cell> cells =
        List.of(Lab.cell("b", Lab.LATEST, "2", 1, "b2"), Lab.cell("b", Lab.LATEST, "4", 1, "b4"));
    Lab.apply(table, Lab.puts(cells));
    ReadPlan plan = lab.allOf("a", "b", "c");
    ExpectedRead expected = ExpectedRead.of(cells, plan);
    Lab.put(
        table,
        Lab.cell("a", Lab.LATEST, "1", 1, "a1"),
        Lab.cell("b", Lab.LATEST, "1", 1, "b1"),
        Lab.cell("b", Lab.LATEST, "3", 1, "b3"),
        Lab.cell("c", Lab.LATEST, "1", 1, "c1"));
    assertThat(Lab.values(Lab.read(table, plan, expected.tokens().get(0))))
        .containsExactly("b3", "b4", "c1");
  }

  private static void namesPlaces(Lab lab) {
    Table table = lab.table("t");
    List<Cell> cells = rows(lab, 10);
    Lab.apply(table, Lab.puts(cells));
    ReadPlan plan = allOfRows(lab).with(Limits.NONE.withPageCells(7));
    ExpectedRead expected = ExpectedRead.of(cells, plan);
    CellBatch page = new CellBatch();
    int delivered = 0;
    try (CellCursor cursor = table.read(plan, null)) {
      assertThat(cursor.token()).as("before the first page").isNull();
      while (cursor.next(page)) {
        delivered += page.size();
        assertThat(cursor.token()).isEqualTo(expected.tokens().get(delivered - 1));
      }
      assertThat(cursor.token()).as("at the end").isEqualTo(expected.tokens().getLast());
    }
    ResumeToken resume = expected.tokens().get(9);
    try (CellCursor cursor = table.read(plan, resume)) {
      assertThat(cursor.token()).as("resumed, before its first page").isEqualTo(resume);
    }
  }

  private static void largeCells(Lab lab) {
    Table table = lab.table("t");
    byte[] large = new byte[1 << 20];
    List<Cell> cells = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      large[i] = (byte) i;
      cells.add(
          new Cell(text(i < 6 ? "k" + i : "l" + i), Lab.LATEST, Bytes.EMPTY, 1, Bytes.of(large)));
    }
    cells.sort(Comparator.comparing(Cell::row));
    Lab.apply(table, Lab.puts(cells));
    ReadPlan plan = lab.allOf("k", "l");
    assertThat(Lab.read(table, plan)).isEqualTo(cells);
    CellBatch page = new CellBatch();
    try (CellCursor cursor = table.read(plan, null)) {
      while (cursor.next(page)) {
        assertThat(page.size()).as("cells of 1 MiB in a page").isLessThanOrEqualTo(PAGE_CELLS);
      }
    }
  }
}
