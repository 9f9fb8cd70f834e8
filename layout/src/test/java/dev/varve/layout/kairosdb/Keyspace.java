package dev.varve.layout.kairosdb;

import static org.assertj.core.api.Assertions.assertThat;

import dev.varve.layout.Step;
import dev.varve.layout.StepRunner;
import dev.varve.model.BatchBuilder;
import dev.varve.model.GroupKey;
import dev.varve.model.Value;
import dev.varve.store.Cell;
import dev.varve.store.Durability;
import dev.varve.store.MutationBatch;
import dev.varve.store.Store.OpenMode;
import dev.varve.store.Table;
import dev.varve.store.memory.MemoryStore;
import java.util.ArrayList;
import java.util.List;

/** The tables of a layout in memory. */
final class Keyspace {
  private final KairosDbLayout layout;
  private final List<Table> tables = new ArrayList<>();

  Keyspace(KairosDbLayout layout) {
    this.layout = layout;
    MemoryStore store = new MemoryStore();
    layout.tables().forEach(spec -> tables.add(store.open(spec, OpenMode.CREATE_IF_ABSENT)));
  }

  /** Writes one sample and its index cells. */
  void write(GroupKey key, long time, Value value) {
    Cells cells = Cells.encode(layout, new BatchBuilder().add(key, time, value).build(), 0);
    for (int table = 0; table < tables.size(); table++) {
      for (Cell cell : cells.of(table)) {
        put(table, cell);
      }
    }
  }

  void put(int table, Cell cell) {
    MutationBatch batch = new MutationBatch();
    batch.put(cell.row(), 0, cell.qualifier(), cell.time(), cell.value());
    assertThat(tables.get(table).apply(batch, Durability.ORDERED)).isEmpty();
  }

  <T> T run(Step<T> step) {
    return new StepRunner(tables, () -> 0).run(step);
  }
}
