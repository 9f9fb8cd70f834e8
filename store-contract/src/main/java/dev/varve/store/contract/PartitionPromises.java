package dev.varve.store.contract;

import static dev.varve.store.contract.Lab.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.model.Bytes;
import dev.varve.store.Capabilities.RowOrder;
import dev.varve.store.Direction;
import dev.varve.store.FamilySelect;
import dev.varve.store.ReadPlan;
import dev.varve.store.Slice;
import dev.varve.store.StoreException;
import dev.varve.store.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Repeats the promises about reads, paging and stories for tables whose rows lie in several
 * partitions, and adds reads of slices in different partitions.
 */
final class PartitionPromises {
  private PartitionPromises() {}

  static List<ContractTest> tests() {
    List<ContractTest> tests = new ArrayList<>();
    tests.add(
        new ContractTest(
            "reads a slice across partitions, or says that it does not",
            Lab.FIRST_BYTE,
            PartitionPromises::across));
    Stream.of(
            ReadPromises.tests(),
            ReadPromises.acrossPartitions(),
            PagingPromises.ofRows(),
            StopPromises.ofReads(),
            List.of(ModelPromises.inFewStories()))
        .flatMap(List::stream)
        .map(ContractTest::inPartitions)
        .forEach(tests::add);
    return tests;
  }

  /** If partitions are distributed by hash, a slice across several of them has no defined order. */
  private static void across(Lab lab) {
    Table table = lab.table("t");
    for (String row : List.of("k1", "l1", "m1", "m2")) {
      Lab.put(table, Lab.cell(row, Lab.LATEST, "q", 1, row));
    }
    Slice all = Slice.partition(Bytes.EMPTY);
    Slice some = Slice.rows(Bytes.EMPTY, text("k2"), text("m2"));
    List<FamilySelect> families = List.of(FamilySelect.latest(Lab.LATEST));
    for (Direction direction : Direction.values()) {
      ReadPlan whole = ReadPlan.of(List.of(all), families).with(direction);
      ReadPlan part = ReadPlan.of(List.of(some), families).with(direction);
      if (lab.capabilities().order() == RowOrder.TABLE) {
        boolean forward = direction == Direction.FORWARD;
        List<String> rows = List.of("k1", "l1", "m1", "m2");
        assertThat(Lab.values(Lab.read(table, whole))).isEqualTo(forward ? rows : rows.reversed());
        assertThat(Lab.values(Lab.read(table, part)))
            .isEqualTo(forward ? List.of("l1", "m1") : List.of("m1", "l1"));
      } else {
        assertThatThrownBy(() -> Lab.read(table, whole))
            .isInstanceOf(StoreException.class)
            .hasMessageContaining("'t'")
            .hasMessageContaining("within one partition");
        assertThatThrownBy(() -> Lab.read(table, part))
            .isInstanceOf(StoreException.class)
            .hasMessageContaining("within one partition");
      }
    }
  }
}
