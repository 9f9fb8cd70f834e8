package dev.varve.store.contract;

import static dev.varve.store.contract.Lab.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.model.Bytes;
import dev.varve.model.Resolution;
import dev.varve.model.TimeRange;
import dev.varve.store.Capabilities;
import dev.varve.store.Cell;
import dev.varve.store.Durability;
import dev.varve.store.FamilySelect;
import dev.varve.store.FamilySpec;
import dev.varve.store.MutationBatch;
import dev.varve.store.Partitioning;
import dev.varve.store.ReadPlan;
import dev.varve.store.Slice;
import dev.varve.store.Store.OpenMode;
import dev.varve.store.Table;
import dev.varve.store.TableSpec;
import dev.varve.store.TimeUse;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** The contents of a table after puts and deletes. */
final class WritePromises {
  private WritePromises() {}

  static List<ContractTest> tests() {
    return List.of(
        new ContractTest("keeps the later put of a column", WritePromises::laterPut),
        new ContractTest(
            "shows the later put of a clock, whatever the order they arrive in",
            WritePromises::laterByClock),
        new ContractTest(
            "keeps versions newest first, whatever their order", WritePromises::versions),
        new ContractTest("keeps as many versions as the family", WritePromises::keepsSoMany),
        new ContractTest("replaces a version of the same time", WritePromises::sameTime),
        new ContractTest("keeps versions of a clock", WritePromises::clockVersions),
        new ContractTest("keeps and returns every cell time", WritePromises::cellTimes),
        new ContractTest("applies the edits of a row in their order", WritePromises::orderInRow),
        new ContractTest(
            "applies the mutations of a row in their order, though of one time",
            WritePromises::orderInBatch),
        new ContractTest(
            "keeps the later of two puts within a millisecond", WritePromises::orderWithinMillis),
        new ContractTest("applies no edits at all", WritePromises::noEdits),
        new ContractTest("keeps no hold of a batch", WritePromises::noHold),
        new ContractTest("repeats a batch without a trace", WritePromises::repeats),
        new ContractTest("deletes a column", WritePromises::deletesColumn),
        new ContractTest("deletes a column within a time range", WritePromises::deletesTimes),
        new ContractTest(
            "deletes the newest cell only if its time is in the range",
            WritePromises::deletesByTime),
        new ContractTest("deletes a range of qualifiers", WritePromises::deletesQualifiers),
        new ContractTest("deletes a family of a row", WritePromises::deletesFamily),
        new ContractTest("deletes a row and none beside it", WritePromises::deletesRow),
        new ContractTest("deletes and puts in one mutation", WritePromises::deletesAndPuts),
        new ContractTest("puts again what was deleted", WritePromises::putsAgain));
  }

  private static void laterPut(Lab lab) {
    Table table = lab.table("t");
    Lab.put(table, Lab.cell("r", Lab.LATEST, "q", 1, "first"));
    Lab.put(table, Lab.cell("r", Lab.LATEST, "q", 2, "second"));
    assertThat(Lab.readAll(table)).containsExactly(Lab.cell("r", Lab.LATEST, "q", 2, "second"));
  }

  /** Skips embedded stores, whose single writer supplies ascending times. */
  private static void laterByClock(Lab lab) {
    if (lab.store().isEmbedded()) {
      return;
    }
    Table table = lab.table("t");
    Cell later = Lab.cell("r", Lab.LATEST, "q", 2000, "later");
    Lab.put(table, later);
    Lab.put(table, Lab.cell("r", Lab.LATEST, "q", 1000, "earlier"));
    assertThat(Lab.readAll(table)).containsExactly(later);
    lab.reopen();
    Lab.put(lab.table("t"), Lab.cell("r", Lab.LATEST, "q", 1999, "earlier again"));
    assertThat(Lab.readAll(lab.table("t"))).containsExactly(later);
    Cell last = Lab.cell("r", Lab.LATEST, "q", 2001, "last");
    Lab.put(lab.table("t"), last);
    assertThat(Lab.readAll(lab.table("t"))).containsExactly(last);
  }

  private static void versions(Lab lab) {
    Table table = lab.table("t");
    List<Integer> times = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      times.add(i);
    }
    List<Integer> shuffled = new ArrayList<>(times);
    Collections.shuffle(shuffled, new Random(1));
    for (int time : shuffled) {
      Lab.put(table, Lab.cell("r", Lab.ALL, "q", lab.time(time), "" + time));
    }
    assertThat(Lab.values(Lab.readAll(table)))
        .containsExactlyElementsOf(times.reversed().stream().map(String::valueOf).toList());
  }

  private static void keepsSoMany(Lab lab) {
    Table table = lab.table("t");
    for (int time : new int[] {3, 1, 4, 2, 5, 0}) {
      Lab.put(table, Lab.cell("r", Lab.TWO, "q", lab.time(time), "" + time));
    }
    Lab.put(table, Lab.cell("r", Lab.TWO, "s", lab.time(0), "other"));
    assertThat(Lab.values(Lab.readAll(table))).containsExactly("5", "4", "other");
  }

  private static void sameTime(Lab lab) {
    Table table = lab.table("t");
    Lab.put(table, Lab.cell("r", Lab.ALL, "q", lab.time(5), "first"));
    Lab.put(table, Lab.cell("r", Lab.ALL, "q", lab.time(5), "second"));
    assertThat(Lab.values(Lab.readAll(table))).containsExactly("second");
  }

  private static void clockVersions(Lab lab) {
    FamilySpec family = new FamilySpec("f", TimeUse.CLOCK, 3);
    Table table = lab.store().open(Lab.spec("t", family), OpenMode.CREATE_IF_ABSENT);
    for (int time = 1; time <= 5; time++) {
      Lab.put(table, Lab.cell("r", 0, "q", time, "" + time));
    }
    assertThat(
            Lab.values(
                Lab.read(
                    table,
                    ReadPlan.of(
                        List.of(Slice.partition(Bytes.EMPTY)), List.of(FamilySelect.all(0))))))
        .containsExactly("5", "4", "3");
  }

  private static void cellTimes(Lab lab) {
    Capabilities.CellTimes times = lab.capabilities().cellTimes();
    if (times == null) {
      return;
    }
    Table table = lab.table("t");
    List<Cell> cells = new ArrayList<>();
    for (long time : new long[] {times.max(), lab.time(1), 0, times.min()}) {
      cells.add(Lab.cell("r", Lab.ALL, "q", time, "" + time));
    }
    Lab.put(table, Lab.cell("r", Lab.LATEST, "q", 1_600_000_000_000L, "latest"));
    Lab.apply(table, Lab.puts(cells));
    List<Cell> expected = new ArrayList<>(cells.stream().distinct().toList());
    expected.addFirst(Lab.cell("r", Lab.LATEST, "q", 1_600_000_000_000L, "latest"));
    assertThat(Lab.readAll(table)).isEqualTo(expected);
  }

  private static void orderInRow(Lab lab) {
    Table table = lab.table("t");
    MutationBatch batch = new MutationBatch();
    batch.put(text("r"), Lab.LATEST, text("a"), 1, text("first"));
    batch.put(text("r"), Lab.LATEST, text("b"), 1, text("b"));
    batch.put(text("r"), Lab.LATEST, text("a"), 2, text("second"));
    batch.put(text("r"), Lab.LATEST, text("c"), 3, text("c"));
    batch.deleteColumn(text("r"), Lab.LATEST, text("c"), TimeRange.ALL);
    Lab.apply(table, batch);
    assertThat(Lab.values(Lab.readAll(table))).containsExactly("second", "b");
  }

  private static void orderInBatch(Lab lab) {
    Table table = lab.table("t");
    MutationBatch batch = new MutationBatch();
    int rows = 300;
    for (int round = 0; round < 3; round++) {
      for (int row = 0; row < rows; row++) {
        batch.put(text("r" + row), Lab.LATEST, text("q"), 5, text("" + round));
      }
      batch.put(text("deleted"), Lab.LATEST, text("q" + round), 5, text("" + round));
      batch.put(text("beside"), Lab.LATEST, text("q"), 5, text("" + round));
      if (round == 1) {
        batch.deleteQualifiers(text("deleted"), Lab.LATEST, text("a"), text("z"));
      }
    }
    Lab.apply(table, batch);
    List<Cell> cells = Lab.readAll(table);
    assertThat(cells).hasSize(rows + 2);
    assertThat(Lab.values(cells)).containsOnly("2");
  }

  private static void orderWithinMillis(Lab lab) {
    TableSpec spec =
        new TableSpec(
            "t", List.of(FamilySpec.latest("f")), Resolution.MICROSECONDS, Partitioning.NONE);
    Table table = lab.store().open(spec, OpenMode.CREATE_IF_ABSENT);
    MutationBatch batch = new MutationBatch();
    for (int round = 0; round < 3; round++) {
      for (int row = 0; row < 300; row++) {
        long time = 1_600_000_000_000_000L + 7L * round;
        batch.put(text("r" + row), 0, text("q"), time, text("" + round));
      }
    }
    Lab.apply(table, batch);
    ReadPlan plan =
        ReadPlan.of(List.of(Slice.partition(Bytes.EMPTY)), List.of(FamilySelect.all(0)));
    List<Cell> cells = Lab.read(table, plan);
    assertThat(cells).hasSize(300);
    assertThat(Lab.values(cells)).containsOnly("2");
    assertThat(cells).extracting(Cell::time).containsOnly(1_600_000_000_000_014L);
  }

  private static void noEdits(Lab lab) {
    Table table = lab.table("t");
    assertThat(table.apply(new MutationBatch(), Durability.SYNCED)).isEmpty();
    assertThat(table.apply(new MutationBatch(), Durability.ORDERED)).isEmpty();
    assertThat(Lab.readAll(table)).isEmpty();
  }

  private static void noHold(Lab lab) {
    Table table = lab.table("t");
    MutationBatch batch = new MutationBatch();
    for (int i = 0; i < 100; i++) {
      batch.clear();
      batch.put(text("r" + i), Lab.LATEST, text("q"), i, text("v" + i));
      assertThat(table.apply(batch, Durability.ORDERED)).isEmpty();
    }
    batch.clear();
    assertThat(Lab.readAll(table)).hasSize(100);
    assertThat(Lab.values(Lab.read(table, Lab.row("r42")))).containsExactly("v42");
  }

  private static void repeats(Lab lab) {
    Table table = lab.table("t");
    MutationBatch batch = new MutationBatch();
    batch.deleteQualifiers(text("r"), Lab.LATEST, text("a"), text("c"));
    batch.put(text("r"), Lab.LATEST, text("b"), 2, text("b"));
    batch.put(text("r"), Lab.ALL, text("b"), lab.time(2), text("b at 2"));
    Lab.put(table, Lab.cell("r", Lab.LATEST, "a", 1, "a"));
    Lab.apply(table, batch);
    List<Cell> once = Lab.readAll(table);
    Lab.apply(table, batch);
    assertThat(Lab.readAll(table)).isEqualTo(once);
    assertThat(Lab.values(once)).containsExactly("b", "b at 2");
  }

  /** Creates two rows, and one between them whose key starts with the first. */
  private static Table filled(Lab lab) {
    Table table = lab.table("t");
    for (String row : List.of("r", "r\0", "s")) {
      for (String qualifier : List.of("", "a", "a\0", "b")) {
        Lab.put(
            table,
            Lab.cell(row, Lab.LATEST, qualifier, 5, "L" + qualifier),
            Lab.cell(row, Lab.ALL, qualifier, lab.time(1), "A1" + qualifier),
            Lab.cell(row, Lab.ALL, qualifier, lab.time(2), "A2" + qualifier));
      }
    }
    return table;
  }

  private static List<String> row(Table table, String row) {
    return Lab.values(Lab.read(table, Lab.row(row)));
  }

  private static void deletesColumn(Lab lab) {
    Table table = filled(lab);
    MutationBatch batch = new MutationBatch();
    batch.deleteColumn(text("r"), Lab.LATEST, text("a"), TimeRange.ALL);
    batch.deleteColumn(text("r"), Lab.ALL, text(""), TimeRange.ALL);
    batch.deleteColumn(text("r"), Lab.TWO, text("absent"), TimeRange.ALL);
    Lab.apply(table, batch);
    assertThat(row(table, "r"))
        .containsExactly("L", "La\0", "Lb", "A2a", "A1a", "A2a\0", "A1a\0", "A2b", "A1b");
    assertThat(row(table, "r\0")).hasSize(12);
    assertThat(row(table, "s")).hasSize(12);
  }

  private static void deletesTimes(Lab lab) {
    Table table = filled(lab);
    MutationBatch batch = new MutationBatch();
    batch.deleteColumn(text("r"), Lab.ALL, text("a"), new TimeRange(lab.time(2), lab.time(9)));
    batch.deleteColumn(text("r"), Lab.ALL, text("b"), new TimeRange(lab.time(0), lab.time(2)));
    batch.deleteColumn(text("r"), Lab.ALL, text(""), new TimeRange(lab.time(2), lab.time(2)));
    batch.deleteColumn(text("r"), Lab.ALL, text("a\0"), TimeRange.closed(lab.time(1), lab.time(1)));
    Lab.apply(table, batch);
    assertThat(row(table, "r"))
        .containsExactly("L", "La", "La\0", "Lb", "A2", "A1", "A1a", "A2a\0", "A2b");
  }

  private static void deletesByTime(Lab lab) {
    Table table = filled(lab);
    MutationBatch batch = new MutationBatch();
    batch.deleteColumn(text("r"), Lab.LATEST, text(""), new TimeRange(0, 5));
    batch.deleteColumn(text("r"), Lab.LATEST, text("a"), new TimeRange(5, 6));
    batch.deleteColumn(text("r"), Lab.LATEST, text("absent"), new TimeRange(0, 9));
    batch.put(text("r"), Lab.LATEST, text("b"), 7, text("Lb at 7"));
    batch.deleteColumn(text("r"), Lab.LATEST, text("b"), new TimeRange(0, 7));
    batch.put(text("r"), Lab.LATEST, text("c"), 8, text("Lc at 8"));
    batch.deleteColumn(text("r"), Lab.LATEST, text("c"), new TimeRange(0, 9));
    batch.deleteFamily(text("r"), Lab.ALL);
    batch.deleteColumn(text("s"), Lab.LATEST, text("a"), new TimeRange(0, 9));
    batch.deleteFamily(text("r\0"), Lab.LATEST);
    batch.deleteColumn(text("r\0"), Lab.LATEST, text("a"), new TimeRange(0, 9));
    Lab.apply(table, batch);
    assertThat(row(table, "r")).containsExactly("L", "La\0", "Lb at 7");
    assertThat(row(table, "s")).hasSize(11).startsWith("L", "La\0", "Lb");
    assertThat(row(table, "r\0")).hasSize(8).allMatch(value -> value.startsWith("A"));
  }

  private static void deletesQualifiers(Lab lab) {
    Table table = filled(lab);
    MutationBatch batch = new MutationBatch();
    batch.deleteQualifiers(text("r"), Lab.LATEST, text("a"), text("b"));
    batch.deleteQualifiers(text("r"), Lab.ALL, Bytes.EMPTY, text("a\0"));
    batch.deleteQualifiers(text("s"), Lab.ALL, text("b"), text("a"));
    Lab.apply(table, batch);
    assertThat(row(table, "r")).containsExactly("L", "Lb", "A2a\0", "A1a\0", "A2b", "A1b");
    assertThat(row(table, "r\0")).hasSize(12);
    assertThat(row(table, "s")).hasSize(12);
  }

  private static void deletesFamily(Lab lab) {
    Table table = filled(lab);
    MutationBatch batch = new MutationBatch();
    batch.deleteFamily(text("r"), Lab.ALL);
    batch.deleteFamily(text("s"), Lab.LATEST);
    Lab.apply(table, batch);
    assertThat(row(table, "r")).containsExactly("L", "La", "La\0", "Lb");
    assertThat(row(table, "r\0")).hasSize(12);
    assertThat(row(table, "s")).hasSize(8).startsWith("A2", "A1");
  }

  private static void deletesRow(Lab lab) {
    Table table = filled(lab);
    MutationBatch batch = new MutationBatch();
    batch.deleteRow(text("r"));
    batch.deleteRow(text("absent"));
    Lab.apply(table, batch);
    assertThat(row(table, "r")).isEmpty();
    assertThat(row(table, "r\0")).hasSize(12);
    assertThat(row(table, "s")).hasSize(12);
  }

  private static void deletesAndPuts(Lab lab) {
    Table table = filled(lab);
    MutationBatch batch = new MutationBatch();
    batch.deleteRow(text("r"));
    batch.put(text("r"), Lab.LATEST, text("new"), 9, text("new"));
    batch.put(text("r"), Lab.ALL, text("new"), lab.time(9), text("new at 9"));
    Lab.apply(table, batch);
    assertThat(row(table, "r")).containsExactly("new", "new at 9");
  }

  private static void putsAgain(Lab lab) {
    Table table = filled(lab);
    MutationBatch delete = new MutationBatch();
    delete.deleteRow(text("r"));
    Lab.apply(table, delete);
    Lab.put(table, Lab.cell("r", Lab.LATEST, "a", 6, "again"));
    assertThat(row(table, "r")).containsExactly("again");
    if (lab.capabilities().deletes() == Capabilities.Deletes.IMMEDIATE) {
      Lab.put(table, Lab.cell("r", Lab.ALL, "a", lab.time(1), "again at 1"));
      assertThat(row(table, "r")).containsExactly("again", "again at 1");
    }
  }
}
