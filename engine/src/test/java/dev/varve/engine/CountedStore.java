package dev.varve.engine;

import dev.varve.model.Bytes;
import dev.varve.store.CellBatch;
import dev.varve.store.CellCursor;
import dev.varve.store.Durability;
import dev.varve.store.FamilySelect;
import dev.varve.store.MutationBatch;
import dev.varve.store.Partitioning;
import dev.varve.store.ReadPlan;
import dev.varve.store.RowOutcome;
import dev.varve.store.Slice;
import dev.varve.store.Store;
import dev.varve.store.Table;
import dev.varve.store.TableSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A store that counts the cells of its tables. It records the partitions that are written, because
 * not every store can read across partitions.
 */
final class CountedStore extends StoreAround {
  private final Map<String, TableSpec> specs = new ConcurrentHashMap<>();
  private final Map<String, Set<Bytes>> partitions = new ConcurrentHashMap<>();

  CountedStore(Store store) {
    super(store);
  }

  @Override
  public Table open(TableSpec spec, OpenMode mode) {
    Table table = super.open(spec, mode);
    specs.put(spec.name(), spec);
    Set<Bytes> written =
        partitions.computeIfAbsent(spec.name(), name -> ConcurrentHashMap.newKeySet());
    return new CountedTable(table, written);
  }

  /**
   * Counts the cells, including versions, of a table that was opened and written through this
   * store.
   */
  int cells(String name) {
    TableSpec spec = Objects.requireNonNull(specs.get(name), name);
    List<FamilySelect> families = new ArrayList<>();
    for (int family = 0; family < spec.families().size(); family++) {
      families.add(FamilySelect.all(family));
    }
    List<Slice> slices =
        Objects.requireNonNull(partitions.get(name)).stream().map(Slice::partition).toList();
    return slices.isEmpty() ? 0 : count(spec, ReadPlan.of(slices, families));
  }

  private int count(TableSpec spec, ReadPlan plan) {
    int count = 0;
    CellBatch page = new CellBatch();
    try (Table table = super.open(spec, OpenMode.READ_ONLY);
        CellCursor cursor = table.read(plan, null)) {
      while (cursor.next(page)) {
        count += page.size();
      }
    }
    return count;
  }

  private static final class CountedTable extends TableAround {
    private final Set<Bytes> written;

    private CountedTable(Table table, Set<Bytes> written) {
      super(table);
      this.written = written;
    }

    @Override
    public List<RowOutcome> apply(MutationBatch batch, Durability durability) {
      Partitioning partitioning = spec().partitioning();
      int end;
      for (int first = 0; first < batch.size(); first = end) {
        end = batch.mutationEnd(first);
        Bytes row = batch.cells().row(first);
        written.add(row.slice(0, partitioning.prefixLength(row.toArray(), 0, row.length())));
      }
      return super.apply(batch, durability);
    }
  }
}
