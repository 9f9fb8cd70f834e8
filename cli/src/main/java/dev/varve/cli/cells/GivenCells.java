package dev.varve.cli.cells;

import dev.varve.cli.cells.CellForm.Located;
import dev.varve.engine.cells.ScratchTables;
import dev.varve.layout.DamagedCellException;
import dev.varve.layout.Layout;
import dev.varve.model.Bytes;
import dev.varve.store.Cell;
import dev.varve.store.FamilySpec;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Puts given cells into the tables of their layouts. Equal cells count once. Of two different cells
 * at the same place, the table keeps the later one, and the earlier one is kept separately.
 */
final class GivenCells {
  private final List<ScratchTables> tables;
  private final Map<Place, Located> kept = new HashMap<>();
  private final Set<Located> replaced = new LinkedHashSet<>();

  GivenCells(List<ScratchTables> tables) {
    this.tables = tables;
  }

  /** A place at which a table can hold one cell. */
  private record Place(int layout, int table, Bytes row, int family, Bytes qualifier, long time) {}

  /** Adds a cell. Returns why its table cannot hold it; null if it can. */
  @Nullable String take(Located located) {
    ScratchTables to = tables.get(located.layout());
    if (located.table() != to.layout().dataTable()) {
      try {
        to.layout().describe(located.table(), located.cell());
      } catch (DamagedCellException e) {
        return e.getMessage();
      }
    }
    Place place = place(located);
    Located before = kept.get(place);
    if (before == null) {
      String refused = to.put(located.table(), located.cell());
      if (refused == null) {
        kept.put(place, located);
      }
      return refused;
    }
    if (before.cell().value().equals(located.cell().value())) {
      return null;
    }
    boolean older = located.cell().time() < before.cell().time();
    String refused = older ? null : to.put(located.table(), located.cell());
    if (refused == null) {
      replaced.add(older ? located : before);
      replaced.remove(older ? before : located);
      kept.put(place, older ? before : located);
    }
    return refused;
  }

  private Place place(Located located) {
    Layout layout = tables.get(located.layout()).layout();
    Cell cell = located.cell();
    FamilySpec family = layout.tables().get(located.table()).families().get(cell.family());
    return new Place(
        located.layout(),
        located.table(),
        cell.row(),
        cell.family(),
        cell.qualifier(),
        CellForm.hasTime(family) ? cell.time() : 0);
  }

  /** Returns the replaced cells of a layout's data table, in the order of the lines. */
  List<Cell> replaced(int layout) {
    int data = tables.get(layout).layout().dataTable();
    return replaced.stream()
        .filter(located -> located.layout() == layout && located.table() == data)
        .map(Located::cell)
        .toList();
  }
}
