package dev.varve.engine;

import dev.varve.engine.catalog.CatalogBudget;
import dev.varve.engine.check.CheckFinding;
import dev.varve.engine.config.FieldLimits;
import dev.varve.engine.write.BatchBudget;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A dataset's share of the resources of an engine.
 *
 * @param admission the admission budget of all datasets
 * @param fields limits of the number of fields
 * @param catalogs limits the memory of all catalogs
 * @param caches bytes that the caches of this dataset may hold
 * @param heads bytes of samples of this dataset that may wait to be sealed into blocks
 * @param copies finds copies of the stores
 * @param removals receives the entries that are removed from damaged journals; null if none may be
 *     removed
 */
record DatasetShare(
    BatchBudget admission,
    FieldLimits fields,
    CatalogBudget catalogs,
    long caches,
    long heads,
    LocalCopies copies,
    @Nullable Consumer<CheckFinding> removals) {
  /** Returns the maximum bytes of the query log. */
  long queryLog() {
    return caches / 8;
  }

  /** Returns the maximum bytes of the writer's cache of series. */
  long seriesCache() {
    return (caches - queryLog()) / 2;
  }

  /** Returns the maximum bytes of lookups cached by layouts, such as UIDs. */
  long lookUpCache() {
    return (caches - queryLog()) / 2;
  }
}
