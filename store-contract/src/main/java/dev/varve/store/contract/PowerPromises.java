package dev.varve.store.contract;

import static dev.varve.store.contract.Lab.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.model.Bytes;
import dev.varve.store.Cell;
import dev.varve.store.FamilySelect;
import dev.varve.store.MutationBatch;
import dev.varve.store.Power;
import dev.varve.store.ReadPlan;
import dev.varve.store.Slice;
import dev.varve.store.Store.OpenMode;
import dev.varve.store.StoreException;
import dev.varve.store.Table;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

/** Optional powers work if declared; undeclared powers are refused up front. */
final class PowerPromises {
  private static final List<Class<? extends Power>> POWERS =
      List.of(
          Power.ConditionalPut.class,
          Power.Increment.class,
          Power.RangeDelete.class,
          Power.Reclaim.class);

  private PowerPromises() {}

  static List<ContractTest> tests() {
    return List.of(
        new ContractTest("has the powers that it declares and no others", PowerPromises::declares),
        new ContractTest("gives no power over a table opened to be read", PowerPromises::readOnly),
        with(
            "puts where there is nothing, once",
            Power.ConditionalPut.class,
            PowerPromises::putsOnce),
        with(
            "puts where the newest value is as expected",
            Power.ConditionalPut.class,
            PowerPromises::putsIf),
        with("compares with the newest version", Power.ConditionalPut.class, PowerPromises::newest),
        with(
            "replaces what was put on a condition by a later put, and deletes it",
            Power.ConditionalPut.class,
            PowerPromises::putsWithAClockBehind),
        with(
            "refuses a conditional put that is too large",
            Power.ConditionalPut.class,
            PowerPromises::tooLarge),
        with(
            "sees what it put conditionally, though the clock of the caller is behind",
            Power.ConditionalPut.class,
            PowerPromises::clockBehind),
        with(
            "lets one of many conditional puts on one value win",
            Power.ConditionalPut.class,
            PowerPromises::oneWins),
        with("adds to a cell", Power.Increment.class, PowerPromises::adds),
        with("adds to no cell of another length", Power.Increment.class, PowerPromises::addsToText),
        with("deletes a range of rows", Power.RangeDelete.class, PowerPromises::deletesRows),
        with("deletes all rows from one on", Power.RangeDelete.class, PowerPromises::deletesToEnd),
        with("reclaims space and keeps cells", Power.Reclaim.class, PowerPromises::reclaims));
  }

  private interface Body<P extends Power> {
    void run(Lab lab, Table table, P power) throws Exception;
  }

  /** Returns a test that passes trivially on stores without the power. */
  private static <P extends Power> ContractTest with(String name, Class<P> power, Body<P> body) {
    return new ContractTest(
        name,
        lab -> {
          Table table = lab.table("t");
          Optional<P> present = table.power(power);
          if (present.isPresent()) {
            body.run(lab, table, present.get());
          }
        });
  }

  private static void declares(Lab lab) {
    Table table = lab.table("t");
    for (Class<? extends Power> power : POWERS) {
      boolean declared = lab.capabilities().has(power);
      assertThat(table.power(power).isPresent()).as("%s", power).isEqualTo(declared);
      List<String> reasons = lab.store().check(Lab.spec("u"), Set.of(power));
      if (declared) {
        assertThat(reasons).isEmpty();
      } else {
        assertThat(reasons)
            .singleElement()
            .asString()
            .contains("'u'", power.getSimpleName(), lab.store().kind());
      }
    }
    assertThat(lab.store().tables()).as("tables after checks").containsExactly("t");
  }

  private static void readOnly(Lab lab) {
    lab.table("t").close();
    Table table = lab.store().open(Lab.spec("t"), OpenMode.READ_ONLY);
    for (Class<? extends Power> power : POWERS) {
      assertThat(table.power(power)).isEmpty();
    }
  }

  private static void putsOnce(Lab lab, Table table, Power.ConditionalPut power) {
    Cell first = Lab.cell("r", Lab.LATEST, "q", 1, "first");
    assertThat(power.putIf(first, null)).isTrue();
    assertThat(power.putIf(Lab.cell("r", Lab.LATEST, "q", 2, "second"), null)).isFalse();
    assertThat(power.putIf(Lab.cell("r", Lab.LATEST, "q\0", 2, "beside"), null)).isTrue();
    assertThat(Lab.values(Lab.readAll(table))).containsExactly("first", "beside");
  }

  private static void putsIf(Lab lab, Table table, Power.ConditionalPut power) {
    assertThat(power.putIf(Lab.cell("r", Lab.LATEST, "q", 1, "a"), text("x"))).isFalse();
    Lab.put(table, Lab.cell("r", Lab.LATEST, "q", 1, "x"));
    assertThat(power.putIf(Lab.cell("r", Lab.LATEST, "q", 2, "a"), text("y"))).isFalse();
    assertThat(power.putIf(Lab.cell("r", Lab.LATEST, "q", 2, "a"), text("x"))).isTrue();
    assertThat(power.putIf(Lab.cell("r", Lab.LATEST, "q", 3, ""), text("a"))).isTrue();
    assertThat(power.putIf(Lab.cell("r", Lab.LATEST, "q", 4, "b"), Bytes.EMPTY)).isTrue();
    assertThat(Lab.values(Lab.readAll(table))).containsExactly("b");
  }

  private static void newest(Lab lab, Table table, Power.ConditionalPut power) {
    Lab.put(
        table,
        Lab.cell("r", Lab.ALL, "q", lab.time(5), "five"),
        Lab.cell("r", Lab.ALL, "q", lab.time(3), "three"),
        Lab.cell("r", Lab.ALL, "q\0", lab.time(9), "beside"));
    Cell seven = Lab.cell("r", Lab.ALL, "q", lab.time(7), "seven");
    assertThat(power.putIf(seven, text("three"))).isFalse();
    assertThat(power.putIf(seven, null)).isFalse();
    assertThat(power.putIf(seven, text("five"))).isTrue();
    assertThat(power.putIf(Lab.cell("r", Lab.ALL, "p", lab.time(1), "before"), null)).isTrue();
    assertThat(Lab.values(Lab.readAll(table)))
        .containsExactly("before", "seven", "five", "three", "beside");
  }

  private static void clockBehind(Lab lab, Table table, Power.ConditionalPut power) {
    for (int family : new int[] {Lab.LATEST, Lab.ALL}) {
      Cell existing = Lab.cell("r", family, "q", lab.time(2000), "a");
      Lab.put(table, existing);
      assertThat(power.putIf(Lab.cell("r", family, "q", lab.time(1000), "b"), text("a"))).isTrue();
      assertThat(power.putIf(Lab.cell("r", family, "q", lab.time(1500), "c"), text("a"))).isFalse();
      assertThat(newest(table, family)).isEqualTo("b");
      assertThat(power.putIf(Lab.cell("r", family, "q", lab.time(1), "c"), text("b"))).isTrue();
      assertThat(newest(table, family)).isEqualTo("c");
    }
  }

  private static String newest(Table table, int family) {
    return Lab.read(
            table,
            ReadPlan.of(
                List.of(Slice.row(Bytes.EMPTY, text("r"))), List.of(FamilySelect.latest(family))))
        .getFirst()
        .value()
        .toUtf8();
  }

  private static void oneWins(Lab lab, Table table, Power.ConditionalPut power) throws Exception {
    Lab.put(table, Lab.cell("r", Lab.LATEST, "q", 1_000_000, "0"));
    for (int round = 0; round < Math.min(lab.times(200), 40); round++) {
      String expected = "" + round;
      String next = "" + (round + 1);
      AtomicInteger won = new AtomicInteger();
      try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
        List<Future<?>> tries = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
          long time = 1_000_001 + round - i * 1000L;
          tries.add(
              threads.submit(() -> {
                if (power.putIf(Lab.cell("r", Lab.LATEST, "q", time, next), text(expected))) {
                  won.incrementAndGet();
                }
              }));
        }
        for (Future<?> one : tries) {
          one.get();
        }
      }
      assertThat(won).as("winners of round %d", round).hasValue(1);
      assertThat(newest(table, Lab.LATEST)).isEqualTo(next);
    }
  }

  private static void putsWithAClockBehind(Lab lab, Table table, Power.ConditionalPut power) {
    assertThat(power.putIf(Lab.cell("r", Lab.LATEST, "q", 1, "decided"), null)).isTrue();
    Lab.put(table, Lab.cell("r", Lab.LATEST, "q", 2, "put"));
    assertThat(Lab.values(Lab.readAll(table))).containsExactly("put");
    assertThat(power.putIf(Lab.cell("r", Lab.LATEST, "q", 3, "again"), text("decided"))).isFalse();
    assertThat(power.putIf(Lab.cell("r", Lab.LATEST, "q", 3, "again"), text("put"))).isTrue();
    assertThat(Lab.values(Lab.readAll(table))).containsExactly("again");
    MutationBatch delete = new MutationBatch();
    delete.deleteRow(text("r"));
    Lab.apply(table, delete);
    assertThat(Lab.readAll(table)).isEmpty();
    assertThat(power.putIf(Lab.cell("r", Lab.LATEST, "q", 4, "anew"), null)).isTrue();
    assertThat(Lab.values(Lab.readAll(table))).containsExactly("anew");
  }

  private static void tooLarge(Lab lab, Table table, Power.ConditionalPut power) {
    byte[] large = new byte[lab.capabilities().limits().rowKey() + 1];
    Cell cell = new Cell(Bytes.of(large), Lab.LATEST, text("q"), 1, text("v"));
    assertThatThrownBy(() -> power.putIf(cell, null))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("row key");
    assertThat(Lab.readAll(table)).isEmpty();
  }

  private static void adds(Lab lab, Table table, Power.Increment power) {
    assertThat(power.add(text("r"), Lab.LATEST, text("q"), 5, 1)).isEqualTo(5);
    assertThat(power.add(text("r"), Lab.LATEST, text("q"), -7, 2)).isEqualTo(-2);
    assertThat(power.add(text("r"), Lab.LATEST, text("q"), Long.MAX_VALUE, 3))
        .isEqualTo(Long.MAX_VALUE - 2);
    assertThat(power.add(text("s"), Lab.ALL, text("q"), 1, lab.time(1))).isEqualTo(1);
    assertThat(power.add(text("s"), Lab.ALL, text("q"), 1, lab.time(2))).isEqualTo(2);
    List<Cell> cells = Lab.readAll(table);
    assertThat(cells)
        .extracting(cell -> ByteBuffer.wrap(cell.value().toArray()).getLong())
        .containsExactly(Long.MAX_VALUE - 2, 2L, 1L);
    assertThat(cells.getFirst().time()).isEqualTo(3);
  }

  private static void addsToText(Lab lab, Table table, Power.Increment power) {
    Lab.put(table, Lab.cell("r", Lab.LATEST, "q", 1, "text"));
    assertThatThrownBy(() -> power.add(text("r"), Lab.LATEST, text("q"), 1, 2))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("4 bytes");
    assertThat(Lab.values(Lab.readAll(table))).containsExactly("text");
    assertThat(power.add(text("s"), Lab.LATEST, text("q"), 1, 1)).isEqualTo(1);
  }

  private static List<Bytes> fill(Lab lab, Table table) {
    List<Bytes> rows = ByteOrderPromises.TRAPS.subList(1, ByteOrderPromises.TRAPS.size());
    for (Bytes row : rows) {
      Lab.put(
          table,
          new Cell(row, Lab.LATEST, text("q"), 1, text("v")),
          new Cell(row, Lab.ALL, text("q"), lab.time(1), text("v")));
    }
    Lab.put(lab.table("beside"), Lab.cell("r", Lab.LATEST, "q", 1, "beside"));
    return rows;
  }

  private static void deletesRows(Lab lab, Table table, Power.RangeDelete power) {
    List<Bytes> rows = fill(lab, table);
    power.deleteRows(rows.get(10), rows.get(10));
    power.deleteRows(rows.get(10), rows.get(3));
    assertThat(Lab.readAll(table)).hasSize(2 * rows.size());
    power.deleteRows(rows.get(3), rows.get(10));
    List<Bytes> left =
        rows.stream()
            .filter(row -> row.compareTo(rows.get(3)) < 0 || row.compareTo(rows.get(10)) >= 0)
            .toList();
    assertThat(Lab.readAll(table).stream().map(Cell::row).distinct().toList()).isEqualTo(left);
    assertThat(Lab.readAll(lab.table("beside"))).hasSize(1);
  }

  private static void deletesToEnd(Lab lab, Table table, Power.RangeDelete power) {
    List<Bytes> rows = fill(lab, table);
    power.deleteRows(rows.get(5), null);
    assertThat(Lab.readAll(table).stream().map(Cell::row).distinct().toList())
        .isEqualTo(rows.subList(0, 5));
    power.deleteRows(Bytes.EMPTY, null);
    assertThat(Lab.readAll(table)).isEmpty();
    assertThat(Lab.readAll(lab.table("beside"))).hasSize(1);
    Lab.put(table, Lab.cell("r", Lab.LATEST, "q", 2, "again"));
    assertThat(Lab.values(Lab.readAll(table))).containsExactly("again");
  }

  private static void reclaims(Lab lab, Table table, Power.Reclaim power) {
    List<Bytes> rows = fill(lab, table);
    Lab.put(table, new Cell(rows.get(4), Lab.LATEST, text("q"), 2, text("newer")));
    table
        .power(Power.RangeDelete.class)
        .ifPresent(range -> range.deleteRows(rows.get(5), rows.get(8)));
    List<Cell> before = Lab.readAll(table);
    power.reclaim(rows.get(2), rows.get(7));
    assertThat(Lab.readAll(table)).isEqualTo(before);
    power.reclaim(Bytes.EMPTY, null);
    assertThat(Lab.readAll(table)).isEqualTo(before);
    assertThat(Lab.readAll(lab.table("beside"))).hasSize(1);
    Lab.put(table, Lab.cell("r", Lab.LATEST, "q", 2, "again"));
    assertThat(Lab.readAll(table)).hasSize(before.size() + 1);
  }
}
