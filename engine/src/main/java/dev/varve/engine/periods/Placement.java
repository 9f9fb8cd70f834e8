package dev.varve.engine.periods;

import dev.varve.engine.config.DatasetConfig.Access;
import dev.varve.engine.config.DatasetConfig.Attached;
import dev.varve.layout.Layout;
import dev.varve.store.Store.OpenMode;
import dev.varve.store.TableSpec;
import dev.varve.store.Upkeep;
import java.util.ArrayList;
import java.util.List;

/**
 * The tables of a layout in a store.
 *
 * @param tables the tables under their names in the store, in the order of the layout
 * @param mode how to open the tables
 */
public record Placement(Layout layout, List<TableSpec> tables, OpenMode mode) {
  public Placement {
    tables = List.copyOf(tables);
  }

  /**
   * Returns the placement of our own tables, whose names begin with {@code prefix}.
   *
   * @param upkeep the upkeep of the data table
   */
  static Placement own(Layout layout, String prefix, Upkeep upkeep) {
    List<TableSpec> tables = new ArrayList<>();
    for (TableSpec spec : layout.tables()) {
      boolean ofSamples = tables.size() == layout.dataTable();
      TableSpec named = spec.named(prefix + spec.name());
      tables.add(ofSamples ? named.with(upkeep) : named);
    }
    return new Placement(layout, tables, OpenMode.CREATE_IF_ABSENT);
  }

  /**
   * Returns the placement of foreign tables.
   *
   * @param upkeep the upkeep of cells written to the data table; the table itself is not altered
   */
  static Placement attached(Layout layout, Attached attached, Upkeep upkeep) {
    List<String> names = foreignNames(layout, attached);
    List<TableSpec> tables = new ArrayList<>();
    for (int i = 0; i < names.size(); i++) {
      TableSpec named = layout.tables().get(i).attached(names.get(i));
      tables.add(i == layout.dataTable() ? named.with(upkeep) : named);
    }
    boolean written = attached.access() == Access.CO_WRITE;
    return new Placement(layout, tables, written ? OpenMode.READ_WRITE : OpenMode.READ_ONLY);
  }

  /** Returns the names of a layout's attached tables, in the order of the layout. */
  public static List<String> foreignNames(Layout layout, Attached attached) {
    List<String> names = new ArrayList<>();
    for (int i = 0; i < layout.tables().size(); i++) {
      String original = layout.originalTables().get(i);
      names.add(attached.tables().getOrDefault(layout.tables().get(i).name(), original));
    }
    return names;
  }

  boolean isForeign() {
    return mode != OpenMode.CREATE_IF_ABSENT;
  }

  /** Returns the table of samples. */
  TableSpec dataTable() {
    return tables.get(layout.dataTable());
  }
}
