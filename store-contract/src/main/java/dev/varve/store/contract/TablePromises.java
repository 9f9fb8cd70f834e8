package dev.varve.store.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.model.Resolution;
import dev.varve.store.Durability;
import dev.varve.store.FamilySpec;
import dev.varve.store.Partitioning;
import dev.varve.store.RowOutcome;
import dev.varve.store.RowOutcome.Status;
import dev.varve.store.Store.OpenMode;
import dev.varve.store.StoreException;
import dev.varve.store.Table;
import dev.varve.store.TableSpec;
import dev.varve.store.TimeUse;
import java.util.List;
import java.util.Set;

/** Tables are independent of each other. */
final class TablePromises {
  private TablePromises() {}

  static List<ContractTest> tests() {
    return List.of(
        new ContractTest("keeps tables apart whose names begin alike", TablePromises::apart),
        new ContractTest("keeps many tables apart", TablePromises::many),
        new ContractTest("drops one table and no other", TablePromises::drops),
        new ContractTest("begins a dropped table anew", TablePromises::beginsAnew),
        new ContractTest("says that a handle's table was dropped", TablePromises::droppedHandle),
        new ContractTest(
            "opens no missing table unless asked to create it", TablePromises::missing),
        new ContractTest("refuses a table made otherwise", TablePromises::madeOtherwise),
        new ContractTest("serves one table through several handles", TablePromises::handles),
        new ContractTest("refuses writes to a table opened to be read", TablePromises::readOnly),
        new ContractTest("fails on a closed handle", TablePromises::closedHandle),
        new ContractTest("has figures that are numbers", TablePromises::figures));
  }

  private static final List<String> ALIKE = List.of("a", "a-b", "a.b", "aa", "ab", "A", "b", "_");

  private static void apart(Lab lab) {
    for (String name : ALIKE) {
      Lab.put(lab.table(name), Lab.cell("r", Lab.LATEST, "q", 1, name));
    }
    for (String name : ALIKE) {
      assertThat(Lab.values(Lab.readAll(lab.table(name)))).containsExactly(name);
    }
    assertThat(lab.store().tables()).containsExactlyElementsOf(ALIKE.stream().sorted().toList());
    assertThat(ALIKE).allMatch(name -> lab.store().exists(Lab.spec(name)));
    assertThat(lab.store().exists(Lab.spec("aaa"))).isFalse();
    assertThat(lab.store().exists(Lab.spec("aaa").attached("aaa"))).isFalse();
  }

  private static void many(Lab lab) {
    int tables = lab.times(100);
    for (int i = 0; i < tables; i++) {
      Lab.put(lab.table("table" + i), Lab.cell("r", Lab.LATEST, "q", 1, "value" + i));
    }
    for (int i = 0; i < tables; i++) {
      assertThat(Lab.values(Lab.readAll(lab.table("table" + i)))).containsExactly("value" + i);
    }
  }

  private static void drops(Lab lab) {
    for (String name : ALIKE) {
      Lab.put(lab.table(name), Lab.cell("r", Lab.LATEST, "q", 1, name));
    }
    lab.store().drop("a");
    lab.store().drop("absent");
    for (String name : ALIKE.subList(1, ALIKE.size())) {
      assertThat(Lab.values(Lab.readAll(lab.table(name)))).containsExactly(name);
    }
    assertThat(lab.store().tables()).doesNotContain("a").hasSize(ALIKE.size() - 1);
  }

  private static void beginsAnew(Lab lab) {
    Lab.put(lab.table("t"), Lab.cell("r", Lab.LATEST, "q", 1, "old"));
    lab.store().drop("t");
    TableSpec other = Lab.spec("t", FamilySpec.latest("other"));
    Table table = lab.store().open(other, OpenMode.CREATE_IF_ABSENT);
    Lab.put(table, Lab.cell("s", 0, "q", 1, "new"));
    lab.store().drop("t");
    assertThat(Lab.readAll(lab.table("t"))).isEmpty();
  }

  private static void droppedHandle(Lab lab) {
    Table table = lab.table("t");
    lab.store().drop("t");
    List<RowOutcome> outcomes =
        table.apply(Lab.puts(List.of(Lab.cell("r", Lab.LATEST, "q", 1, "v"))), Durability.SYNCED);
    assertThat(outcomes)
        .singleElement()
        .extracting(RowOutcome::status)
        .isEqualTo(Status.NOT_APPLIED);
    assertThatThrownBy(() -> Lab.readAll(table))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("dropped");
    assertThat(Lab.readAll(lab.table("t"))).isEmpty();
  }

  private static void missing(Lab lab) {
    for (OpenMode mode : List.of(OpenMode.READ_ONLY, OpenMode.READ_WRITE)) {
      assertThatThrownBy(() -> lab.store().open(Lab.spec("absent"), mode))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("absent");
    }
    assertThat(lab.store().tables()).isEmpty();
  }

  private static void madeOtherwise(Lab lab) {
    FamilySpec family = new FamilySpec("f", TimeUse.DATA, 3);
    lab.store().open(Lab.spec("t", family), OpenMode.CREATE_IF_ABSENT);
    assertRefusesOthers(lab, family);
    assertThat(lab.store().check(Lab.spec("t", family), Set.of())).isEmpty();
    lab.store().open(Lab.spec("t", family), OpenMode.READ_WRITE).close();
  }

  /**
   * Asserts that table t, which has one data family of three versions, cannot be opened with
   * another spec.
   */
  static void assertRefusesOthers(Lab lab, FamilySpec family) {
    List<TableSpec> others =
        List.of(
            Lab.spec("t", new FamilySpec("g", TimeUse.DATA, 3)),
            Lab.spec("t", new FamilySpec("f", TimeUse.CLOCK, 3)),
            Lab.spec("t", new FamilySpec("f", TimeUse.DATA, 4)),
            Lab.spec("t", family, FamilySpec.latest("g")),
            new TableSpec("t", List.of(family), Resolution.SECONDS, Partitioning.NONE));
    for (TableSpec other : others) {
      assertThat(lab.store().check(other, Set.of())).singleElement().asString().contains("'t'");
      for (OpenMode mode : OpenMode.values()) {
        assertThatThrownBy(() -> lab.store().open(other, mode))
            .isInstanceOf(StoreException.class)
            .hasMessageContaining("'t'");
      }
    }
  }

  private static void handles(Lab lab) {
    Table one = lab.table("t");
    Table other = lab.table("t");
    Lab.put(one, Lab.cell("r", Lab.LATEST, "q", 1, "v"));
    assertThat(Lab.values(Lab.readAll(other))).containsExactly("v");
    one.close();
    one.close();
    Lab.put(other, Lab.cell("r", Lab.LATEST, "q", 2, "w"));
    assertThat(Lab.values(Lab.readAll(other))).containsExactly("w");
  }

  private static void readOnly(Lab lab) {
    Lab.put(lab.table("t"), Lab.cell("r", Lab.LATEST, "q", 1, "v"));
    Table table = lab.store().open(Lab.spec("t"), OpenMode.READ_ONLY);
    List<RowOutcome> outcomes =
        table.apply(
            Lab.puts(
                List.of(
                    Lab.cell("r", Lab.LATEST, "q", 2, "w"),
                    Lab.cell("s", Lab.LATEST, "q", 2, "w"))),
            Durability.SYNCED);
    assertThat(outcomes)
        .extracting(RowOutcome::status)
        .containsExactly(Status.REJECTED, Status.REJECTED);
    assertThat(outcomes).extracting(RowOutcome::reason).doesNotContainNull();
    assertThat(Lab.values(Lab.readAll(table))).containsExactly("v");
  }

  private static void closedHandle(Lab lab) {
    Table table = lab.table("t");
    table.close();
    assertThatThrownBy(() -> Lab.readAll(table)).isInstanceOf(StoreException.class);
    assertThatThrownBy(() -> Lab.put(table, Lab.cell("r", Lab.LATEST, "q", 1, "v")))
        .isInstanceOf(StoreException.class);
  }

  private static void figures(Lab lab) {
    Lab.put(lab.table("t"), Lab.cell("r", Lab.LATEST, "q", 1, "v"));
    assertThat(lab.store().figures()).isNotEmpty();
    assertThat(lab.store().figures().keySet()).allMatch(name -> name.matches("[a-z][a-z0-9_]*"));
    assertThat(lab.store().figures().values()).allMatch(value -> value >= 0);
    assertThat(lab.store().kind()).matches("[a-z]+");
  }
}
