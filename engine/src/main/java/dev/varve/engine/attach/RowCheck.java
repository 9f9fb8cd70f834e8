package dev.varve.engine.attach;

import dev.varve.layout.DamagedCellException;
import dev.varve.layout.Guess;
import dev.varve.layout.Layout;
import dev.varve.model.Bytes;
import dev.varve.store.Capabilities.RowOrder;
import dev.varve.store.Cell;
import dev.varve.store.Store;
import dev.varve.store.Store.OpenMode;
import dev.varve.store.Table;
import dev.varve.store.TableSpec;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Looks whether a layout has the parameters of the rows that are there, before others are written
 * beside them: with a wrong salt or width they would lie where the other server does not look.
 */
public final class RowCheck {
  private RowCheck() {}

  /**
   * Tries the keys of some rows, at most a thousand or so.
   *
   * @param data the table of samples, as it is called in the store
   * @return why nothing should be written there, in words; empty where nothing speaks against it,
   *     and where an index lists the rows, as the tables say themselves then how they were made
   */
  public static List<String> reasons(Layout layout, TableSpec data, Store store) {
    if (layout.directory().isPresent()
        || store.capabilities(data).order() != RowOrder.TABLE
        || !store.exists(data)) {
      return List.of();
    }
    List<Bytes> rows = rows(data, store);
    List<String> damages = rows.stream().flatMap(row -> damage(layout, row).stream()).toList();
    if (damages.size() <= Guess.unexplainedMax(rows.size())) {
      return List.of();
    }
    return List.of(
        "of %d rows of table '%s' that were tried, %d have keys that are none with these parameters, such as %s; 'varve attach' shows which fit"
            .formatted(rows.size(), data.name(), damages.size(), damages.getFirst()));
  }

  private static List<Bytes> rows(TableSpec data, Store store) {
    List<Integer> families = IntStream.range(0, data.families().size()).boxed().toList();
    try (Table table = store.open(data, OpenMode.READ_ONLY)) {
      return RowSampler.cells(table, new Guess.Sample(0, families, List.of())).stream()
          .map(Cell::row)
          .distinct()
          .toList();
    }
  }

  /** What is wrong with a key, as far as it says so itself. */
  private static List<String> damage(Layout layout, Bytes row) {
    try {
      layout.identify(row);
      return List.of();
    } catch (DamagedCellException e) {
      return List.of("%s: %s".formatted(row, e.getMessage()));
    }
  }
}
