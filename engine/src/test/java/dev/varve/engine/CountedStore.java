package dev.varve.engine;

import dev.varve.model.Bytes;
import dev.varve.store.CellBatch;
import dev.varve.store.CellCursor;
import dev.varve.store.FamilySelect;
import dev.varve.store.ReadPlan;
import dev.varve.store.Slice;
import dev.varve.store.Store;
import dev.varve.store.Table;
import dev.varve.store.TableSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/** A store that keeps rows in order, of which somebody wants to know how full its tables are. */
final class CountedStore extends StoreAround {
  private final Map<String, TableSpec> specs = new ConcurrentHashMap<>();

  CountedStore(Store store) {
    super(store);
  }

  @Override
  public Table open(TableSpec spec, OpenMode mode) {
    Table table = super.open(spec, mode);
    specs.put(spec.name(), spec);
    return table;
  }

  /** How many cells there are, versions too, by table. */
  Map<String, Integer> cells() {
    Map<String, Integer> counts = new TreeMap<>();
    tables().forEach(table -> counts.put(table, cells(table)));
    return counts;
  }

  /** How many cells, versions too, a table has. */
  int cells(String name) {
    TableSpec spec = Objects.requireNonNull(specs.get(name), name);
    List<FamilySelect> families = new ArrayList<>();
    for (int family = 0; family < spec.families().size(); family++) {
      families.add(FamilySelect.all(family));
    }
    ReadPlan plan = ReadPlan.of(List.of(Slice.partition(Bytes.EMPTY)), families);
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
}
