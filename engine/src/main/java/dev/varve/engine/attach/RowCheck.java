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
 * Checks that the parameters of a layout fit existing rows before new rows are written. With a
 * wrong salt or width, the other server would not find the new rows.
 */
public final class RowCheck {
  private RowCheck() {}

  /**
   * Decodes the keys of a sample of rows, about a thousand at most.
   *
   * @param data the data table, under its name in the store
   * @return human-readable reasons not to write; empty if there are none. Also empty if the layout
   *     has its own index, because its tables then record their parameters
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
        "of %d sampled rows of table '%s', %d have keys that do not fit these parameters, such as %s; 'varve attach' shows which parameters fit"
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

  /** Returns why a row key cannot be decoded; empty if it can. */
  private static List<String> damage(Layout layout, Bytes row) {
    try {
      layout.identify(row);
      return List.of();
    } catch (DamagedCellException e) {
      return List.of("%s: %s".formatted(row, e.getMessage()));
    }
  }
}
