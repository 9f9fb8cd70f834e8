package dev.varve.matrix;

import dev.varve.model.Bytes;
import dev.varve.model.Resolution;
import dev.varve.store.Cell;
import dev.varve.store.CellBatch;
import dev.varve.store.CellCursor;
import dev.varve.store.FamilySelect;
import dev.varve.store.FamilySpec;
import dev.varve.store.Partitioning;
import dev.varve.store.ReadPlan;
import dev.varve.store.Slice;
import dev.varve.store.Store;
import dev.varve.store.Store.OpenMode;
import dev.varve.store.Table;
import dev.varve.store.TableSpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/** Reads tables of other programs in stores that keep rows in order. */
final class StoredCells {
  private StoredCells() {}

  /** Returns the newest cell of each column. */
  static List<Cell> of(Store store, String name, String... families) {
    TableSpec spec =
        new TableSpec(
                name,
                Arrays.stream(families).map(FamilySpec::latest).toList(),
                Resolution.MILLISECONDS,
                Partitioning.NONE)
            .attached(name);
    List<FamilySelect> selects =
        IntStream.range(0, families.length).mapToObj(FamilySelect::latest).toList();
    List<Cell> cells = new ArrayList<>();
    CellBatch page = new CellBatch();
    ReadPlan all = ReadPlan.of(List.of(Slice.partition(Bytes.EMPTY)), selects);
    try (Table table = store.open(spec, OpenMode.READ_ONLY);
        CellCursor cursor = table.read(all, null)) {
      while (cursor.next(page)) {
        for (int i = 0; i < page.size(); i++) {
          cells.add(page.cell(i));
        }
      }
    }
    return cells;
  }
}
