package dev.varve.engine.attach;

import dev.varve.layout.Layout;
import dev.varve.model.Bytes;
import dev.varve.store.Cell;
import dev.varve.store.CellBatch;
import dev.varve.store.CellCursor;
import dev.varve.store.FamilySelect;
import dev.varve.store.Limits;
import dev.varve.store.ReadPlan;
import dev.varve.store.Slice;
import dev.varve.store.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Some rows of a table, from many places: a few, then on behind all that begin with the same bytes.
 * What it reads does not grow with the table.
 */
final class RowSampler {
  static final int METRICS = 20;
  static final int ROWS_OF_METRIC = 10;
  private static final int PLACES = 64;
  private static final int ROWS_OF_PLACE = 4;
  private static final int CELLS_OF_ROW = 200;

  /** Enough to tell salts and metrics apart. */
  private static final int PLACE_BYTES = 4;

  private static final int PLACE_BYTES_MAX = 64;

  private static final Limits FEW =
      Limits.NONE.withRows(ROWS_OF_PLACE).withCellsPerRow(CELLS_OF_ROW).withPageCells(256);

  private final Table table;

  RowSampler(Table table) {
    this.table = table;
  }

  /** Looks more closely where there are few places. */
  List<Cell> cells() {
    NavigableMap<Bytes, List<Cell>> rows = new TreeMap<>();
    for (int bytes = PLACE_BYTES; bytes <= PLACE_BYTES_MAX && rows.size() < PLACES; bytes *= 2) {
      addRows(bytes, rows);
    }
    return rows.values().stream().flatMap(List::stream).toList();
  }

  /** Adds some rows of each of the first places, whose row keys differ in so many bytes. */
  private void addRows(int bytes, NavigableMap<Bytes, List<Cell>> rows) {
    @Nullable Bytes from = Bytes.EMPTY;
    for (int place = 0; place < PLACES && from != null; place++) {
      List<Cell> here = read(table, Slice.rows(Bytes.EMPTY, from, null), FEW);
      here.stream()
          .collect(Collectors.groupingBy(Cell::row))
          .forEach(rows::putIfAbsent);
      from = here.isEmpty() ? null : behind(here.getLast().row(), bytes);
    }
  }

  private static @Nullable Bytes behind(Bytes row, int bytes) {
    return row.slice(0, Math.min(bytes, row.length())).prefixEnd();
  }

  /** The first cells of one row. */
  static List<Cell> row(Table table, Bytes row, Layout layout) {
    byte[] bytes = row.toArray();
    int partition =
        layout.tables().get(layout.dataTable()).partitioning().prefixLength(bytes, 0, bytes.length);
    return read(table, Slice.row(row.slice(0, partition), row), FEW);
  }

  private static List<Cell> read(Table table, Slice slice, Limits limits) {
    List<FamilySelect> families =
        IntStream.range(0, table.spec().families().size()).mapToObj(FamilySelect::latest).toList();
    List<Cell> cells = new ArrayList<>();
    try (CellCursor cursor = table.read(ReadPlan.of(List.of(slice), families).with(limits), null)) {
      CellBatch page = new CellBatch();
      while (cursor.next(page)) {
        for (int i = 0; i < page.size(); i++) {
          cells.add(page.cell(i));
        }
      }
    }
    return cells;
  }
}
