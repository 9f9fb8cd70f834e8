package dev.varve.engine.attach;

import dev.varve.layout.Guess;
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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Samples rows from many places of a table. Reads a few rows, then skips all rows with the same
 * prefix. The amount of data read does not depend on the size of the table.
 */
final class RowSampler {
  /*
   * The sampler starts with prefixes of one byte and repeats with longer ones until it has found
   * enough places. Short prefixes show all values of the first part of the key, such as a salt of
   * one byte. Longer ones distinguish the metrics and times that follow, up to the maximum number
   * of places.
   */
  static final int METRICS = 20;
  static final int ROWS_OF_METRIC = 10;
  private static final int PLACES_MAX = 256;
  private static final int PLACES_ENOUGH = 64;
  private static final int[] PLACE_BYTES = {1, 2, 3, 4, 5, 8, 12, 16, 24, 32, 64};
  private static final int ROWS_OF_PLACE = 4;
  private static final int CELLS_OF_ROW = 100;

  private static final Limits FEW =
      Limits.NONE.withRows(ROWS_OF_PLACE).withCellsPerRow(CELLS_OF_ROW).withPageCells(256);

  private final Table table;
  private final List<FamilySelect> families;
  private final Map<Bytes, List<Cell>> rows = new LinkedHashMap<>();

  private RowSampler(Table table, List<Integer> families) {
    this.table = table;
    this.families = families.stream().map(FamilySelect::latest).toList();
  }

  /** Returns the cells that the inference of parameters requests. */
  static List<Cell> cells(Table table, Guess.Sample sample) {
    RowSampler sampler = new RowSampler(table, sample.families());
    if (sample.rows().isEmpty()) {
      sampler.readAllOver();
    } else {
      List<Slice> slices = sample.rows().stream().map(row -> Slice.row(Bytes.EMPTY, row)).toList();
      Limits limits = Limits.NONE.withCellsPerRow(CELLS_OF_ROW);
      sampler.take(read(table, ReadPlan.of(slices, sampler.families).with(limits)));
    }
    return sampler.rows.values().stream().flatMap(List::stream).toList();
  }

  private void readAllOver() {
    int places = 0;
    for (int i = 0; i < PLACE_BYTES.length && places < PLACES_ENOUGH; i++) {
      places = readPlaces(PLACE_BYTES[i]);
    }
  }

  /**
   * Reads a few rows for each distinct prefix of {@code width} bytes. Returns the number of
   * prefixes.
   */
  private int readPlaces(int width) {
    Bytes from = Bytes.EMPTY;
    for (int place = 0; place < PLACES_MAX; place++) {
      Slice rest = Slice.rows(Bytes.EMPTY, from, null);
      List<Cell> here = read(table, ReadPlan.of(List.of(rest), families).with(FEW));
      take(here);
      Bytes next = here.isEmpty() ? null : after(here.getFirst().row(), width);
      if (next == null) {
        return place;
      }
      from = next;
    }
    return PLACES_MAX;
  }

  private static @Nullable Bytes after(Bytes row, int width) {
    return row.length() < width ? row.successor() : row.slice(0, width).prefixEnd();
  }

  /** Adds rows that were not sampled before. */
  private void take(List<Cell> cells) {
    Map<Bytes, List<Cell>> read = new LinkedHashMap<>();
    cells.forEach(cell -> read.computeIfAbsent(cell.row(), row -> new ArrayList<>()).add(cell));
    read.forEach(rows::putIfAbsent);
  }

  /** Returns the first cells of a row. */
  static List<Cell> row(Table table, Bytes row, Layout layout) {
    byte[] bytes = row.toArray();
    int partition =
        layout.tables().get(layout.dataTable()).partitioning().prefixLength(bytes, 0, bytes.length);
    List<FamilySelect> families =
        IntStream.range(0, table.spec().families().size()).mapToObj(FamilySelect::latest).toList();
    Slice slice = Slice.row(row.slice(0, partition), row);
    return read(table, ReadPlan.of(List.of(slice), families).with(FEW));
  }

  private static List<Cell> read(Table table, ReadPlan plan) {
    List<Cell> cells = new ArrayList<>();
    try (CellCursor cursor = table.read(plan, null)) {
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
