package dev.varve.store.contract;

import dev.varve.model.Bytes;
import dev.varve.store.Cell;
import dev.varve.store.Direction;
import dev.varve.store.FamilySelect;
import dev.varve.store.QualifierRange;
import dev.varve.store.ReadPlan;
import dev.varve.store.ResumeToken;
import dev.varve.store.Slice;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * The expected result of a read, computed as simply as possible.
 *
 * @param cells in the order of delivery
 * @param tokens for each cell, the token after it
 */
record ExpectedRead(List<Cell> cells, List<ResumeToken> tokens) {
  private static final Comparator<Cell> IN_ROW =
      Comparator.comparingInt(Cell::family)
          .thenComparing(Cell::qualifier)
          .thenComparing(Comparator.comparingLong(Cell::time).reversed());

  /** Returns what the plan reads from a table that contains exactly the cells {@code held}. */
  static ExpectedRead of(List<Cell> held, ReadPlan plan) {
    NavigableMap<Bytes, List<Cell>> table = new TreeMap<>();
    for (Cell cell : held) {
      table.computeIfAbsent(cell.row(), row -> new ArrayList<>()).add(cell);
    }
    table.values().forEach(row -> row.sort(IN_ROW));
    NavigableMap<Bytes, List<Cell>> inOrder =
        plan.direction() == Direction.FORWARD ? table : table.descendingMap();
    ExpectedRead read = new ExpectedRead(new ArrayList<>(), new ArrayList<>());
    long rows = 0;
    for (int slice = 0; slice < plan.slices().size(); slice++) {
      for (List<Cell> row : inOrder.values()) {
        List<Cell> ofRow = ofRow(row, plan.slices().get(slice), plan);
        rows += ofRow.isEmpty() ? 0 : 1;
        if (rows <= plan.limits().rows()) {
          ofRow.forEach(read.adder(slice, plan));
        }
      }
    }
    return read;
  }

  private Consumer<Cell> adder(int slice, ReadPlan plan) {
    return cell -> {
      if (cells.size() < plan.limits().cells()) {
        ResumeToken last = tokens.isEmpty() ? null : tokens.getLast();
        cells.add(plan.values() ? cell : withoutValue(cell));
        tokens.add(ResumeToken.after(last, slice, cell));
      }
    };
  }

  private static Cell withoutValue(Cell cell) {
    return new Cell(cell.row(), cell.family(), cell.qualifier(), cell.time(), Bytes.EMPTY);
  }

  private static List<Cell> ofRow(List<Cell> row, Slice slice, ReadPlan plan) {
    List<Cell> read = new ArrayList<>();
    for (FamilySelect select : plan.families()) {
      Map<Bytes, Integer> versions = new HashMap<>();
      int cellsOfFamily = 0;
      for (Cell cell : row) {
        if (cell.family() == select.family()
            && isIn(slice, cell)
            && isIn(select.qualifiers(), cell.qualifier())
            && select.times().contains(cell.time())
            && versions.merge(cell.qualifier(), 1, Integer::sum) <= select.versions()
            && cellsOfFamily < plan.limits().cellsPerRow()) {
          read.add(cell);
          cellsOfFamily++;
        }
      }
    }
    return read;
  }

  private static boolean isIn(Slice slice, Cell cell) {
    Bytes toRow = slice.toRow();
    return cell.row().startsWith(slice.partition())
        && comparePosition(cell, slice.fromRow(), slice.fromQualifier()) >= 0
        && (toRow == null || comparePosition(cell, toRow, slice.toQualifier()) < 0);
  }

  private static int comparePosition(Cell cell, Bytes row, Bytes qualifier) {
    int order = cell.row().compareTo(row);
    return order == 0 ? cell.qualifier().compareTo(qualifier) : order;
  }

  private static boolean isIn(List<QualifierRange> ranges, Bytes qualifier) {
    return ranges.isEmpty()
        || ranges.stream()
            .anyMatch(range -> {
              Bytes to = range.to();
              return qualifier.compareTo(range.from()) >= 0
                  && (to == null || qualifier.compareTo(to) < 0);
            });
  }
}
