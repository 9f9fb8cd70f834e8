package dev.varve.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.layout.Layout;
import dev.varve.model.Batch;
import dev.varve.model.Bytes;
import dev.varve.model.TimeRange;
import dev.varve.store.CellBatch;
import dev.varve.store.CellCursor;
import dev.varve.store.Durability;
import dev.varve.store.FamilySelect;
import dev.varve.store.FamilySpec;
import dev.varve.store.MutationBatch;
import dev.varve.store.ReadPlan;
import dev.varve.store.Slice;
import dev.varve.store.Store;
import dev.varve.store.Table;
import dev.varve.store.TableSpec;
import java.util.ArrayList;
import java.util.List;

/**
 * Another server with its own tables in a store. It writes exactly what the layout defines, to
 * tables with the names that the original uses, and nothing else.
 */
final class ForeignServer implements AutoCloseable {
  private final Store store;
  private final Layout layout;
  private final TestEngine itself;

  ForeignServer(Store store, Layout layout) {
    this.store = store;
    this.layout = layout;
    this.itself = new TestEngine(TestEngine.dataset("own", layout));
    write(new Batch(List.of(), List.of()));
  }

  void write(Batch batch) {
    itself.micros.addAndGet(10_000);
    assertThat(itself.write(batch).refused()).isZero();
    for (int table = 0; table < layout.tables().size(); table++) {
      TableSpec spec = layout.tables().get(table);
      TableSpec foreign = spec.named(layout.originalTables().get(table));
      try (Table from = itself.store().openAgain("own." + spec.name());
          Table to = store.open(foreign, Store.OpenMode.CREATE_IF_ABSENT)) {
        copy(from, to);
      }
    }
  }

  private static void copy(Table from, Table to) {
    MutationBatch cells = cells(from);
    if (!cells.isEmpty()) {
      assertThat(to.apply(cells, Durability.SYNCED)).isEmpty();
    }
  }

  /** Returns all cells of a table whose rows are in order. */
  static MutationBatch cells(Table table) {
    List<FamilySelect> families = new ArrayList<>();
    for (int family = 0; family < table.spec().families().size(); family++) {
      families.add(new FamilySelect(family, List.of(), TimeRange.ALL, FamilySpec.ALL_VERSIONS));
    }
    MutationBatch cells = new MutationBatch();
    CellBatch page = new CellBatch();
    try (CellCursor cursor =
        table.read(ReadPlan.of(List.of(Slice.partition(Bytes.EMPTY)), families), null)) {
      while (cursor.next(page)) {
        for (int i = 0; i < page.size(); i++) {
          cells.put(page.row(i), page.family(i), page.qualifier(i), page.time(i), page.value(i));
        }
      }
    }
    return cells;
  }

  @Override
  public void close() {
    itself.close();
  }
}
