package dev.varve.store.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.model.Bytes;
import dev.varve.model.TimeRange;
import dev.varve.store.Cell;
import dev.varve.store.Direction;
import dev.varve.store.FamilySelect;
import dev.varve.store.QualifierRange;
import dev.varve.store.ReadPlan;
import dev.varve.store.Slice;
import dev.varve.store.Table;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** Keys are arbitrary byte strings, ordered by unsigned bytes. */
final class ByteOrderPromises {
  /** Keys that break careless encodings, in order. All but the empty one are valid rows. */
  static final List<Bytes> TRAPS = traps();

  private ByteOrderPromises() {}

  static List<ContractTest> tests() {
    return List.of(
        new ContractTest("orders rows by unsigned bytes", ByteOrderPromises::rows),
        new ContractTest("orders qualifiers by unsigned bytes", ByteOrderPromises::qualifiers),
        new ContractTest("ends every row range where it should", ByteOrderPromises::rowRanges),
        new ContractTest(
            "ends every qualifier range where it should", ByteOrderPromises::qualifierRanges),
        new ContractTest("ends every prefix where it should", ByteOrderPromises::prefixes),
        new ContractTest("keeps every byte of every part", ByteOrderPromises::parts));
  }

  private static List<Bytes> traps() {
    List<Bytes> traps = new ArrayList<>();
    for (String hex :
        List.of(
            "", "00", "0000", "000000", "0001", "0002", "00ff", "00ff00", "00ff01", "01", "0100",
            "0101", "01ff", "02", "61", "6100", "610000", "610001", "6100ff", "6101", "6161",
            "61ff", "61ffff", "62", "7f", "80", "8000", "fe", "feff", "ff", "ff00", "ff00ff",
            "ff01", "fffe", "ffff", "ffffff")) {
      traps.add(Bytes.fromHex(hex));
    }
    traps.add(repeated(0x00, 4096));
    traps.add(repeated(0x61, 4096));
    traps.add(repeated(0xff, 4095));
    traps.add(repeated(0xff, 4096));
    Collections.sort(traps);
    return List.copyOf(traps);
  }

  private static Bytes repeated(int value, int count) {
    byte[] bytes = new byte[count];
    Arrays.fill(bytes, (byte) value);
    return Bytes.of(bytes);
  }

  /** Puts one cell for each trap except the empty one, using it as the row, in random order. */
  private static List<Bytes> fillRows(Lab lab, Table table) {
    List<Bytes> rows = TRAPS.subList(1, TRAPS.size());
    List<Bytes> shuffled = new ArrayList<>(rows);
    Collections.shuffle(shuffled, new Random(7));
    List<Cell> cells = new ArrayList<>();
    for (Bytes row : shuffled) {
      cells.add(new Cell(row, Lab.LATEST, Lab.text("q"), 1, row));
      cells.add(new Cell(row, Lab.ALL, Lab.text("q"), lab.time(1), row));
    }
    Lab.apply(table, Lab.puts(cells));
    return rows;
  }

  private static void rows(Lab lab) {
    Table table = lab.table("t");
    List<Bytes> rows = fillRows(lab, table);
    assertThat(rowsOf(table, Slice.partition(Bytes.EMPTY), Direction.FORWARD)).isEqualTo(rows);
    assertThat(rowsOf(table, Slice.partition(Bytes.EMPTY), Direction.REVERSE))
        .isEqualTo(rows.reversed());
  }

  /** Returns the rows of a slice, which have to be the same in both families. */
  private static List<Bytes> rowsOf(Table table, Slice slice, Direction direction) {
    List<Bytes> rows = rowsOf(table, slice, direction, FamilySelect.latest(Lab.LATEST));
    assertThat(rowsOf(table, slice, direction, FamilySelect.all(Lab.ALL))).isEqualTo(rows);
    return rows;
  }

  private static List<Bytes> rowsOf(
      Table table, Slice slice, Direction direction, FamilySelect select) {
    List<Bytes> rows = new ArrayList<>();
    ReadPlan plan = ReadPlan.of(List.of(slice), List.of(select)).with(direction);
    for (Cell cell : Lab.read(table, plan)) {
      assertThat(cell.value()).isEqualTo(cell.row());
      rows.add(cell.row());
    }
    return rows;
  }

  private static void rowRanges(Lab lab) {
    Table table = lab.table("t");
    List<Bytes> rows = fillRows(lab, table);
    for (Direction direction : Direction.values()) {
      for (int from = 0; from < rows.size(); from++) {
        for (int to = from; to < Math.min(rows.size(), from + 4); to++) {
          Slice slice = Slice.rows(Bytes.EMPTY, rows.get(from), rows.get(to));
          List<Bytes> expected = rows.subList(from, to);
          assertThat(rowsOf(table, slice, direction))
              .as("from %s to %s", rows.get(from), rows.get(to))
              .isEqualTo(direction == Direction.FORWARD ? expected : expected.reversed());
        }
        Slice one = Slice.row(rows.get(from), rows.get(from));
        assertThat(rowsOf(table, one, direction)).containsExactly(rows.get(from));
      }
    }
  }

  private static void prefixes(Lab lab) {
    Table table = lab.table("t");
    List<Bytes> rows = fillRows(lab, table);
    for (Bytes prefix : TRAPS) {
      List<Bytes> expected = rows.stream().filter(row -> row.startsWith(prefix)).toList();
      assertThat(rowsOf(table, Slice.partition(prefix), Direction.FORWARD)).isEqualTo(expected);
      assertThat(rowsOf(table, Slice.partition(prefix), Direction.REVERSE))
          .isEqualTo(expected.reversed());
    }
  }

  /** Puts one cell for each trap, using it as a qualifier of a single row. */
  private static void fillQualifiers(Lab lab, Table table) {
    List<Bytes> shuffled = new ArrayList<>(TRAPS);
    Collections.shuffle(shuffled, new Random(7));
    List<Cell> cells = new ArrayList<>();
    for (Bytes qualifier : shuffled) {
      cells.add(new Cell(Lab.text("r"), Lab.LATEST, qualifier, 1, qualifier));
      cells.add(new Cell(Lab.text("r"), Lab.ALL, qualifier, lab.time(1), qualifier));
    }
    Lab.apply(table, Lab.puts(cells));
  }

  /** Returns the qualifiers of ranges, which have to be the same in both families. */
  private static List<Bytes> qualifiersOf(Table table, List<QualifierRange> ranges) {
    List<Bytes> qualifiers = qualifiersOf(table, ranges, Lab.LATEST);
    assertThat(qualifiersOf(table, ranges, Lab.ALL)).isEqualTo(qualifiers);
    return qualifiers;
  }

  private static List<Bytes> qualifiersOf(Table table, List<QualifierRange> ranges, int family) {
    List<Bytes> qualifiers = new ArrayList<>();
    ReadPlan plan =
        ReadPlan.of(
            List.of(Slice.row(Bytes.EMPTY, Lab.text("r"))),
            List.of(new FamilySelect(family, ranges, TimeRange.ALL, 1)));
    for (Cell cell : Lab.read(table, plan)) {
      assertThat(cell.value()).isEqualTo(cell.qualifier());
      qualifiers.add(cell.qualifier());
    }
    return qualifiers;
  }

  private static void qualifiers(Lab lab) {
    Table table = lab.table("t");
    fillQualifiers(lab, table);
    assertThat(qualifiersOf(table, List.of())).isEqualTo(TRAPS);
  }

  private static void qualifierRanges(Lab lab) {
    Table table = lab.table("t");
    fillQualifiers(lab, table);
    for (int from = 0; from < TRAPS.size(); from++) {
      Bytes first = TRAPS.get(from);
      assertThat(qualifiersOf(table, List.of(QualifierRange.exactly(first))))
          .containsExactly(first);
      assertThat(qualifiersOf(table, List.of(QualifierRange.prefix(first))))
          .isEqualTo(TRAPS.stream().filter(q -> q.startsWith(first)).toList());
      for (int to = from; to < Math.min(TRAPS.size(), from + 4); to++) {
        assertThat(qualifiersOf(table, List.of(new QualifierRange(first, TRAPS.get(to)))))
            .isEqualTo(TRAPS.subList(from, to));
        Slice part = Slice.row(Bytes.EMPTY, Lab.text("r"), first, TRAPS.get(to));
        ReadPlan plan = ReadPlan.of(List.of(part), List.of(FamilySelect.latest(Lab.LATEST)));
        assertThat(Lab.read(table, plan))
            .extracting(Cell::qualifier)
            .isEqualTo(TRAPS.subList(from, to));
      }
    }
  }

  private static void parts(Lab lab) {
    Table table = lab.table("t");
    byte[] all = new byte[256];
    for (int i = 0; i < all.length; i++) {
      all[i] = (byte) i;
    }
    Bytes bytes = Bytes.of(all);
    List<Cell> cells =
        List.of(
            new Cell(bytes, Lab.LATEST, bytes, 1, bytes),
            new Cell(bytes, Lab.ALL, Bytes.EMPTY, lab.time(1), Bytes.EMPTY),
            new Cell(bytes, Lab.ALL, bytes, lab.time(1), bytes));
    Lab.apply(table, Lab.puts(cells));
    assertThat(Lab.readAll(table)).isEqualTo(cells);
  }
}
