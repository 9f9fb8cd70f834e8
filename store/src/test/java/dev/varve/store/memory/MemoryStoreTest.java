package dev.varve.store.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.varve.model.Bytes;
import dev.varve.model.Resolution;
import dev.varve.model.TimeRange;
import dev.varve.store.CellBatch;
import dev.varve.store.CellCursor;
import dev.varve.store.Direction;
import dev.varve.store.Durability;
import dev.varve.store.FamilySelect;
import dev.varve.store.FamilySpec;
import dev.varve.store.MutationBatch;
import dev.varve.store.Partitioning;
import dev.varve.store.ReadPlan;
import dev.varve.store.Slice;
import dev.varve.store.Store.OpenMode;
import dev.varve.store.StoreException;
import dev.varve.store.StoreProvider;
import dev.varve.store.Table;
import dev.varve.store.TableSpec;
import dev.varve.store.TimeUse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;

/** Expectations are worked out by hand, because other stores are compared with the memory store. */
class MemoryStoreTest {
  private static final TableSpec SPEC =
      new TableSpec(
          "t",
          List.of(
              FamilySpec.latest("c"),
              new FamilySpec("d", TimeUse.DATA, FamilySpec.ALL_VERSIONS),
              new FamilySpec("two", TimeUse.DATA, 2)),
          Resolution.MILLISECONDS,
          Partitioning.NONE);

  private final MemoryStore store = new MemoryStore();
  private final Table table = store.open(SPEC, OpenMode.CREATE_IF_ABSENT);
  private final MutationBatch batch = new MutationBatch();

  @Test
  void readsAStaircaseForwardsAndBackwards() {
    for (String row : List.of("a", "b", "c")) {
      for (String qualifier : List.of("1", "2", "3")) {
        put(row, 0, qualifier, 0, row + qualifier);
      }
    }
    write();
    Slice stairs =
        new Slice(Bytes.EMPTY, Bytes.utf8("a"), Bytes.utf8("3"), Bytes.utf8("c"), Bytes.utf8("2"));
    ReadPlan plan = ReadPlan.of(List.of(stairs), List.of(FamilySelect.all(0)));
    assertThat(values(plan)).containsExactly("a3", "b1", "b2", "b3", "c1");
    assertThat(values(plan.with(Direction.REVERSE))).containsExactly("c1", "b1", "b2", "b3", "a3");
    assertThat(values(plan.with(plan.limits().withRows(2))))
        .containsExactly("a3", "b1", "b2", "b3");
    assertThat(values(plan.with(plan.limits().withCellsPerRow(1))))
        .containsExactly("a3", "b1", "c1");
    assertThat(values(plan.with(plan.limits().withCells(4))))
        .containsExactly("a3", "b1", "b2", "b3");
  }

  @Test
  void keepsTheLastPutOfAClockFamilyWhateverItsTime() {
    put("r", 0, "q", 9, "first");
    put("r", 0, "q", 3, "second");
    write();
    assertThat(values(row("r", FamilySelect.all(0)))).containsExactly("second");
  }

  @Test
  void keepsVersionsByTimeNewestFirst() {
    put("r", 1, "q", 3, "three");
    put("r", 1, "q", 9, "nine");
    put("r", 1, "q", 3, "three again");
    put("r", 2, "q", 1, "one");
    put("r", 2, "q", 3, "three");
    put("r", 2, "q", 2, "two");
    write();
    assertThat(values(row("r", FamilySelect.all(1)))).containsExactly("nine", "three again");
    assertThat(values(row("r", FamilySelect.latest(1)))).containsExactly("nine");
    assertThat(values(row("r", new FamilySelect(1, List.of(), new TimeRange(0, 9), 1))))
        .containsExactly("three again");
    assertThat(values(row("r", FamilySelect.all(2)))).containsExactly("three", "two");
  }

  @Test
  void deletesWhatItIsToldTo() {
    put("r", 0, "a", 5, "c-a");
    put("r", 0, "b", 5, "c-b");
    put("r", 1, "a", 5, "d-a5");
    put("r", 1, "a", 6, "d-a6");
    put("s", 0, "a", 5, "s");
    batch.deleteColumn(Bytes.utf8("r"), 1, Bytes.utf8("a"), new TimeRange(6, 7));
    batch.deleteQualifiers(Bytes.utf8("r"), 0, Bytes.utf8("a"), Bytes.utf8("b"));
    batch.deleteRow(Bytes.utf8("s"));
    write();
    assertThat(values(all())).containsExactly("c-b", "d-a5");
  }

  @Test
  void closedStoreSaysSo() {
    store.close();
    assertThatThrownBy(() -> table.read(all(), null))
        .isInstanceOf(StoreException.class)
        .hasMessage("the memory store is closed");
  }

  @Test
  void isFoundByItsKind() {
    List<StoreProvider> providers = new ArrayList<>();
    ServiceLoader.load(StoreProvider.class).forEach(providers::add);
    assertThat(providers).extracting(StoreProvider::kind).contains("memory");
    assertThatThrownBy(() -> new MemoryStoreProvider().open(Path.of("x"), 0, Map.of("size", "1")))
        .hasMessage("the memory store has no options, got size");
  }

  private void put(String row, int family, String qualifier, long time, String value) {
    batch.put(Bytes.utf8(row), family, Bytes.utf8(qualifier), time, Bytes.utf8(value));
  }

  private void write() {
    assertThat(table.apply(batch, Durability.SYNCED)).isEmpty();
    batch.clear();
  }

  private static ReadPlan row(String row, FamilySelect select) {
    return ReadPlan.of(List.of(Slice.row(Bytes.EMPTY, Bytes.utf8(row))), List.of(select));
  }

  private static ReadPlan all() {
    return ReadPlan.of(
        List.of(Slice.partition(Bytes.EMPTY)),
        List.of(FamilySelect.all(0), FamilySelect.all(1), FamilySelect.all(2)));
  }

  private List<String> values(ReadPlan plan) {
    List<String> values = new ArrayList<>();
    CellBatch page = new CellBatch();
    try (CellCursor cursor = table.read(plan, null)) {
      while (cursor.next(page)) {
        for (int i = 0; i < page.size(); i++) {
          values.add(page.value(i).toUtf8());
        }
      }
    }
    return values;
  }
}
