package dev.varve.engine.periods;

import dev.varve.engine.error.QueryRefusedException;
import dev.varve.engine.home.DeleteTable;
import dev.varve.engine.home.SelectorCode;
import dev.varve.model.Selector;
import dev.varve.model.TimeRange;
import dev.varve.store.Capabilities.Deletes;
import dev.varve.store.FamilySpec;
import dev.varve.store.TableSpec;
import dev.varve.store.TimeUse;

/** Decides which deletes a dataset can execute. */
public final class DeleteSupport {
  private DeleteSupport() {}

  /**
   * Checks that a delete can be executed.
   *
   * @throws QueryRefusedException if it cannot, naming the obstacle
   */
  public static void ensure(OpenDataset dataset, Selector selector, TimeRange times) {
    if (dataset.config().isReadOnly()) {
      throw new QueryRefusedException(
          "dataset '%s' is attached read-only: nothing is deleted from foreign tables"
              .formatted(dataset.name()));
    }
    if (selector.filters().isEmpty()) {
      throw new QueryRefusedException("the delete selects every series: name a metric or a label");
    }
    int size = SelectorCode.encode(selector).length;
    if (size > DeleteTable.SELECTOR_MAX) {
      throw new QueryRefusedException(
          "the selector of the delete takes %,d bytes, at most %,d are possible"
              .formatted(size, DeleteTable.SELECTOR_MAX));
    }
    for (Period period : dataset.periods().all()) {
      if (period.stored().overlaps(times)) {
        ensure(dataset, period);
      }
    }
  }

  private static void ensure(OpenDataset dataset, Period period) {
    for (PlacedLayout layout : period.layouts()) {
      TableSpec spec = layout.dataTable().spec();
      if (!keepsStamps(layout)
          && dataset.store().capabilities(spec).deletes() == Deletes.MASK_OLDER) {
        throw new QueryRefusedException(
            "layout '%s' of dataset '%s' cannot delete on store '%s': its cell times are sample times, and the store would hide samples that are written again"
                .formatted(layout.name(), dataset.name(), dataset.store().kind()));
      }
    }
  }

  /**
   * Returns whether the cells of a layout record when they were accepted. If not, cell times are
   * sample times in at least one family.
   */
  public static boolean keepsStamps(PlacedLayout layout) {
    for (FamilySpec family : layout.dataTable().spec().families()) {
      if (family.time() == TimeUse.DATA) {
        return false;
      }
    }
    return true;
  }
}
